"""Several tables of the same samples, joined by id."""

import json
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from centroidal.cli.main import main
from centroidal.io import read_table

GENES = "sample,g1,g2,kind\ns1,1,2,ill\ns2,3,4,well\ns3,5,6,ill\n"
PROTEINS = "sample,p1\ns3,0.3\ns1,0.1\ns2,0.2\n"


@pytest.fixture
def write(tmp_path):
    """Write a text into a file and return its path."""

    def write(text, name="proteins.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def genes(write):
    return write(GENES, "genes.csv")


def read(genes, join, **options):
    return read_table(genes, target="kind", ids="sample", join=join, **options)


# ------------------------------------------------------------------ the join


def test_features_stand_side_by_side_in_the_order_of_the_first_table(genes, write):
    path = write(PROTEINS)
    table = read(genes, path)
    assert table.feature_names.tolist() == ["g1", "g2", "p1"]
    assert table.X.tolist() == [[1, 2, 0.1], [3, 4, 0.2], [5, 6, 0.3]]
    assert table.y.tolist() == ["ill", "well", "ill"]
    assert table.ids.tolist() == ["s1", "s2", "s3"]
    digest = sha256(path.read_bytes()).hexdigest()
    assert table.joined == ({"source": "proteins.csv", "digest": digest, "n_features": 1},)
    assert table.digest == sha256(genes.read_bytes()).hexdigest()


def test_several_tables_of_different_formats_are_joined(genes, write):
    more = pd.DataFrame({"m1": [7.0, 8.0, 9.0]}, index=pd.Index(["s2", "s3", "s1"], name="sample"))
    table = read(genes, [write(PROTEINS), more.reset_index()])
    assert table.feature_names.tolist() == ["g1", "g2", "p1", "m1"]
    assert table.X[:, 3].tolist() == [9.0, 7.0, 8.0]
    assert [each["source"] for each in table.joined] == ["proteins.csv", "DataFrame"]


def test_tables_with_samples_in_columns_are_joined(write):
    genes = write("gene\ts1\ts2\ng1\t1\t2\nkind\till\twell\n", "genes.tsv")
    proteins = write("protein\tnote\ts2\ts1\np1\tx\t4\t3\n", "proteins.tsv")
    table = read_table(genes, target="kind", join=proteins, transpose=True, drop="note")
    assert table.X.tolist() == [[1.0, 3.0], [2.0, 4.0]]


def test_a_sheet_is_joined_as_well(write):
    genes = write("sample,g1\ns1,1\ns2,3\n", "genes.csv")
    sheet = write("sample,kind\ns2,b\ns1,a\n", "sheet.csv")
    more = write("sample,p1,kind\ns2,4,b\ns1,2,a\n")
    table = read(genes, more, samples=sheet)
    assert (table.X.tolist(), table.y.tolist()) == ([[1.0, 2.0], [3.0, 4.0]], ["a", "b"])


def test_sparse_stays_sparse(tmp_path):
    for name, letter in (("a.npz", "a"), ("b.npz", "b")):
        X = sparse.csr_array(np.eye(3))
        parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
        names = [f"{letter}{j}" for j in range(3)]
        np.savez(tmp_path / name, y=[0, 1, 1], ids=["x", "y", "z"], feature_names=names, **parts)
    table = read_table(tmp_path / "a.npz", target="y", join=tmp_path / "b.npz")
    assert sparse.issparse(table.X)
    np.testing.assert_array_equal(table.X.toarray(), np.hstack([np.eye(3), np.eye(3)]))


def test_samples_of_one_id_get_the_same_of_a_joined_table(write):
    genes = write("sample,g1,kind\ns1,1,a\ns1,2,a\ns2,3,b\n", "genes.csv")
    table = read(genes, write("sample,p1\ns2,5\ns1,4\n"))
    assert table.X.tolist() == [[1, 4], [2, 4], [3, 5]]


def test_labels_of_a_joined_table_are_no_feature(genes, write):
    table = read(genes, write("sample,p1,kind\ns1,1,9\ns2,2,8\ns3,3,9\n"))
    assert table.feature_names.tolist() == ["g1", "g2", "p1"]
    assert "'kind' of proteins.csv is left out, as it is none of its features." in table.remarks


def test_features_of_the_same_name_become_one_if_asked(genes, write):
    table = read(genes, write("sample,g1\ns1,3\ns2,5\ns3,7\n"), duplicates="mean")
    assert table.feature_names.tolist() == ["g1", "g2"]
    assert table.X[:, 0].tolist() == [2.0, 4.0, 6.0]


def test_samples_that_are_not_in_all_tables_are_left_out_if_allowed(genes, write):
    table = read(genes, write("sample,p1\ns3,1\ns1,2\ns9,3\n"), allow_unmatched=True)
    assert table.ids.tolist() == ["s1", "s3"]
    assert table.X.tolist() == [[1, 2, 2], [5, 6, 1]]
    assert table.remarks[:2] == (
        "1 sample is in genes.csv only: 's2'; left out.",
        "1 sample is in proteins.csv only: 's9'; left out.",
    )


# ------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sample,p1\ns3,1\ns1,2\ns9,3\n", "1 sample is in genes.csv only: 's2'. 1 sample is in"),
        ("sample,p1\nx,1\ny,2\n", r"No sample of genes.csv \('s1', 's2', 's3'\) is in proteins"),
        ("sample,p1\ns1,1\ns1,2\ns2,0\ns3,1\n", "proteins.csv: 1 id occurs more than once: 's1'"),
        ("sample,g2\ns1,1\ns2,2\ns3,3\n", "genes.csv and proteins.csv: 'g2' occurs more than once"),
        ("name,p1\ns1,1\ns2,2\ns3,3\n", "proteins.csv has no column 'sample'"),
        ("sample,p1\ns1,one\ns2,2\ns3,3\n", "proteins.csv: 1 feature is not numeric: 'p1'"),
        ("", "proteins.csv is empty"),
    ],
    ids=["unmatched", "none", "twice", "name", "no id", "text", "empty"],
)
def test_what_cannot_be_joined_is_refused(genes, write, text, words):
    with pytest.raises(ValueError, match=words):
        read(genes, write(text))


