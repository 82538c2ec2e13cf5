"""The command predict, on what is read in parts."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from centroidal import SparseCenterClassifier
from centroidal.persistence import save_model

from ..conftest import files, make_samples

NAMES = [f"g{j}" for j in range(6)]
PREDICT = ("predict", "m.skops", "parts")


@pytest.fixture
def table():
    X, y = make_samples()
    model = SparseCenterClassifier(3).fit(X, y)
    model.feature_names_in_ = np.array(NAMES, dtype=object)
    save_model(model, "m.skops", metadata={"target": "tree"})
    return pd.DataFrame(X, columns=NAMES).assign(sample=[f"t{i}" for i in range(len(y))], tree=y)


@pytest.fixture
def parts(table, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    for number in range(3):
        rows = table[number * 12 : (number + 1) * 12]
        rows.to_parquet(folder / f"part{number}.parquet", index=False)
    return folder


def read(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def in_memory(run, table):
    table.to_csv("all.csv", index=False)
    assert run("predict", "m.skops", "all.csv", "--id", "sample", "-o", "all_p.csv").code == 0
    return read("all_p.csv")


def test_a_folder_gives_one_table_of_all_rows(run, table, parts):
    found = run(*PREDICT, "--id", "sample", "-o", "p.csv", "--json")
    assert found.code == 0
    assert read("p.csv") == in_memory(run, table)
    answer = json.loads(found.out)
    assert (answer["n_samples"], sum(answer["counts"].values())) == (36, 36)
    assert answer["remarks"] == ["'tree', the label in training, is left out."]


def test_a_folder_gives_a_folder_with_a_file_for_each(run, table, parts, tmp_path):
    assert run(*PREDICT, "--id", "sample", "-o", "out/").code == 0
    assert files(tmp_path / "out") == ["part0.csv", "part1.csv", "part2.csv"]
    rows = [row for name in files(tmp_path / "out") for row in read(tmp_path / "out" / name)]
    assert rows == in_memory(run, table)


def test_tables_of_text_in_a_folder_are_predicted(run, table, tmp_path):
    (tmp_path / "parts").mkdir()
    table[:20].to_csv("parts/a.csv", index=False)
    table[20:].to_csv("parts/b.csv", index=False)
    assert run(*PREDICT, "--id", "sample", "-o", "p.csv").code == 0
    assert read("p.csv") == in_memory(run, table)


def test_a_folder_with_files_is_written_by_force_only(run, parts, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.csv").write_text("mine")
    found = run(*PREDICT, "--drop", "sample", "-o", "out")
    assert found.code == 2
    assert "--output out has files in it; --force overwrites those of the same name" in found.err
    assert run(*PREDICT, "--drop", "sample", "-o", "out", "--force").code == 0
    assert files(tmp_path / "out") == ["mine.csv", "part0.csv", "part1.csv", "part2.csv"]


@pytest.mark.parametrize("output", ["out/", "p.csv"])
def test_nothing_is_written_if_a_later_file_is_damaged_inside(run, table, parts, tmp_path, output):
    content = bytearray((parts / "part2.parquet").read_bytes())
    content[4:400] = bytes(396)
    (parts / "part2.parquet").write_bytes(content)
    before = files(tmp_path)
    found = run(*PREDICT, "--drop", "sample", "-o", output)
    assert found.code == 2
    assert "parts/part2.parquet could not be read as a Parquet file" in found.err
    assert files(tmp_path) == before


def test_parts_of_the_same_name_are_refused(run, table, tmp_path):
    (tmp_path / "parts").mkdir()
    table.to_csv("parts/a.csv", index=False)
    table.to_csv("parts/a.tsv", index=False, sep="\t")
    found = run(*PREDICT, "--drop", "sample", "-o", "out/")
    assert found.code == 2
    assert "parts/a.tsv and another file would both be a.csv in out" in found.err
    assert not (tmp_path / "out").exists()


def test_an_empty_folder_is_refused(run, table, tmp_path):
    (tmp_path / "parts").mkdir()
    found = run(*PREDICT, "-o", "out/")
    assert (found.code, found.out) == (2, "")
    assert "parts must hold .parquet files" in found.err
    assert not (tmp_path / "out").exists()
