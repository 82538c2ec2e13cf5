import gzip
from hashlib import sha256

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from centroidal.io import read_table

GENES = "gene\ts1\ts2\ts3\ts4\ng1\t1.5\t0.25\t7\t1\ng2\t-2\t300\t0\t1\n"
SHEET = "sample,state,patient,age\ns4,well,p2,50\ns2,ill,p1,61\ns1,ill,p1,61\ns3,well,NA,\n"
STATES = ["ill", "ill", "well", "well"]
ASKED = {"target": "state", "annotations": ["patient"]}


@pytest.fixture
def genes(tmp_path):
    path = tmp_path / "genes.tsv"
    path.write_text(GENES)
    return path


@pytest.fixture
def sheet(tmp_path):
    """Write a sheet, with replacements, and return its path."""

    def write(*changes, name="sheet.csv"):
        text = SHEET
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / name
        content = (text if ".csv" in name else text.replace(",", "\t")).encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


def read_frame(library, path):
    return {"pandas": pd.read_csv, "polars": pl.read_csv}[library](path)


# ------------------------------------------------------------------ the join


@pytest.mark.parametrize("name", ["sheet.csv", "sheet.tsv", "sheet.txt", "sheet.csv.gz"])
def test_a_table_with_genes_in_rows_needs_no_editing(genes, sheet, name):
    path = sheet(name=name)
    table = read_table(genes, transpose=True, samples=path, **ASKED)
    assert table.feature_names.tolist() == ["g1", "g2"]
    assert table.X.tolist() == [[1.5, -2.0], [0.25, 300.0], [7.0, 0.0], [1.0, 1.0]]
    assert table.ids.tolist() == ["s1", "s2", "s3", "s4"]
    assert (table.y.tolist(), table.target) == (STATES, "state")
    assert table.annotations["patient"].tolist() == ["p1", "p1", "", "p2"]
    assert table.sheet == {
        "source": name,
        "digest": sha256(path.read_bytes()).hexdigest(),
        "sample_id": "sample",
        "columns": ["state", "patient"],
    }
    assert table.remarks == ()


@pytest.mark.parametrize("form", ["pandas", "indexed", "polars", "parquet", "indexed parquet"])
def test_frames_and_parquet_are_sheets_too(genes, sheet, tmp_path, form):
    frame = read_frame("polars" if form == "polars" else "pandas", sheet())
    if form.startswith("indexed"):
        frame = frame.set_index("sample")
    if form.endswith("parquet"):
        frame.to_parquet(tmp_path / "sheet.parquet")
        frame = tmp_path / "sheet.parquet"
    table = read_table(genes, transpose=True, samples=frame, **ASKED)
    assert table.y.tolist() == STATES
    assert table.annotations["patient"].tolist() == ["p1", "p1", "", "p2"]
    assert (table.sheet["sample_id"], table.n_features) == ("sample", 2)


def test_the_column_of_ids_can_be_named_and_be_an_annotation(genes, sheet):
    path = sheet()
    rows = [line.split(",")[::-1] for line in path.read_text().splitlines()]
    path.write_text("\n".join(map(",".join, rows)))
    options = {"target": "state", "annotations": ["sample"], "sample_id": "sample"}
    table = read_table(genes, transpose=True, samples=path, **options)
    assert table.y.tolist() == STATES
    assert table.annotations["sample"].tolist() == table.ids.tolist()


