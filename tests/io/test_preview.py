"""The first rows of a table, and what its columns seem to be."""

import gzip

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from centroidal.io import preview_table


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


TABLE = b"id,batch,label,x,code\n" + b"".join(
    f"s{i},{i % 2},{'AB'[i % 2]},{i / 7:.2f},{i % 3}\n".encode() for i in range(70)
)


def test_text_tells_rows_values_and_roles(write):
    found = preview_table(write("T.csv", TABLE))
    assert (found["name"], found["n_rows"], found["n_columns"]) == ("T.csv", 70, 5)
    assert found["header"] == ["id", "batch", "label", "x", "code"]
    assert found["rows"][1] == ["s1", "1", "B", "0.14", "1"]
    assert [each["name"] for each in found["columns"]] == ["id", "batch", "label", "code"]
    assert found["columns"][2]["values"] == [["A", 35], ["B", 35]]
    assert found["guess"] == {"target": "label", "groups": None, "blocks": "batch", "id": "id"}
    assert not found["seems_transposed"]


def test_same_from_gzip_and_parquet(write, tmp_path):
    expected = preview_table(write("T.csv", TABLE))
    packed = preview_table(write("T.csv.gz", gzip.compress(TABLE)))
    pd.read_csv(tmp_path / "T.csv").to_parquet(tmp_path / "T.parquet")
    stored = preview_table(tmp_path / "T.parquet")
    for found in (packed, stored):
        for name in ("n_rows", "header", "columns", "guess", "n_numeric"):
            assert found[name] == expected[name]


def test_same_from_a_workbook_and_zstd(write, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    expected = preview_table(write("T.csv", TABLE))
    book = openpyxl.Workbook()
    for row in pd.read_csv(tmp_path / "T.csv", header=None).values.tolist():
        book.active.append([float(cell) if cell[:1].isdigit() else cell for cell in map(str, row)])
    book.save(tmp_path / "T.xlsx")
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(TABLE)
    packed = write("T.csv.zst", sink.getvalue().to_pybytes())
    for path in (tmp_path / "T.xlsx", packed):
        found = preview_table(path)
        for name in ("n_rows", "header", "columns", "guess", "n_numeric"):
            assert found[name] == expected[name]


def test_table_with_samples_in_columns_is_noticed_and_turned(write):
    rows = "".join(f"g{j},{j},{j + 1},{j + 2}\n" for j in range(40))
    path = write("G.csv", f"gene,s1,s2,s3\nkind,A,B,A\n{rows}".encode())
    assert preview_table(path)["guess"]["target"] is None
    turned = preview_table(path, transpose=True)
    assert turned["n_rows"] == 3
    assert turned["guess"]["target"] == "kind"
    assert turned["columns"][0]["values"] == [["s1", 1], ["s2", 1], ["s3", 1]]
    plain = write("P.csv", f"gene,s1,s2,s3\n{rows}".encode())
    assert preview_table(plain)["seems_transposed"]


def test_missing_cells_are_counted(write):
    found = preview_table(write("T.csv", b"label,x\nA,1\nNA,2\n,3\nB,4\n"))
    assert found["columns"][0]["n_missing"] == 2
    assert found["columns"][0]["n_values"] == 2


def test_binary_features_are_not_all_described(write):
    names = ",".join(f"x{j}" for j in range(300))
    rows = "".join(",".join(str((i + j) % 2) for j in range(300)) + ",1\n" for i in range(30))
    found = preview_table(write("T.csv", f"{names},class\n{rows}".encode()))
    assert [each["name"] for each in found["columns"]] == ["class"]


def test_obs_of_annotated_file_is_shown(tmp_path):
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame({"donor": ["a", "b", "a"], "cell type": ["T", "B", "T"]}, index=list("xyz"))
    anndata.AnnData(np.ones((3, 4)), obs=obs).write_h5ad(tmp_path / "C.h5ad")
    found = preview_table(tmp_path / "C.h5ad")
    assert found["header"] == ["", "donor", "cell type"]
    assert found["guess"]["target"] == "cell type"
    assert found["guess"]["groups"] == "donor"
    assert "4 features" in found["remarks"][0]


def test_arrays_have_no_columns_to_choose_from(tmp_path):
    np.savez(tmp_path / "T.npz", X=np.ones((3, 2)), y=np.arange(3))
    assert preview_table(tmp_path / "T.npz") is None


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("T.csv", b"PK\x03\x04 a workbook", "workbook"),
        ("T.csv", b"a,b\n1,2\n1,2,3\n", "line 3"),
        ("T.parquet", b"PAR1 not really", "Parquet"),
        ("T.h5ad", b"nothing", "h5ad"),
        ("T.csv", b"", "empty"),
        ("T.csv", b"a,b\n", "no rows"),
        ("T.csv.gz", gzip.compress(b"a,b\n" + b"0,0\n" * 1_000_000), "T.csv.gz"),
    ],
    ids=["workbook", "ragged", "parquet", "h5ad", "empty", "header", "bomb"],
)
def test_wrong_file_is_told_in_words(write, name, content, words):
    with pytest.raises(ValueError, match=words):
        preview_table(write(name, content), max_bytes=1_000_000)
