"""Tables as other programs write them, read as the same table in CSV would be."""

import gzip
import io
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.io import mmwrite

from centroidal.io import read_table

X = np.array([[1.5, -2.0, 0.0], [0.25, 300.0, 1.0], [7.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
Y, IDS, NAMES = ["a", "b", "a", "b"], ["s1", "s2", "s3", "s4"], ["g1", "g2", "g3"]


def check(table, *, ids=IDS):
    np.testing.assert_array_equal(table.X.toarray() if sparse.issparse(table.X) else table.X, X)
    assert table.feature_names.tolist() == NAMES
    assert table.y.tolist() == Y
    assert (None if table.ids is None else table.ids.tolist()) == ids


def csv_text(separator=",", decimal="."):
    rows = [
        [name, *(str(value).replace(".", decimal) for value in row), label]
        for name, row, label in zip(IDS, X.tolist(), Y, strict=True)
    ]
    return "\n".join(separator.join(row) for row in [["id", *NAMES, "kind"], *rows])


@pytest.fixture
def path(tmp_path):
    return lambda name: tmp_path / name


# ------------------------------------------------------------------ text


@pytest.mark.parametrize("pyarrow_there", [True, False])
@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_decimal_commas_when_said(path, monkeypatch, separator, pyarrow_there):
    if not pyarrow_there:
        monkeypatch.setattr("centroidal.streaming.text.find_spec", lambda name: None)
    path("T.csv").write_text(csv_text(separator, ","))
    options = {"target": "kind", "ids": "id"}
    check(read_table(path("T.csv"), decimal=",", delimiter=separator, **options))
    with pytest.raises(ValueError, match="comma"):
        read_table(path("T.csv"), **options)


def test_point_is_no_part_of_a_number_with_a_decimal_comma(path):
    path("T.csv").write_text("a;kind\n1.234;x\n2,5;y\n")
    with pytest.raises(ValueError, match=r"1\.234"):
        read_table(path("T.csv"), target="kind", decimal=",")


def test_delimiter_wins_over_what_the_header_shows(path):
    path("T.csv").write_text("a,b;kind\n1;x\n2;y\n")
    assert read_table(path("T.csv"), target="kind", delimiter=";").feature_names.tolist() == ["a,b"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delimiter": "x"}, "delimiter"),
        ({"decimal": ";"}, "decimal"),
        ({"delimiter": ",", "decimal": ","}, "must not be"),
    ],
)
def test_wrong_marks_are_refused(path, options, words):
    with pytest.raises(ValueError, match=words):
        read_table(path("T.csv"), **options)


def test_zstd_is_unpacked_and_bounded(path):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(csv_text().encode())
    path("T.csv.zst").write_bytes(sink.getvalue().to_pybytes())
    check(read_table(path("T.csv.zst"), target="kind", ids="id"))
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(b"a,b\n" + b"0,0\n" * 1_000_000)
    path("B.csv.zst").write_bytes(sink.getvalue().to_pybytes())
    with pytest.raises(ValueError, match="max_bytes"):
        read_table(path("B.csv.zst"), max_bytes=100_000)
    path("D.csv.zst").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="zstd"):
        read_table(path("D.csv.zst"))


def test_quotation_mark_that_is_never_closed_is_told(path):
    path("T.csv").write_text('a,"b c",kind\n1,2,x\n1,"2' + "2" * 200_000 + "\n")
    with pytest.raises(ValueError, match="never be closed"):
        read_table(path("T.csv"), target="kind")


# ------------------------------------------------------------------ workbooks


def write_workbook(path, rows, *others):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for name in others:
        book.create_sheet(name)
    book.save(path)


def workbook_rows():
    rows = zip(IDS, X.tolist(), Y, strict=True)
    return [["id", *NAMES, "kind"], *([name, *row, label] for name, row, label in rows)]


def test_first_sheet_of_a_workbook(path):
    write_workbook(path("T.xlsx"), workbook_rows(), "notes")
    table = read_table(path("T.xlsx"), target="kind", ids="id")
    check(table)
    assert "2 sheets" in table.remarks[0]


def test_workbook_as_sheet_of_samples(path):
    rows = workbook_rows()
    write_workbook(path("T.xlsx"), [row[:-1] for row in rows])
    write_workbook(path("S.xlsx"), [[row[0], row[-1]] for row in rows[:1] + rows[:0:-1]])
    check(read_table(path("T.xlsx"), samples=path("S.xlsx"), target="kind", ids="id"))


def test_whole_numbers_of_a_workbook_are_labels_without_a_point(path):
    write_workbook(path("T.xlsx"), [["a", "kind"], [1.5, 1], [2.5, 2]])
    assert read_table(path("T.xlsx"), target="kind").y.tolist() == [1, 2]


def test_names_that_a_spreadsheet_made_dates_are_refused(path):
    write_workbook(path("T.xlsx"), [["a", date(2026, 9, 2), "kind"], [1, 2, "x"], [2, 3, "y"]])
    with pytest.raises(ValueError, match="SEPT2"):
        read_table(path("T.xlsx"), target="kind")


@pytest.mark.parametrize("content", [b"nothing", b"PK\x03\x04 cut off"])
def test_damaged_workbook_is_told(path, content):
    path("T.xlsx").write_bytes(content)
    with pytest.raises(ValueError, match=r"T\.xlsx"):
        read_table(path("T.xlsx"))


def test_empty_and_huge_workbooks_are_refused(path):
    write_workbook(path("E.xlsx"), [])
    with pytest.raises(ValueError, match="empty"):
        read_table(path("E.xlsx"))
    write_workbook(path("T.xlsx"), workbook_rows())
    with pytest.raises(ValueError, match="max_bytes"):
        read_table(path("T.xlsx"), max_bytes=100)


# ------------------------------------------------------------------ genes in rows


def gct_text(version="#1.2"):
    lines = [version, "3\t4", "\t".join(["Name", "Description", *IDS])]
    lines += [
        "\t".join([name, f"about {name}", *map(str, row)])
        for name, row in zip(NAMES, X.T.tolist(), strict=True)
    ]
    return "\n".join(lines) + "\n"


def test_gct(path):
    path("S.csv").write_text("\n".join(["id,kind", *map(",".join, zip(IDS, Y, strict=True))]))
    for name, content in (
        ("T.gct", gct_text().encode()),
        ("T.gct.gz", gzip.compress(gct_text().encode())),
    ):
        path(name).write_bytes(content)
        check(read_table(path(name), samples=path("S.csv"), target="kind"))


def write_gct_of_cmap(path):
    """Version 1.3, by cmapPy where it is installed, else as it writes it."""
    try:
        from cmapPy.pandasGEXpress.GCToo import GCToo
        from cmapPy.pandasGEXpress.write_gct import write
    except ImportError:
        above = {"kind": Y, "block": ["a", "b", "-666", "b"]}
        lines = ["#1.3", "3\t4\t1\t2", "\t".join(["id", "symbol", *IDS])]
        lines += ["\t".join([name, "-666", *values]) for name, values in above.items()]
        lines += [
            "\t".join([name, f"about {name}", *(f"{value:.4f}" for value in row)])
            for name, row in zip(NAMES, X.T.tolist(), strict=True)
        ]
        path.write_text("\n".join(lines) + "\n")
        return
    import pandas

    values = pandas.DataFrame(X.T, index=NAMES, columns=IDS)
    beside = pandas.DataFrame({"symbol": [f"about {name}" for name in NAMES]}, index=NAMES)
    above = pandas.DataFrame({"kind": Y, "block": ["a", "b", np.nan, "b"]}, index=IDS)
    write(GCToo(values, row_metadata_df=beside, col_metadata_df=above), str(path))


def test_gct_with_annotations_of_samples_and_of_features(path):
    write_gct_of_cmap(path("T.gct"))
    found = read_table(path("T.gct"), target="kind")
    check(found)
    assert any("annotations of the features: symbol" in remark for remark in found.remarks)
    path("S.csv").write_text("\n".join(["id,other", *map(",".join, zip(IDS, Y, strict=True))]))
    check(read_table(path("T.gct"), samples=path("S.csv"), target="other"))
    with pytest.raises(ValueError, match="no annotation 'knd'. Did you mean 'kind'"):
        read_table(path("T.gct"), target="knd")
    with pytest.raises(ValueError, match="block"):  # of one sample it is not known
        read_table(path("T.gct"), target="block")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (gct_text("#1.1"), r"begins with '#1\.1'; a \.gct file begins with #1\.2 or #1\.3"),
        (gct_text("#1.3"), "line 2 is '3.t4'; it must hold .* annotations of both"),
        (gct_text().replace("3\t4", "three"), "line 2 is 'three'"),
        (gct_text().replace("3\t4", "3\t5"), "promises 5 samples .* header has 4"),
        (gct_text().replace("3\t4", "4\t4"), "promises 4 features .* 3 rows follow"),
        (gct_text("#1.3").replace("3\t4", "3\t4\t9\t0"), "4 samples behind 9 annotations"),
        (gct_text("#1.3").replace("3\t4", "3\t4\t1\t1"), "below 1 annotations, but 3 rows"),
        (
            gct_text("#1.3").replace("3\t4", "3\t4\t1\t0").replace("Description", IDS[0]),
            "is a sample and an annotation of features",
        ),
    ],
)
def test_damaged_gct_is_told(path, text, words):
    path("T.gct").write_text(text)
    with pytest.raises(ValueError, match=words):
        read_table(path("T.gct"))