def test_samples_in_rows_are_joined_by_their_column_of_ids_or_index(sheet, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("name,g1\ns2,1\ns1,2\ns3,3\ns4,4\n")
    frame = pd.read_csv(path, index_col="name")
    for source, options in ((path, {"ids": "name"}), (frame, {})):
        table = read_table(source, samples=sheet(), target="state", **options)
        assert table.ids.tolist() == ["s2", "s1", "s3", "s4"]
        assert table.y.tolist() == STATES
        assert table.feature_names.tolist() == ["g1"]


def test_arrays_and_annotated_tables_are_joined_by_their_ids(sheet, tmp_path):
    anndata = pytest.importorskip("anndata")
    ids = ["s1", "s2", "s3", "s4"]
    np.savez(tmp_path / "t.npz", X=np.eye(4), y=[0, 0, 0, 1], ids=ids)
    obs = pd.DataFrame({"site": ["N", "N", "S", "S"]}, index=ids)
    cells = anndata.AnnData(sparse.csr_array(np.eye(4)), obs=obs)
    cells.write_h5ad(tmp_path / "t.h5ad")
    for source in (tmp_path / "t.npz", cells, tmp_path / "t.h5ad"):
        assert read_table(source, samples=sheet(), target="state").y.tolist() == STATES
    table = read_table(cells, samples=sheet(), target="state", annotations=["patient", "site"])
    assert table.annotations["site"].tolist() == ["N", "N", "S", "S"]
    assert table.annotations["patient"].tolist() == ["p1", "p1", "", "p2"]
    with pytest.raises(ValueError, match=r"'site' is in sheet.csv and in AnnData, too; rename"):
        read_table(cells, samples=sheet(("age", "site")), target="state", annotations=["site"])


def test_labels_may_stay_in_the_table_and_what_is_not_asked_for_is_left_aside(sheet, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("name,g1,age,kind\ns1,1,3,a\ns2,2,3,b\ns3,3,3,a\ns4,4,5,b\n")
    options = {"ids": "name", "target": "kind", "annotations": "patient"}
    table = read_table(path, samples=sheet(), **options)
    assert (table.y.tolist(), table.target) == (list("abab"), "kind")
    assert table.feature_names.tolist() == ["g1", "age"]
    assert table.sheet["columns"] == ["patient"]


def test_repeated_ids_of_the_table_share_a_row_of_the_sheet(sheet, tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text(GENES.replace("s2", "s1"))
    table = read_table(path, transpose=True, samples=sheet(("s2,ill,p1,61\n", "")), **ASKED)
    assert table.ids.tolist() == ["s1", "s1", "s3", "s4"]
    assert table.y.tolist() == STATES


def test_labels_of_a_sheet_are_numbers_if_all_are(genes, sheet):
    path = sheet(("ill", "0"), ("well", "1"))
    for samples in (path, read_frame("pandas", path), read_frame("polars", path)):
        y = read_table(genes, transpose=True, samples=samples, target="state").y
        assert y.tolist() == [0, 0, 1, 1]
        assert y.dtype.kind == "i"


# ------------------------------------------------------------------ ids that do not match


def test_ids_that_do_not_match_are_counted_named_and_refused(genes, sheet):
    path = sheet(("s2", "S2"))
    words = (
        r"1 sample has no row in sheet.csv: 's2'. 1 row of sheet.csv has no sample in genes.tsv: "
        r"'S2'. Correct the ids, leave out columns that are no samples with drop \(--drop NAME\), "
        r"or go on without them with allow_unmatched=True \(--allow-unmatched\)."
    )
    with pytest.raises(ValueError, match=words):
        read_table(genes, transpose=True, samples=path, **ASKED)


def test_unmatched_samples_and_rows_are_left_out_if_allowed(genes, sheet):
    path = sheet(("s2", "S2"))
    table = read_table(genes, transpose=True, samples=path, allow_unmatched=True, **ASKED)
    assert table.ids.tolist() == ["s1", "s3", "s4"]
    assert table.y.tolist() == ["ill", "well", "well"]
    assert table.X.tolist() == [[1.5, -2.0], [7.0, 0.0], [1.0, 1.0]]
    assert table.annotations["patient"].tolist() == ["p1", "", "p2"]
    assert table.remarks[:2] == (
        "1 sample has no row in sheet.csv: 's2'; left out.",
        "1 row of sheet.csv has no sample in genes.tsv: 'S2'; left out.",
    )


def test_unmatched_samples_take_their_labels_in_the_table_with_them(sheet, tmp_path):
    ids = ["s1", "x", "s3", "s4"]
    np.savez(tmp_path / "t.npz", X=np.eye(4), y=[0, 1, 2, 2], site=list("NSNS"), ids=ids)
    options = {"annotations": ["patient", "site"], "allow_unmatched": True}
    table = read_table(tmp_path / "t.npz", samples=sheet(), **options)
    assert table.y.tolist() == [0, 2, 2]
    assert table.annotations["site"].tolist() == ["N", "N", "S"]
    assert table.annotations["patient"].tolist() == ["p1", "", "p2"]


def test_numbers_beside_the_names_of_genes_are_no_samples(sheet, tmp_path):
    path = tmp_path / "genes.tsv"
    rows = [line.split("\t") for line in GENES.splitlines()]
    numbers = ["length", "900", "1200"]
    lines = ["\t".join([row[0], cell, *row[1:]]) for row, cell in zip(rows, numbers, strict=True)]
    path.write_text("\n".join(lines))
    options = {"transpose": True, "samples": sheet(), "target": "state"}
    with pytest.raises(ValueError, match=r"1 sample has no row in sheet.csv: 'length'. Correct"):
        read_table(path, **options)
    for more in ({"drop": "length"}, {"allow_unmatched": True}):
        assert read_table(path, **options, **more).ids.tolist() == ["s1", "s2", "s3", "s4"]


def test_ids_none_of_which_match_are_refused_in_any_case(genes, sheet):
    words = r"No sample of genes.tsv \('s1', .*\) is in 'patient' of sheet.csv \('a', 'b', 'c', 'd'"
    path = sheet(("well,p2", "well,a"), ("s2,ill,p1", "s2,ill,b"), ("ill,p1", "ill,c"), ("NA", "d"))
    with pytest.raises(ValueError, match=words):
        read_table(
            genes, transpose=True, samples=path, target="state", sample_id="patient",
            allow_unmatched=True,
        )  # fmt: skip


# ------------------------------------------------------------------ what else is refused


@pytest.mark.parametrize(
    ("changes", "options", "words"),
    [
        ([], {"sample_id": "Sample"}, r"sheet.csv has no column 'Sample'. Did you mean 'sample'\?"),
        ([], {"sample_id": "age"}, r"sheet.csv: 1 row has no id in 'age': row 4."),
        ([("s2", "s1")], {}, r"sheet.csv: 1 id occurs more than once in 'sample': 's1'. A sheet"),
        ([("patient", "state")], {}, r"sheet.csv: 'state' occurs more than once in the header."),
        ([("s2,ill", "s2,")], {}, r"sheet.csv: 1 of 4 samples have no label .* \(sample 's2'"),
        ([], {"target": "stat"}, r"no row 'stat', nor has sheet.csv such a column. Did .* 'state'"),
        ([], {"annotations": ["?"]}, r"such a column. There are 'sample', 'state', 'patient'"),
        ([], {"annotations": ["state"]}, r"'state' is asked for twice"),
        ([("age", "g1")], {"annotations": "g1"}, r"'g1' is in sheet.csv and in genes.tsv, too; "),
        ([("s2,ill,p1,61", "s2,ill,p1")], {}, r"sheet.csv: line 3 has 3 values"),
    ],
)  # fmt: skip
def test_sheets_that_cannot_be_are_refused_in_words(genes, sheet, changes, options, words):
    asked = {"target": "state", "transpose": True} | options
    with pytest.raises(ValueError, match=words):
        read_table(genes, samples=sheet(*changes), **asked)


def test_a_name_in_both_can_be_dropped_from_the_table(genes, sheet):
    genes.write_text(GENES + "state\ta\tb\tc\td\n")
    options = {"transpose": True, "samples": sheet(), "target": "state"}
    words = r"'state' is in sheet.csv and in genes.tsv, too; leave it out of the table with drop"
    with pytest.raises(ValueError, match=words):
        read_table(genes, **options)
    table = read_table(genes, drop=["state"], **options)
    assert table.y.tolist() == STATES
    assert table.feature_names.tolist() == ["g1", "g2"]


def test_a_table_without_ids_says_how_to_name_them(sheet, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("name,g1\ns1,1\ns2,2\n")
    with pytest.raises(ValueError, match=r"'name' \('s1'\).* sheet.csv is joined.*--id COLUMN"):
        read_table(path, samples=sheet(), target="state")
    with pytest.raises(ValueError, match=r"DataFrame has no sample ids, by which sheet.csv is"):
        read_table(pd.DataFrame({"g1": [1.0, 2.0]}), samples=sheet(), target="state")


def test_options_of_a_sheet_need_one_and_a_sheet_is_a_table(genes, tmp_path):
    for option in ({"sample_id": "sample"}, {"allow_unmatched": True}):
        with pytest.raises(ValueError, match=r"is for a sheet[;,] .*\(--samples SHEET\)"):
            read_table(genes, transpose=True, **option)
    with pytest.raises(TypeError, match=r"samples=int must be a path, or a data frame"):
        read_table(genes, transpose=True, samples=3)
    with pytest.raises(ValueError, match=r"suffix '.npz' says nothing .* known are .csv"):
        read_table(genes, transpose=True, samples=tmp_path / "sheet.npz")
    for empty, words in ((pd.DataFrame(), "no columns"), (pd.DataFrame({"id": []}), "no rows")):
        with pytest.raises(ValueError, match=f"samples=DataFrame has {words}"):
            read_table(genes, transpose=True, samples=empty)
    with pytest.raises(FileNotFoundError, match=r"sheet.csv"):
        read_table(genes, transpose=True, samples=tmp_path / "sheet.csv")