def test_a_name_to_drop_must_be_in_one_of_the_tables(genes, write):
    proteins = write("sample,p1,note\ns1,1,x\ns2,2,y\ns3,3,z\n")
    assert read(genes, proteins, drop="note").feature_names.tolist() == ["g1", "g2", "p1"]
    with pytest.raises(ValueError, match="genes.csv has no column 'p7'"):
        read(genes, proteins, drop=["note", "p7"])


def test_tables_without_ids_are_refused(write):
    with pytest.raises(ValueError, match=r"a.csv has no sample ids, by which tables are joined"):
        read_table(write("w,x\n1,1\n2,2\n", "a.csv"), join=write("y,z\n1,1\n2,2\n"))


def test_unmatched_samples_need_something_to_match(genes):
    with pytest.raises(ValueError, match=r"is for a sheet, samples \(--samples SHEET\), or for"):
        read_table(genes, target="kind", ids="sample", allow_unmatched=True)


# ------------------------------------------------------------------ the command line


@pytest.fixture
def two_tables(tmp_path):
    """Write samples into two tables, the second in another order, and return their paths."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 15)
    X = rng.normal(size=(30, 6)) + 3.0 * (y == "a")[:, None] * (np.arange(6) == 4)
    frame = pd.DataFrame(X, columns=list("uvwxyz"))
    frame.insert(0, "sample", [f"s{i}" for i in range(30)])
    first, second = frame[["sample", "u", "v"]].assign(kind=y), frame.drop(columns=["u", "v"])
    first.to_csv(tmp_path / "one.csv", index=False)
    second.sample(frac=1.0, random_state=0).to_csv(tmp_path / "two.csv", index=False)
    frame.assign(kind=y).to_csv(tmp_path / "all.csv", index=False)
    return tmp_path


def test_joined_tables_select_and_predict_as_one_table_does(two_tables, capsys, monkeypatch):
    monkeypatch.chdir(two_tables)
    asked = ["--target", "kind", "--id", "sample", "--method", "l2", "--json", "--quiet"]
    joined, found = ["one.csv", "--join", "two.csv"], []
    for tables in (["all.csv"], joined):
        assert main(["select", *tables, *asked, "--model", "m.skops", "--force"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    one, two = (each["selection"] for each in found)
    assert [each["feature"] for each in two["features"][:1]] == ["y"]
    assert (one["features"], one["score"]) == (two["features"], two["score"])
    assert found[1]["table"]["joined"][0]["source"] == "two.csv"
    for name, tables in (("p.csv", ["all.csv"]), ("q.csv", joined)):
        assert main(["predict", "m.skops", *tables, "-o", name, "--id", "sample", "--quiet"]) == 0
    assert (two_tables / "p.csv").read_text() == (two_tables / "q.csv").read_text()


def test_a_stream_is_not_joined(two_tables, capsys, monkeypatch):
    monkeypatch.chdir(two_tables)
    asked = ["one.csv", "--join", "two.csv", "--target", "kind", "--stream"]
    assert main(["select", *asked]) == 2
    assert "--join is for all samples in memory, so not with --stream." in capsys.readouterr().err