def series_matrix():
    quoted = ["\t".join(f'"{cell}"' for cell in IDS)]
    lines = [
        '!Series_title\t"Tumours"',
        '!Series_sample_id\t"s1 s2 s3 s4"',
        "",
        "!Sample_geo_accession\t" + quoted[0],
        "!Sample_characteristics_ch1\t" + "\t".join(f'"kind: {label}"' for label in Y),
        '!Sample_characteristics_ch1\t"age: 50"\t"age: 61"\t"age: 43"\t"age: 77"',
        "!series_matrix_table_begin",
        '"ID_REF"\t' + quoted[0],
        *(
            f'"{name}"\t' + "\t".join(map(str, row))
            for name, row in zip(NAMES, X.T.tolist(), strict=True)
        ),
        "!series_matrix_table_end",
    ]
    return "\n".join(lines) + "\n"


def test_series_matrix_of_geo(path):
    """By hand: GEO alone writes them. No package of Python does, and GEOparse reads SOFT only."""
    path("G_series_matrix.txt.gz").write_bytes(gzip.compress(series_matrix().encode()))
    table = read_table(path("G_series_matrix.txt.gz"), target="kind", annotations=["age"])
    check(table)
    assert table.annotations["age"].tolist() == ["50", "61", "43", "77"]
    with pytest.raises(ValueError, match="annotation.*'stage'"):
        read_table(path("G_series_matrix.txt.gz"), target="stage")


def test_series_matrix_that_was_cut_below_a_whole_row_is_told(path):
    path("G.txt").write_text(series_matrix().partition("!series_matrix_table_end")[0])
    with pytest.raises(ValueError, match="no !series_matrix_table_end: it was cut"):
        read_table(path("G.txt"))


def test_series_matrix_without_a_table_is_told(path):
    path("G.txt").write_text(series_matrix().partition("!series_matrix_table_begin")[0])
    with pytest.raises(ValueError, match="supplementary"):
        read_table(path("G.txt"))


# ------------------------------------------------------------------ ARFF


def test_arff_of_another_writer(path):
    arff = pytest.importorskip("arff")
    attributes = [("id", "STRING"), *((name, "REAL") for name in NAMES), ("kind", ["a", "b"])]
    rows = [[name, *row, label] for name, row, label in zip(IDS, X.tolist(), Y, strict=True)]
    text = arff.dumps({"relation": "t", "attributes": attributes, "data": rows, "description": "x"})
    path("T.arff").write_text(text)
    check(read_table(path("T.arff"), target="kind", ids="id"))


def test_arff_with_quotes_gaps_and_sparse_rows(path):
    path("T.arff").write_text(
        "% a comment\n@RELATION t\n@ATTRIBUTE 'a b' numeric\n@attribute \"c\" real\n"
        "@attribute kind {'x y', z}\n@DATA\n1.5, ?, 'x y'\n{1 2.5, 2 z}\n"
    )
    table = read_table(path("T.arff"), target="kind", impute="median")
    assert table.feature_names.tolist() == ["a b", "c"]
    np.testing.assert_array_equal(table.X, [[1.5, np.nan], [0.0, 2.5]])
    assert table.y.tolist() == ["x y", "z"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("@attribute a real\n1\n", "@data"),
        ("@attribute a real\n@data\n1,2\n", "line 3"),
        ("@attribute\n@data\n1\n", "without a name"),
        ("@attribute a real\n@data\n{7 1}\n", "no attribute '7'"),
    ],
)
def test_damaged_arff_is_told(path, text, words):
    path("T.arff").write_text(text)
    with pytest.raises(ValueError, match=words):
        read_table(path("T.arff"))


# ------------------------------------------------------------------ folders of 10x


@pytest.fixture
def folder(tmp_path):
    """A folder as 10x writes it, and a sheet of its cells."""
    there = tmp_path / "filtered_feature_bc_matrix"
    there.mkdir()
    matrix = io.BytesIO()
    mmwrite(matrix, sparse.coo_matrix(X.T))
    lines = [f"ENS{j}\t{name}\tGene Expression" for j, name in enumerate(NAMES)]
    for name, content in (
        ("matrix.mtx.gz", matrix.getvalue()),
        ("features.tsv.gz", "\n".join(lines).encode()),
        ("barcodes.tsv.gz", "\n".join(IDS).encode()),
    ):
        (there / name).write_bytes(gzip.compress(content))
    (tmp_path / "S.csv").write_text(
        "\n".join(["id,kind", *map(",".join, zip(IDS, Y, strict=True))])
    )
    return there


def test_folder_of_10x_stays_sparse(folder, path):
    table = read_table(folder, samples=path("S.csv"), target="kind")
    assert sparse.issparse(table.X)
    check(table)


def test_symbols_of_several_genes_have_their_ids(folder, path):
    lines = ["ENS0\tg", "ENS1\tg", "ENS2\th"]
    (folder / "features.tsv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    table = read_table(folder)
    assert table.feature_names.tolist() == ["g (ENS0)", "g (ENS1)", "h"]
    assert "several genes" in table.remarks[0]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("features.tsv.gz", b"a\tb", "1 features for a matrix of 3"),
        ("barcodes.tsv.gz", b"a", "1 barcodes for a matrix of 4"),
        ("matrix.mtx.gz", b"nothing", "how large"),
    ],
)
def test_files_of_10x_that_do_not_fit_together_are_told(folder, name, content, words):
    (folder / name).write_bytes(gzip.compress(content))
    with pytest.raises(ValueError, match=words):
        read_table(folder)


def test_label_of_10x_must_be_in_a_sheet(folder):
    with pytest.raises(ValueError, match="--samples"):
        read_table(folder, target="kind")


def test_folder_without_the_files_is_told(tmp_path):
    with pytest.raises(ValueError, match=r"matrix\.mtx"):
        read_table(tmp_path)
