import gzip
import io
import subprocess
import sys
import warnings
import zipfile
from decimal import Decimal
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.io import savemat
from sklearn.datasets import dump_svmlight_file
from sklearn.impute import SimpleImputer

from centroidal.io import Table, read_table
from centroidal.streaming import limits
from centroidal.streaming import text as shared_text
from tests.fuzz.harness import run_cases
from tests.streaming.children import counts_memory, megabytes

PLAIN = "sample,g1,g2,kind\ns1,1.5,-2,a\ns2,0.25,3e2,b\ns3,7,0,a\ns4,1,1,b\n"


@pytest.fixture(params=["with pyarrow", "without"])
def parser(request, monkeypatch):
    """Both ways to read text; the second is all that the core has."""
    if request.param == "without":
        hide_pyarrow(monkeypatch)
    return request.param


def hide_pyarrow(monkeypatch):
    monkeypatch.setattr(shared_text, "find_spec", lambda name: None)


@pytest.fixture
def written(tmp_path):
    """Write a file and return its path."""

    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def small(rng):
    X = np.where(rng.random((6, 4)) < 0.5, 0.0, rng.normal(size=(6, 4)))
    return X, np.array(["b", "a", "b", "a", "a", "b"])


def same(table, X, y=None, names=None, ids=None):
    np.testing.assert_array_equal(dense(table.X), X)
    assert (table.y is None) == (y is None)
    if y is not None:
        assert table.y.tolist() == list(y)
    if names is not None:
        assert table.feature_names.tolist() == list(names)
    if ids is not None:
        assert table.ids.tolist() == list(ids)


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


# ------------------------------------------------------------------ text


def test_csv_gives_numbers_labels_names_and_ids(written, parser):
    table = read_table(written(PLAIN), target="kind", ids="sample")
    X = [[1.5, -2.0], [0.25, 300.0], [7.0, 0.0], [1.0, 1.0]]
    same(table, X, ["a", "b", "a", "b"], ["g1", "g2"], ["s1", "s2", "s3", "s4"])
    assert table.X.dtype == np.float64
    assert table.X.flags.c_contiguous
    assert table.y.dtype.kind == "U"
    assert all(type(name) is str for name in [*table.feature_names, *table.ids])
    assert table.target == "kind"
    assert table.remarks == ()
    assert table.impute is None


def test_path_may_be_a_string_and_the_digest_is_of_the_bytes(written):
    path = written(PLAIN)
    table = read_table(str(path), target="kind", drop=["sample"])
    assert table.source == "table.csv"
    assert table.digest == sha256(path.read_bytes()).hexdigest()
    assert repr(table) == "<Table 'table.csv': 4 samples, 2 features, labels 'kind'>"


def test_table_is_frozen(written):
    table = read_table(written(PLAIN), target="kind", ids="sample")
    assert isinstance(table, Table)
    with pytest.raises(AttributeError):
        table.X = None


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda text: text, "t.CSV"),
        (lambda text: text.replace(",", "\t"), "t.tsv"),
        (lambda text: text.replace(",", "\t"), "t.txt"),
        (lambda text: gzip.compress(text.encode()), "t.csv.gz"),
        (lambda text: gzip.compress(text.replace(",", "\t").encode()), "t.tsv.gz"),
        (lambda text: b"\xef\xbb\xbf" + text.encode(), "bom.csv"),
        (lambda text: text.replace("\n", "\r\n"), "crlf.csv"),
        (lambda text: text.replace("\n", "\r"), "cr.csv"),
        (lambda text: text.rstrip("\n"), "no_last_newline.csv"),
        (lambda text: "\n\n" + text.replace("\n", "\n\n") + "  \n", "blank_lines.csv"),
        (lambda text: text.replace("s1", '"s1"').replace("kind", '"kind"'), "quotes.csv"),
        (lambda text: text.replace(",", " , "), "spaces.csv"),
        (lambda text: text.replace("1.5", '"1.5"').replace("s2", '"s2"'), "quoted_numbers.csv"),
        (lambda text: text.replace("0.25", "+.25").replace("300", "3E+2"), "numbers.csv"),
    ],
)
def test_the_same_table_in_other_clothes(written, parser, change, name):
    table = read_table(written(change(PLAIN), name), target="kind", ids="sample")
    X = [[1.5, -2.0], [0.25, 300.0], [7.0, 0.0], [1.0, 1.0]]
    same(table, X, ["a", "b", "a", "b"], ["g1", "g2"], ["s1", "s2", "s3", "s4"])
    assert table.remarks == ()


@pytest.mark.parametrize(
    ("separator", "name", "word"),
    [(";", "t.csv", "semicolons"), ("\t", "t.csv", "tabs"), (",", "t.tsv", "commas")],
)
def test_another_separator_is_found_and_said(written, parser, separator, name, word):
    table = read_table(written(PLAIN.replace(",", separator), name), target="kind", ids="sample")
    assert table.X.shape == (4, 2)
    assert table.remarks == (f"The cells are separated by {word}.",)


def test_quoted_cells_may_hold_separators_quotes_and_newlines(written, parser):
    text = '"gene, 1","say ""g2""",kind\n1,2,"a, b"\n3,4,"c\nd"\n5,6,"c\nd"\n7,8,"a, b"\n'
    table = read_table(written(text), target="kind")
    same(
        table,
        [[1, 2], [3, 4], [5, 6], [7, 8]],
        ["a, b", "c\nd", "c\nd", "a, b"],
        ["gene, 1", 'say "g2"'],
    )


def test_quoted_name_may_go_over_two_lines(written, parser):
    text = '"gene\n1",g2,kind\n1,2,a\n3,4,b\n5,6,a\n7,8,b\n'
    table = read_table(written(text), target="kind")
    same(table, [[1, 2], [3, 4], [5, 6], [7, 8]], "abab", ["gene\n1", "g2"])


def test_names_keep_their_unicode(written, parser):
    table = read_table(written("β-Aktin,größe,名\n1,2,ü\n3,4,ü\n5,6,é\n7,8,é\n"), target="名")
    same(table, [[1, 2], [3, 4], [5, 6], [7, 8]], "üüéé", ["β-Aktin", "größe"])


def test_numbers_are_read_to_the_last_bit(written, parser, rng):
    X = rng.normal(size=(50, 30)) * 10.0 ** rng.integers(-300, 300, size=(50, 30))
    lines = [",".join(map(repr, row)) for row in X.tolist()]
    header = ",".join(f"g{j}" for j in range(30))
    table = read_table(written("\n".join([header, *lines])))
    same(table, X)
    assert table.y is None
    assert table.target is None


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2", "1", "2"], "i"),
        (["-1", "1", "1", "-1"], "i"),
        (["1.0", "2.5", "1.0", "2.5"], "f"),
        (["01", "2", "01", "2"], "U"),
        (["1_0", "2", "1_0", "2"], "U"),
        (["None", "flu", "None", "flu"], "U"),
        (["True", "False", "True", "False"], "U"),
        (["9" * 30, "1", "9" * 30, "1"], "f"),
    ],
)
def test_labels_are_numbers_only_if_nothing_is_lost(written, parser, cells, kind):
    lines = [f"{i},{cell}" for i, cell in enumerate(cells)]
    y = read_table(written("\n".join(["g,y", *lines])), target="y").y
    assert y.dtype.kind == kind
    if kind == "U":
        assert y.tolist() == cells


def test_booleans_become_zero_and_one(written, parser):
    text = "flag,g,y\nTrue,1,a\nfalse,2,b\nTRUE,3,a\nFALSE,4,b\n"
    same(read_table(written(text), target="y"), [[1, 1], [0, 2], [1, 3], [0, 4]], "abab")


def test_booleans_among_numbers_are_refused(written, parser):
    with pytest.raises(ValueError, match=r"1 feature is not numeric: 'flag'"):
        read_table(written("flag,g\nTrue,1\n2,2\n"))


def test_first_column_without_a_name_gives_the_ids(written, parser):
    frame = pd.DataFrame({"g": [1.0, 2, 3, 4], "y": list("abab")}, index=list("pqrs"))
    table = read_table(written(frame.to_csv()), target="y")
    same(table, frame[["g"]], "abab", ["g"], "pqrs")
    assert table.remarks == ("The first column has no name; it was read as sample ids.",)


def test_first_column_without_a_name_is_never_a_feature(written, parser):
    frame = pd.DataFrame({"g": [1.0, 2, 3, 4], "s": list("wxyz"), "y": list("abab")})
    table = read_table(written(frame.to_csv()), target="y", ids="s")
    same(table, frame[["g"]], "abab", ["g"], "wxyz")
    assert table.remarks == ("The first column has no name; it was left out.",)


def test_row_names_as_r_writes_them(written, parser):
    text = '"g1"\t"g2"\t"y"\n"s1"\t1\t2\t"a"\n"s2"\t3\t4\t"b"\n"s3"\t1\t2\t"a"\n"s4"\t1\t1\t"b"\n'
    table = read_table(written(text, "t.tsv"), target="y")
    same(table, [[1, 2], [3, 4], [1, 2], [1, 1]], "abab", ["g1", "g2"], ["s1", "s2", "s3", "s4"])
    assert "one name less" in table.remarks[0]


def test_row_with_a_separator_at_its_end_is_not_taken_for_row_names(written, parser):
    with pytest.raises(ValueError, match=r"line 2 has 4 values where the header has 3"):
        read_table(written("a,b,c\n1,2,3,\n4,5,6,\n"))


# ------------------------------------------------------------------ samples in columns

SIDEWAYS = "gene,s1,s2,s3,s4\ng1,1.5,0.25,7,1\nkind,a,b,a,b\ng2,-2,300,0,1\nnote,x,y,z,w\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.replace("gene,", ""),
        lambda text: text.replace("gene", ""),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("kind", ' "kind"').replace("s1", '"s1"'),
        lambda text: text.replace("\n", "\n\n"),
    ],
)
def test_samples_may_be_in_columns(written, parser, change):
    table = read_table(written(change(SIDEWAYS)), target="kind", drop=["note"], transpose=True)
    X = [[1.5, -2.0], [0.25, 300.0], [7.0, 0.0], [1.0, 1.0]]
    same(table, X, "abab", ["g1", "g2"], ["s1", "s2", "s3", "s4"])
    assert table.X.flags.c_contiguous


def test_ids_may_be_a_row(written, parser):
    table = read_table(written(SIDEWAYS), target="kind", ids="note", transpose=True)
    assert table.ids.tolist() == list("xyzw")


def test_columns_without_target_give_no_labels(written, parser):
    table = read_table(written(SIDEWAYS), drop=["note", "kind"], transpose=True)
    assert table.y is None
    assert table.X.shape == (4, 2)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (("g2", "g1"), {"drop": ["note"]}, r"'g1' occurs more than once"),
        (("g2", ""), {"drop": ["note"]}, r"row 3 has no name"),
        (("x", "x"), {}, r"1 feature is not numeric: 'note' \('x'\)"),
        (("300", "300,5"), {"drop": ["note"]}, r"line 4 has 6 values"),
        (("300", "True"), {"drop": ["note"]}, r"'g2' \('True or False among numbers'\)"),
        (("x", "x"), {"drop": ["nite"]}, r"no row or column 'nite'. Did you mean 'note'"),
        (("x", "x"), {"drop": ["note", "g1", "g2"]}, r"has no row of features"),
    ],
)
def test_errors_of_a_table_with_samples_in_columns(written, parser, change, options, message):
    path = written(SIDEWAYS.replace(*change))
    with pytest.raises(ValueError, match=message):
        read_table(path, target="kind", transpose=True, **options)


DESCRIBED = "gene,about,s1,chromosome,s2\ng1,long,1.5,17,2\ng2,,3,X,4\ng3,short,5,X,6\n"


@pytest.mark.parametrize("read", [Path, pd.read_csv], ids=["text", "frame"])
def test_columns_beside_the_names_of_features_are_named_and_can_be_dropped(written, read):
    source = read(written(DESCRIBED))
    words = r"2 columns hold text, in 3 rows: 'about' \('long'\), 'chromosome' \('X'\). Columns"
    with pytest.raises(ValueError, match=words):
        read_table(source, transpose=True)
    table = read_table(source, transpose=True, drop=["about", "g2", "chromosome"])
    same(table, [[1.5, 5.0], [2.0, 6.0]], None, ["g1", "g3"], ["s1", "s2"])


def test_all_columns_of_samples_dropped_leaves_none(written):
    for source in (written("gene,s1\ng1,1\n"), pd.DataFrame({"gene": ["g1"], "s1": [1.0]})):
        with pytest.raises(ValueError, match="0 samples|no samples"):
            read_table(source, transpose=True, drop="s1")


# ------------------------------------------------------------------ what is refused, and remarks


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"table.csv is empty"),
        (" \n\n", r"table.csv is empty"),
        ("a,b,y\n", r"table.csv has a header and no rows"),
        ("a,b,y", r"table.csv has a header and no rows"),
        ("a\n1\n2\n", r"table.csv has one column, 'a'"),
        ("a,b\n1,2\n3\n", r"table.csv: line 3 has 1 values where the header has 2 names"),
        ("a,b\n\n1,2\n3,4,5\n", r"line 4 has 3 values"),
        ('a,b\n1,"2\n3,4\n', r"line \d is not a row of cells: unexpected end of data"),
        ('a,b\n"1"2,2\n3,4\n', r"line 2 is not a row of cells"),
        ('"a,b\n1,2\n', r"the header is not a row of cells"),
        ("a,b\n1,2\n3,x\n", r"1 feature is not numeric: 'b' \('x'\).*drop \(--drop NAME\)"),
        ("a,b\n1,2\n3,1_000\n", r"not numeric: 'b' \('1_000'\)"),
        ("a,b\n1,2\n3,١٢\n", r"not numeric: 'b'"),
        ("a,b\n1,2\n3,0x10\n", r"not numeric: 'b'"),
        ("a;b\n1,5;2\n3,25;4\n", r"'a' \('1,5'\).*decimal point"),
        ('a,b\n"1,5",2\n', r"'a' \('1,5'\).*decimal point"),
        ("a,a,b\n1,2,3\n", r"'a' occurs more than once.*finds its features by name"),
        ("a,,b\n1,2,3\n", r"column 2 has no name"),
        ("a,b,,\n1,2,,\n", r"column 3, 4 has no name"),
        ("a,b\n1,inf\n3,4\n", r"1 value is infinite or too large, in 1 feature: 'b'"),
        ("a,b\n1,1e999\n3,-Infinity\n", r"2 values are infinite"),
        ("a,b\n1,2\n3,\0\n", r"NUL byte in line 3"),
        (b"a,b\n1,2\n\xe9,4\n", r"not UTF-8 text: line 3 holds the byte 0xe9. Save it as UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), r"UTF-16 text; save it as UTF-8"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0), r"compressed; let its name end in .csv.gz"),
        (b"PK\x03\x04rest", r"workbook or a zip file"),
        ('a,b\n1,"' + "x," * 100_000 + '"\n', r"line 2 is not a row of cells: field larger"),
        ("a,b\n1," + "x" * 200_000 + "\n", r"'b' \('x{40}...'\)"),
    ],
)
def test_text_that_is_no_table_is_refused_in_plain_words(written, parser, text, message):
    with pytest.raises(ValueError, match=message) as caught:
        read_table(written(text))
    assert "table.csv" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_text_features_are_named_first_few_and_counted(written, parser):
    header = ",".join(f"t{j}" for j in range(12))
    with pytest.raises(ValueError, match=r"12 features are not numeric: 't0' .* 't4' .*\(12\)"):
        read_table(written(f"{header}\n{','.join('v' * 12)}\n"))


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        (
            "broken.csv.gz",
            b"\x1f\x8bnonsense",
            ValueError,
            "broken.csv.gz could not be read as a gz",
        ),
        ("table.ods", b"PK", ValueError, r"suffix '.ods'.*known are .csv, .csv.gz, .tsv"),
        ("table", b"a,b", ValueError, r"known are .csv"),
        ("table.npz.gz", b"a,b", ValueError, r"suffix '.npz.gz'"),
        ("broken.npz", b"PKnonsense", ValueError, r"broken.npz could not be read as a .npz"),
        ("broken.mat", b"nonsense", ValueError, r"broken.mat could not be read as a .mat"),
        ("broken.svm", b"x y z\n", ValueError, r"broken.svm could not be read as an svmlight"),
        ("new.mat", b"\x89HDF\r\n\x1a\n" + bytes(99), ValueError, r"version 7.3: save it with -v7"),
        ("empty.npz", b"", ValueError, r"empty.npz is empty"),
    ],
)
def test_files_that_are_not_what_their_name_says(written, name, content, error, message):
    with pytest.raises(error, match=message):
        read_table(written(content, name))


def test_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*nowhere.csv"):
        read_table(tmp_path / "nowhere.csv")


def test_directory_is_named(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match=r"folder.csv is a folder"):
        read_table(tmp_path / "folder.csv")


def test_file_without_permission_is_named(written, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(PermissionError, match=r"table.csv must not be read"):
        read_table(written(PLAIN))


def test_other_trouble_of_the_system_is_named(written, monkeypatch):
    def fail(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "read_bytes", fail)
    with pytest.raises(OSError, match=r"table.csv could not be read: Input/output error"):
        read_table(written(PLAIN))


def test_name_of_a_file_with_nul_is_refused():
    with pytest.raises(ValueError, match="NUL character"):
        read_table("a\0b.csv")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "kimd"}, r"table.csv has no column 'kimd'. Did you mean 'kind'\?"),
        ({"target": "KIND"}, r"Did you mean 'kind'"),
        ({"target": "zzz"}, r"It has 'sample', 'g1', 'g2', 'kind'"),
        ({"ids": "sample_"}, r"no column 'sample_'. Did you mean 'sample'"),
        ({"drop": ["g1", "g9"]}, r"no column 'g9'"),
        ({"target": "kind", "ids": "kind"}, r"'kind' is asked for twice"),
        ({"target": "kind", "drop": ["kind"]}, r"'kind' is asked for twice"),
        ({"target": "kind", "drop": ["sample", "g1", "g2"]}, r"no column of features"),
        ({"layer": "counts"}, r"layer is of no use with table.csv"),
        ({"impute": "mean"}, r"impute='mean' must be one of None, 'median', 'drop-features'"),
    ],
)
def test_options_that_do_not_fit_are_named(written, options, message):
    with pytest.raises(ValueError, match=message):
        read_table(written(PLAIN), **options)


def test_flag_and_source_have_a_type(written):
    with pytest.raises(TypeError, match="transpose='yes' must be True or False"):
        read_table(written(PLAIN), transpose="yes")
    with pytest.raises(TypeError, match="source=ndarray must be a path, a data frame"):
        read_table(np.ones((3, 3)))


def test_one_dropped_column_needs_no_list(written):
    assert read_table(written(PLAIN), target="kind", drop="sample").X.shape == (4, 2)


def test_repeated_ids_and_single_classes_are_remarked(written, parser):
    text = "id,g,y\np,1,a\nq,2,a\np,3,b\nq,4,c\nr,5,a\n"
    table = read_table(written(text), target="y", ids="id")
    assert table.ids.tolist() == list("pqpqr")
    assert table.remarks == (
        "2 duplicate sample ids, kept: 'p', 'q'.",
        "2 classes have one sample each: 'b', 'c'.",
    )


@pytest.mark.parametrize(
    ("labels", "remark"),
    [
        ("aab", "Class 'b' has one sample."),
        ("112", "Class 2 has one sample."),
        ("aaa", "All samples have the same label, 'a'."),
    ],
)
def test_classes_that_are_too_small_are_remarked(written, labels, remark):
    lines = "".join(f"{i},{label}\n" for i, label in enumerate(labels))
    assert read_table(written("g,y\n" + lines), target="y").remarks == (remark,)


def test_target_that_looks_continuous_is_remarked(written):
    lines = "".join(f"{i},{i / 7}\n" for i in range(30))
    table = read_table(written("g,y\n" + lines), target="y")
    assert table.remarks == ("'y' holds 30 different numbers; are they classes?",)


@pytest.mark.parametrize("word", ["", "NA", "nan", "<NA>", "NULL"])
def test_samples_without_a_label_are_counted_and_refused(written, parser, word):
    text = f"g,y\n1,a\n2,{word}\n3,b\n4,{word}\n"
    with pytest.raises(ValueError, match=r"2 of 4 samples have no label in 'y' \(sample 2, 4\)"):
        read_table(written(text), target="y")


def test_label_that_is_a_novel_is_refused(written, parser):
    with pytest.raises(ValueError, match=r"has 3000 characters.*is it the column of labels"):
        read_table(written("g,y\n1,a\n2," + "x" * 3000), target="y")


# ------------------------------------------------------------------ missing values

GAPS = "a,b,c,y\n1,,1,p\n2,NA,nan,q\n3,3,3,p\n4,N/A,4,q\n"


def test_missing_values_are_counted_and_refused(written, parser):
    with pytest.raises(ValueError, match="4 values are missing") as caught:
        read_table(written(GAPS), target="y")
    assert str(caught.value) == (
        "table.csv: 4 values are missing, in 2 of 3 features and 3 of 4 samples: 'b', 'c'. Leave "
        "these features out with impute='drop-features' (--impute drop-features), or have medians "
        "filled in with impute='median' (--impute median)."
    )


def test_features_with_gaps_can_be_left_out(written, parser):
    table = read_table(written(GAPS), target="y", impute="drop-features")
    same(table, [[1], [2], [3], [4]], "pqpq", ["a"])
    assert table.impute is None
    assert table.remarks == (
        "4 values are missing, in 2 of 3 features and 3 of 4 samples; these features are left out.",
    )


def test_medians_are_left_to_the_folds(written, parser):
    table = read_table(written(GAPS), target="y", impute="median")
    same(table, [[1, np.nan, 1], [2, np.nan, np.nan], [3, 3, 3], [4, np.nan, 4]], "pqpq", "abc")
    assert table.impute == "median"
    assert table.remarks[0].endswith("filled in with medians of the training samples.")
    filled = SimpleImputer(strategy="median", keep_empty_features=True).fit_transform(table.X)
    assert filled[1].tolist() == [2, 3, 3]


def test_median_is_asked_for_even_if_nothing_is_missing_yet(written):
    assert (
        read_table(written(PLAIN), target="kind", ids="sample", impute="median").impute == "median"
    )


def test_feature_without_any_value_is_left_out_where_there_are_labels(written, parser):
    path = written("a,b,y\n1,,p\n2,,q\n3,,p\n4,NA,q\n")
    table = read_table(path, target="y", impute="median")
    same(table, [[1], [2], [3], [4]], "pqpq", ["a"])
    assert table.remarks[1] == "1 feature has no value at all and is left out: 'b'."
    new = read_table(path, drop=["y"], impute="median")
    assert new.feature_names.tolist() == ["a", "b"]
    assert np.isnan(new.X[:, 1]).all()


@pytest.mark.parametrize("impute", ["median", "drop-features"])
def test_some_feature_must_be_left(written, impute):
    with pytest.raises(ValueError, match="no feature is left"):
        read_table(written("a,y\n,p\n,q\n"), target="y", impute=impute)


# ------------------------------------------------------------------ files of arrays


def npz(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def test_npz_with_everything(written, small):
    X, y = small
    names, ids = [f"g{j}" for j in range(4)], [f"s{i}" for i in range(6)]
    content = npz(X=X, y=y, feature_names=np.array(names), ids=np.array(ids))
    table = read_table(written(content, "t.npz"))
    same(table, X, y, names, ids)
    assert table.target == "y"
    assert table.digest == sha256(content).hexdigest()


def test_npz_with_codes_and_classes(written, small):
    content = npz(X=small[0], y=[1, 0, 1, 0, 0, 1], classes=np.array(["no", "yes"]))
    assert read_table(written(content, "t.npz")).y.tolist() == [
        "yes",
        "no",
        "yes",
        "no",
        "no",
        "yes",
    ]
    content = npz(X=small[0], y=[1, 0, 1, 0, 0, 2], classes=np.array(["no", "yes"]))
    with pytest.raises(ValueError, match=r"y holds 0 ... 2, but there are 2 classes"):
        read_table(written(content, "t.npz"))


def test_npz_names_what_it_lacks(written, small):
    X, y = small
    table = read_table(written(npz(X=X), "t.npz"))
    same(table, X, None, ["x0", "x1", "x2", "x3"])
    assert table.ids is None
    with pytest.raises(ValueError, match=r"no array 'tumor'. Did you mean 'tumour'"):
        read_table(written(npz(X=X, tumour=y), "t.npz"), target="tumor")
    assert read_table(written(npz(X=X, tumour=y), "t.npz"), target="tumour").y.tolist() == [*y]
    with pytest.raises(ValueError, match=r"must hold an array X.*It has 'Z'"):
        read_table(written(npz(Z=X), "t.npz"))


@pytest.mark.parametrize(
    ("arrays", "options", "message"),
    [
        ({"X": np.ones(3)}, {}, "two dimensions"),
        ({"X": np.ones((3, 2)) * 1j}, {}, "must hold numbers, not 'complex128'"),
        ({"X": np.ones((3, 2)).astype(str)}, {}, "must hold numbers"),
        ({"X": np.ones((0, 2))}, {}, "0 samples and 2 features"),
        ({"X": np.ones((3, 0))}, {}, "3 samples and 0 features"),
        ({"X": np.ones((3, 2)), "y": [1, 2]}, {}, "y has 2 labels for 3 samples"),
        ({"X": np.ones((3, 2)), "y": np.ones((3, 2))}, {}, "one label a sample"),
        ({"X": np.ones((3, 2)), "y": [1, np.nan, 2]}, {}, "1 of 3 samples have no label"),
        ({"X": np.ones((3, 2)), "y": [1, np.inf, 2]}, {}, "a label in 'y' is infinite"),
        ({"X": np.ones((3, 2)), "y": np.ones(3) * 1j}, {}, "must hold labels"),
        ({"X": np.ones((3, 2)), "feature_names": ["a"]}, {}, "1 entries for 2 features"),
        ({"X": np.ones((3, 2)), "feature_names": ["a", "a"]}, {}, "'a' occurs more than once"),
        ({"X": np.ones((3, 2)), "ids": ["a"]}, {}, "1 entries for 3 samples"),
        ({"X": np.ones((3, 2))}, {"ids": "who"}, "no array 'who'"),
        ({"X": np.ones((3, 2))}, {"drop": ["x7"]}, "no feature 'x7'"),
        ({"X": np.array([[{}]])}, {}, "X holds Python objects, which are not unpickled"),
        (
            {"X": np.ones((3, 2)), "y": np.array([{}] * 3)},
            {},
            "holds Python objects, which are not unpickled",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused(written, arrays, options, message):
    with pytest.raises(ValueError, match=message):
        read_table(written(npz(**arrays), "t.npz"), **options)


def test_nothing_is_unpickled(written):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("was unpickled",))

    with pytest.raises(ValueError, match="holds Python objects, which are not unpickled"):
        read_table(written(npz(X=np.array([[Trap()]], dtype=object)), "t.npz"))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint16", "bool", "float16"])
def test_only_single_precision_stays(written, dtype):
    X = np.eye(3).astype(dtype)
    table = read_table(written(npz(X=X), "t.npz"))
    assert table.X.dtype == ("float32" if dtype == "float32" else "float64")
    same(table, np.eye(3))


def test_arrays_can_be_transposed_and_features_dropped(written, small):
    X, y = small
    table = read_table(written(npz(X=X.T, y=y), "t.npz"), transpose=True, drop=["x1"])
    same(table, X[:, [0, 2, 3]], y, ["x0", "x2", "x3"])


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_npz_stays_sparse(tmp_path, small, make):
    sparse.save_npz(tmp_path / "t.npz", make(small[0]))
    table = read_table(tmp_path / "t.npz")
    assert table.X.format == "csr"
    same(table, small[0])


def test_sparse_parts_with_labels_stay_sparse(written, small):
    X, y = sparse.csr_array(small[0]), small[1]
    parts = {name: getattr(X, name) for name in ("data", "indices", "indptr", "shape")}
    table = read_table(written(npz(**parts, y=y, feature_names=list("pqrs")), "t.npz"), drop="q")
    assert sparse.issparse(table.X)
    same(table, small[0][:, [0, 2, 3]], y, "prs")


def test_sparse_parts_that_point_outside_are_refused(written, small):
    X = sparse.csr_array(small[0])
    X.indices[0] = 1000
    parts = {name: getattr(X, name) for name in ("data", "indices", "indptr", "shape")}
    with pytest.raises(ValueError, match=r"t.npz: X is a damaged sparse matrix \(csr\): indices"):
        read_table(written(npz(**parts), "t.npz"))


@pytest.mark.parametrize("impute", [None, "median", "drop-features"])
def test_gaps_in_sparse_data(written, small, impute):
    X = small[0].copy()
    X[1, 2] = np.nan
    buffer = io.BytesIO()
    sparse.save_npz(buffer, sparse.csr_array(X))
    path = written(buffer.getvalue(), "t.npz")
    if impute is None:
        with pytest.raises(ValueError, match=r"1 value is missing, in 1 of 4 features and 1 of 6"):
            read_table(path)
        return
    table = read_table(path, impute=impute)
    assert sparse.issparse(table.X)
    same(table, X if impute == "median" else X[:, [0, 1, 3]])


def test_infinity_in_sparse_data_is_refused(written, small):
    X = small[0].copy()
    X[1, 2] = np.inf
    buffer = io.BytesIO()
    sparse.save_npz(buffer, sparse.csr_array(X))
    with pytest.raises(ValueError, match="1 value is infinite or too large, in 1 feature: 'x2'"):
        read_table(written(buffer.getvalue(), "t.npz"))


def test_large_values_whose_sum_overflows_are_fine(written):
    X = np.full((3, 2), 1e308)
    same(read_table(written(npz(X=X), "t.npz")), X)


@pytest.mark.parametrize(
    "store", [np.asarray, sparse.csc_matrix, lambda X: (X > 0).astype("uint8")]
)
def test_mat_holds_x_and_y(tmp_path, small, store):
    X = store(small[0])
    savemat(tmp_path / "t.mat", {"X": X, "Y": np.array([[1.0], [2], [1], [2], [2], [1]])})
    table = read_table(tmp_path / "t.mat")
    assert sparse.issparse(table.X) == sparse.issparse(X)
    same(table, dense(X), [1, 2, 1, 2, 2, 1], ["x0", "x1", "x2", "x3"])
    assert table.y.dtype == np.int64
    assert table.target == "Y"


def test_mat_with_names_in_cells_and_other_labels(tmp_path, small):
    X, y = small
    arrays = {"X": X, "group": y.astype(object), "feature_names": np.array([*"pqrs"], dtype=object)}
    savemat(tmp_path / "t.mat", arrays)
    same(read_table(tmp_path / "t.mat", target="group"), X, y, "pqrs")
    with pytest.raises(ValueError, match="no array 'Y'. It has"):
        read_table(tmp_path / "t.mat", target="Y")


@pytest.mark.parametrize("options", [{}, {"do_compression": True}, {"format": "4"}])
def test_mat_of_each_kind_is_read(small, written, options):
    buffer = io.BytesIO()
    arrays = {"X": small[0], "Y": np.arange(6) % 2}
    if "format" not in options:
        arrays |= {"more": {"cells": np.array(["u", 1.5], dtype=object), "flag": True}}
        arrays |= {"sparse": sparse.csc_array(small[0]), "text": "words", "z": 1j * small[0]}
    savemat(buffer, arrays, **options)
    same(read_table(written(buffer.getvalue(), "t.mat")), small[0], [0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize("kind", [0, 8, 14, 15, 19, 200])
def test_mat_with_an_element_of_unknown_type_does_not_reach_scipy(written, kind):
    buffer = io.BytesIO()
    savemat(buffer, {"X": np.eye(3)})
    data = bytearray(buffer.getvalue())
    at = data.index(np.eye(3).tobytes()) - 8
    data[at] = kind
    with pytest.raises(ValueError, match=f"t.mat could not be read.*unknown type {kind}"):
        read_table(written(bytes(data), "t.mat"))


def test_mat_needs_x(tmp_path):
    savemat(tmp_path / "t.mat", {"data": np.eye(2)})
    with pytest.raises(ValueError, match="must hold an array X. It has 'data'"):
        read_table(tmp_path / "t.mat")


@pytest.mark.parametrize("suffix", [".svmlight", ".libsvm", ".svm", ".svm.gz"])
@pytest.mark.parametrize("zero_based", [True, False])
def test_svmlight_is_sparse_and_names_features_by_number(written, small, suffix, zero_based):
    X = small[0].round(3)
    X[0, 0] = 1.5
    buffer = io.BytesIO()
    dump_svmlight_file(X, [1, -1, 1, -1, -1, 1], buffer, zero_based=zero_based)
    content = gzip.compress(buffer.getvalue()) if suffix.endswith(".gz") else buffer.getvalue()
    table = read_table(written(content, "t" + suffix), target="y")
    assert table.X.format == "csr"
    first = 0 if zero_based else 1
    same(table, X, [1, -1, 1, -1, -1, 1], [f"x{j + first}" for j in range(4)])
    assert table.y.dtype == np.int64


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "z"}, "no target 'z'"),
        ({"ids": "z"}, "ids is of no use"),
        ({"transpose": True}, "transpose is of no use"),
        ({"drop": ["x9"]}, "no feature 'x9'"),
    ],
)
def test_svmlight_has_no_such_thing(written, options, message):
    with pytest.raises(ValueError, match=message):
        read_table(written("1 1:2 3:4\n-1 2:1\n", "t.svm"), **options)


def test_number_of_features_that_fills_the_memory_is_refused(written):
    with pytest.raises(ValueError, match=r"shape \(1, 1000000001\).* at most"):
        read_table(written("1 1000000000:2\n", "t.svm"))


def test_svmlight_without_samples_is_refused(written):
    with pytest.raises(ValueError, match="t.svm is empty"):
        read_table(written("\n", "t.svm"))


# ------------------------------------------------------------------ data frames and Parquet


@pytest.fixture(params=["pandas", "polars", "pyarrow", "parquet"])
def framed(request, tmp_path):
    """Turn a dict of columns into each kind of frame, or a Parquet file."""
    if request.param in ("pyarrow", "parquet"):
        pyarrow = pytest.importorskip("pyarrow")

    def make(columns):
        if request.param == "pandas":
            return pd.DataFrame(columns)
        if request.param == "polars":
            return pl.DataFrame(columns)
        table = pyarrow.table(columns)
        if request.param == "pyarrow":
            return table
        import pyarrow.parquet as pq

        pq.write_table(table, tmp_path / "t.parquet")
        return tmp_path / "t.parquet"

    return make


def test_frames_keep_names_types_and_labels(framed):
    columns = {
        "id": list("pqrs"),
        "a": [1.5, 2.0, 3.0, 4.0],
        "b": [1, 2, 3, 4],
        "flag": [True, False, True, True],
        "y": ["u", "v", "u", "v"],
    }
    table = read_table(framed(columns), target="y", ids="id")
    X = [[1.5, 1, 1], [2, 2, 0], [3, 3, 1], [4, 4, 1]]
    same(table, X, "uvuv", ["a", "b", "flag"], "pqrs")
    assert table.X.dtype == np.float64
    assert (table.digest is None) == (table.source != "t.parquet")


def test_frames_in_single_precision_stay_so(framed):
    one = np.array([1.5, 2.5], dtype=np.float32)
    assert read_table(framed({"a": one, "b": one})).X.dtype == np.float32
    assert read_table(framed({"a": one, "b": [1, 2]})).X.dtype == np.float64


def test_text_in_frames_is_refused_even_if_it_looks_like_numbers(framed):
    with pytest.raises(ValueError, match=r"2 features are not numeric: 'b' \('1.5'\), 'c'"):
        read_table(framed({"a": [1, 2], "b": ["1.5", "2"], "c": ["x", "y"]}))


def test_dates_in_frames_are_refused(framed):
    days = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[ms]")
    with pytest.raises(ValueError, match=r"1 feature is not numeric: 'day'"):
        read_table(framed({"a": [1, 2], "day": days}))


def test_gaps_in_frames_are_missing_values(framed):
    columns = {"a": [1.5, None, 2.0], "b": [1, 2, None], "f": [True, None, False], "y": [1, 2, 1]}
    table = read_table(framed(columns), target="y", impute="median")
    same(table, [[1.5, 1, 1], [np.nan, 2, np.nan], [2, np.nan, 0]], [1, 2, 1])


def test_missing_labels_in_frames_are_counted(framed):
    for labels in (["u", None, "v"], [1.0, None, 2.0]):
        with pytest.raises(ValueError, match=r"1 of 3 samples have no label in 'y' \(sample 2\)"):
            read_table(framed({"a": [1, 2, 3], "y": labels}), target="y")


def test_decimals_are_numbers(framed):
    same(read_table(framed({"a": [Decimal("1.5"), Decimal("2")]})), [[1.5], [2.0]])


def test_unknown_names_in_frames_are_named(framed):
    with pytest.raises(ValueError, match=r"no column 'kimd'. Did you mean 'kind'"):
        read_table(framed({"a": [1, 2], "kind": ["u", "v"]}), target="kimd")


def test_frame_without_rows_or_features_is_refused(framed):
    with pytest.raises(ValueError, match="has no rows"):
        read_table(framed({"a": np.array([], dtype=float)}))
    with pytest.raises(ValueError, match="no column of features"):
        read_table(framed({"y": ["u", "v"]}), target="y")


def test_frames_may_have_samples_in_columns(framed):
    columns = {"gene": ["g1", "g2"], "s1": [1.5, 2.0], "s2": [3.0, 4.0]}
    table = read_table(framed(columns), transpose=True)
    same(table, [[1.5, 2], [3, 4]], None, ["g1", "g2"], ["s1", "s2"])
    columns = {"gene": ["g1", "kind"], "s1": ["1.5", "u"], "s2": ["3.0", "v"]}
    table = read_table(framed(columns), target="kind", transpose=True)
    same(table, [[1.5], [3]], "uv", ["g1"], ["s1", "s2"])
    columns = {"gene": ["g1", "g2"], "s1": ["1.5", "u"], "s2": ["3.0", "v"]}
    with pytest.raises(ValueError, match=r"not numeric: 'g2' \('u'\)"):
        read_table(framed(columns), transpose=True)


def test_index_of_pandas_gives_the_ids():
    frame = pd.DataFrame({"a": [1, 2], "y": ["u", "v"]}, index=["p", "q"])
    assert read_table(frame, target="y").ids.tolist() == ["p", "q"]
    assert read_table(frame.reset_index(drop=True), target="y").ids is None
    table = read_table(frame[["a"]].T, transpose=True)
    same(table, [[1], [2]], None, ["a"], ["p", "q"])


def test_index_of_pandas_in_parquet_gives_the_ids(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": [1, 2], "y": ["u", "v"]}, index=["p", "q"])
    frame.to_parquet(tmp_path / "t.parquet")
    same(read_table(tmp_path / "t.parquet", target="y"), [[1], [2]], "uv", ["a"], "pq")


def test_columns_of_pandas_that_are_numbers_become_names():
    frame = pd.DataFrame({0: [1.0, 2.0], 1: ["u", "v"]})
    same(read_table(frame, target=1), [[1], [2]], "uv", ["0"])


def test_nullable_and_categorical_columns_of_pandas():
    frame = pd.DataFrame(
        {
            "a": pd.array([1, None, 3], dtype="Int64"),
            "f": pd.array([True, None, False], dtype="boolean"),
            "o": np.array([1, 2.5, None], dtype=object),
            "y": pd.Categorical(["u", "v", "u"]),
        }
    )
    table = read_table(frame, target="y", impute="median")
    same(table, [[1, 1, 1], [np.nan, np.nan, 2.5], [3, 0, np.nan]], "uvu")
    with pytest.raises(ValueError, match="not numeric: 'y'"):
        read_table(frame, impute="median")


def test_repeated_columns_of_pandas_are_refused():
    frame = pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"])
    with pytest.raises(ValueError, match="DataFrame: 'a' occurs more than once"):
        read_table(frame)


def test_mixed_labels_are_refused():
    frame = pd.DataFrame({"a": [1, 2], "y": np.array(["u", 1], dtype=object)})
    with pytest.raises(ValueError, match="must be all strings or all numbers"):
        read_table(frame, target="y")


def test_lazy_frames_are_refused():
    with pytest.raises(TypeError, match="source=LazyFrame must be a path, a data frame"):
        read_table(pl.LazyFrame({"a": [1]}))


def test_broken_parquet_is_named(written):
    pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="t.parquet could not be read as a Parquet file"):
        read_table(written("PAR1nonsensePAR1", "t.parquet"))


def test_without_pyarrow_parquet_says_what_to_install(written, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'centroidal\[io\]'"):
        read_table(written("PAR1", "t.parquet"))


# ------------------------------------------------------------------ annotated matrices


def write_h5ad(path, X, obs, names, ids, layers=()):
    """Write the parts of an .h5ad file that are read, as anndata lays them out."""
    h5py = pytest.importorskip("h5py")

    def matrix(group, name, values):
        if not sparse.issparse(values):
            group[name] = values
            return
        part = group.create_group(name)
        part.attrs["encoding-type"] = f"{values.format}_matrix"
        part.attrs["shape"] = values.shape
        for piece in ("data", "indices", "indptr"):
            part[piece] = getattr(values, piece)

    def table(file, name, index, columns):
        group = file.create_group(name)
        group.attrs["_index"] = "_index"
        group.attrs["column-order"] = np.array(list(columns), dtype=h5py.string_dtype())
        group["_index"] = np.array(index, dtype=h5py.string_dtype())
        for column, values in columns.items():
            if isinstance(values, pd.Categorical):
                part = group.create_group(column)
                part["codes"] = values.codes
                part["categories"] = np.array(list(values.categories), dtype=h5py.string_dtype())
            elif isinstance(values, dict):
                part = group.create_group(column)
                part["values"], part["mask"] = values["values"], values["mask"]
            else:
                is_text = np.asarray(values).dtype.kind == "U"
                dtype = h5py.string_dtype() if is_text else None
                group.create_dataset(column, data=list(values), dtype=dtype)

    with h5py.File(path, "w") as file:
        if X is not None:
            matrix(file, "X", X)
        for name, values in dict(layers).items():
            matrix(file.require_group("layers"), name, values)
        table(file, "obs", ids, obs)
        table(file, "var", names, {})
    return path


@pytest.fixture
def h5ad(tmp_path, small):
    X, y = small
    obs = {
        "kind": pd.Categorical(y),
        "stage": np.array([1, 2, 1, 2, 2, 1]),
        "word": np.array(["u", "v", "u", "v", "v", "u"]),
        "gap": pd.Categorical([None, *y[1:]]),
        "mask": {"values": np.arange(6) % 2, "mask": np.arange(6) == 3},
        "who": np.array(list("uvwxyz")),
    }

    def write(store=np.asarray, **options):
        names, ids = [f"g{j}" for j in range(4)], [f"cell{i}" for i in range(6)]
        X_stored = options.pop("X", store(X))
        path = tmp_path / "t.h5ad"
        return write_h5ad(path, X_stored, obs, options.pop("names", names), ids, **options)

    return write


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_h5ad_takes_labels_from_obs_and_sparse_stays_sparse(h5ad, small, store):
    path = h5ad(store)
    table = read_table(path, target="kind")
    assert sparse.issparse(table.X) == (store is not np.asarray)
    assert not sparse.issparse(table.X) or table.X.format == "csr"
    same(table, *small, ["g0", "g1", "g2", "g3"], [f"cell{i}" for i in range(6)])
    assert table.digest == sha256(path.read_bytes()).hexdigest()


def test_h5ad_layers_types_ids_and_drop(h5ad, small):
    counts = sparse.csr_array(np.arange(24, dtype=np.float32).reshape(6, 4))
    table = read_table(
        h5ad(layers={"counts": counts}), target="stage", layer="counts", ids="who", drop=["g2"]
    )
    assert table.X.dtype == np.float32
    same(table, counts.toarray()[:, [0, 1, 3]], [1, 2, 1, 2, 2, 1], ["g0", "g1", "g3"], "uvwxyz")
    assert read_table(h5ad(), target="word").y.tolist() == list("uvuvvu")
    assert read_table(h5ad()).y is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "kimd"}, "no column of obs 'kimd'. Did you mean 'kind'"),
        ({"target": "gap"}, "1 of 6 samples have no label in 'gap'"),
        ({"target": "mask"}, r"1 of 6 samples have no label in 'mask' \(sample 4\)"),
        ({"layer": "logs"}, "no layer 'logs'"),
        ({"transpose": True}, "transpose is of no use"),
        ({"drop": ["g9"]}, "no feature 'g9'"),
    ],
)
def test_h5ad_says_what_is_not_there(h5ad, options, message):
    with pytest.raises(ValueError, match=message):
        read_table(h5ad(), **options)


def test_h5ad_that_is_odd_is_refused(h5ad, tmp_path):
    h5py = pytest.importorskip("h5py")
    with pytest.raises(ValueError, match="has no X; name a layer: 'counts'"):
        read_table(h5ad(X=None, layers={"counts": np.ones((6, 4))}))
    with pytest.raises(ValueError, match="'g0' occurs more than once"):
        read_table(h5ad(names=["g0", "g0", "g1", "g2"]))
    with pytest.raises(ValueError, match=r"3 names for a matrix \(6, 4\)"):
        read_table(h5ad(names=["g0", "g1", "g2"]))
    with h5py.File(tmp_path / "old.h5ad", "w") as file:
        file["X"] = np.eye(2)
    with pytest.raises(
        ValueError, match="no tables 'obs' and 'var' as anndata 0.7 or later writes them"
    ):
        read_table(tmp_path / "old.h5ad")
    (tmp_path / "bad.h5ad").write_bytes(b"nonsense")
    with pytest.raises(ValueError, match=r"bad.h5ad could not be read as an .h5ad file"):
        read_table(tmp_path / "bad.h5ad")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_table(tmp_path / "none.h5ad")


def test_without_h5py_h5ad_says_what_to_install(written, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match=r"pip install 'centroidal\[io\]'"):
        read_table(written("x", "t.h5ad"))


class LooksLikeAnnData:
    """The parts of AnnData that are read."""

    def __init__(self, X, obs, names, layers=()):
        self.X, self.obs, self.layers = X, obs, dict(layers)
        self.var_names, self.obs_names = pd.Index(names), obs.index


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
def test_annotated_objects_are_read(small, store):
    X, y = small
    obs = pd.DataFrame({"kind": pd.Categorical(y), "n": range(6)}, index=[*"uvwxyz"])
    adata = LooksLikeAnnData(store(X), obs, [*"pqrs"], {"twice": store(2 * X)})
    table = read_table(adata, target="kind")
    assert sparse.issparse(table.X) == (store is sparse.csr_matrix)
    same(table, X, y, "pqrs", "uvwxyz")
    assert table.digest is None
    same(read_table(adata, layer="twice"), 2 * X)
    with pytest.raises(ValueError, match="no layer 'thrice'. Did you mean 'twice'"):
        read_table(adata, layer="thrice")
    adata.X = None
    with pytest.raises(ValueError, match="has no X; name a layer: 'twice'"):
        read_table(adata)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_files_and_objects_of_anndata_itself(tmp_path, small, store):
    anndata = pytest.importorskip("anndata")
    X, y = small
    obs = pd.DataFrame({"kind": pd.Categorical(y), "word": y, "n": range(6)}, index=[*"uvwxyz"])
    obs["gap"] = pd.Categorical([None, *y[1:]])
    adata = anndata.AnnData(store(X), obs=obs, var=pd.DataFrame(index=[*"pqrs"]))
    adata.layers["twice"] = store(2 * X)
    path = tmp_path / "t.h5ad"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adata.write_h5ad(path)
    for source in (adata, path):
        for target in ("kind", "word"):
            same(read_table(source, target=target), X, y, "pqrs", "uvwxyz")
        same(read_table(source, target="n", layer="twice"), 2 * X, range(6))
        with pytest.raises(ValueError, match="1 of 6 samples have no label in 'gap'"):
            read_table(source, target="gap")


# ------------------------------------------------------------------ laws


def test_import_loads_no_optional_module_beyond_those_of_scikit_learn():
    heavy = {"pyarrow", "h5py", "anndata", "pandas", "polars"}
    loaded = f"{heavy!r} & set(sys.modules)"
    code = f"import sys, sklearn.datasets; a = {loaded}; import centroidal.io; print({loaded} - a)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "set()\n"


def test_regular_text_goes_through_pyarrow(written, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(shared_text, "_parse_with_python", None)
    assert read_table(written(PLAIN), target="kind", ids="sample").X.shape == (4, 2)
    assert read_table(written(GAPS), target="y", impute="median").X.shape == (4, 3)


def test_many_blocks_of_pyarrow_are_one_table(written, monkeypatch, rng):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(shared_text, "_LEAST_BLOCK", 64)
    monkeypatch.setattr(shared_text, "_ROWS_PER_BLOCK", 3)
    X = rng.normal(size=(200, 3))
    frame = pd.DataFrame(X, columns=[*"abc"]).assign(y=rng.integers(0, 3, 200))
    same(read_table(written(frame.to_csv(index=False)), target="y"), X, frame["y"])


@counts_memory
def test_wide_text_takes_a_small_multiple_of_its_file(tmp_path):
    n_columns = 50_000
    rows = ["y," + ",".join(f"g{j}" for j in range(n_columns))]
    rows += [f"{i}," + ",".join(["0.25"] * n_columns) for i in range(4)]
    (tmp_path / "wide.csv").write_text("\n".join(rows))
    n_megabytes = (tmp_path / "wide.csv").stat().st_size / 2**20
    work = partial(read_table, tmp_path / "wide.csv", target="y")
    assert megabytes(work) < 20 * n_megabytes


# ------------------------------------------------------------------ files that unpack to too much


def zeros_npz(path):
    np.savez_compressed(path, X=np.zeros((3000, 1000), dtype=np.int8))


def claiming_npz(path):
    """An array without values whose header promises many."""
    stream = io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**4)}
    np.lib.format.write_array_header_1_0(stream, shape)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", stream.getvalue())


def empty_npz(path):
    sparse.save_npz(path, sparse.coo_array((10, 2**20)))


def zeros_mat(path):
    savemat(path, {"X": np.zeros((3000, 1000))}, do_compression=True)


def far_svmlight(path):
    path.write_text("1 1:0.5\n2 300000:0.5\n")


def zipped_svmlight(path):
    path.write_bytes(gzip.compress(b"#" * 2**22))


def narrow_text(path):
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,\n" * 2**16))


def wide_text(path):
    path.write_bytes(gzip.compress(b"a" + b"," * 2**18))


def constant_parquet(path):
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pyarrow.table({"a": np.zeros(10**6), "b": np.zeros(10**6)}), path)


def repeated_text_parquet(path):
    """A long text that all rows share, which is stored once."""
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    table = pyarrow.table({"a": np.zeros(3000), "kind": ["x" * 10_000] * 3000})
    pq.write_table(table, path, dictionary_pagesize_limit=2**30)


def list_parquet(path):
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pyarrow.table({"a": [[0.0] * 10**6], "b": [1.0]}), path)


def hollow_h5ad(path):
    """A matrix of which nothing is stored."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file.create_dataset("X", (10**6, 100), chunks=(100, 100), dtype="f8")
        for table, names in (("obs", 3), ("var", 3)):
            file.create_group(table).create_dataset("_index", data=[b"a"] * names)


def hollow_names_h5ad(path):
    """Names of which nothing is stored."""
    hollow_h5ad(path)
    with pytest.importorskip("h5py").File(path, "a") as file:
        del file["X"], file["obs"]["_index"]
        file["X"] = np.ones((3, 3))
        file["obs"].create_dataset("_index", (10**6,), chunks=(1000,), dtype="S1")


BOMBS = {
    "zeros.npz": zeros_npz,
    "empty.npz": empty_npz,
    "zeros.mat": zeros_mat,
    "far.svmlight": far_svmlight,
    "zipped.svmlight.gz": zipped_svmlight,
    "narrow.csv.gz": narrow_text,
    "wide.csv.gz": wide_text,
    "constant.parquet": constant_parquet,
    "text.parquet": repeated_text_parquet,
    "list.parquet": list_parquet,
    "hollow.h5ad": hollow_h5ad,
    "names.h5ad": hollow_names_h5ad,
}


@pytest.mark.parametrize("name", BOMBS)
def test_small_files_that_ask_for_much_memory_are_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr(limits, "_ALWAYS_ALLOWED", 2**20)
    BOMBS[name](tmp_path / name)
    with pytest.raises(ValueError, match=rf"^{name}.* would take \d+ bytes .*max_bytes=\d+ "):
        read_table(tmp_path / name)


@pytest.mark.parametrize("name", ["zeros.npz", "empty.npz", "zeros.mat", "far.svmlight"])
def test_max_bytes_allows_more_memory(tmp_path, monkeypatch, name):
    monkeypatch.setattr(limits, "_ALWAYS_ALLOWED", 2**20)
    BOMBS[name](tmp_path / name)
    table = read_table(tmp_path / name, max_bytes=2**30)
    assert table.X.shape[0] in (2, 10, 3000)
    with pytest.raises(ValueError, match="max_bytes=1000 are allowed"):
        read_table(tmp_path / name, max_bytes=1000)


def test_array_that_is_not_all_there_is_refused_before_memory_is_asked_for(tmp_path):
    claiming_npz(tmp_path / "t.npz")
    message = r"X ends before all of its shape \(1000000, 10000\) is there"
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path / "t.npz")


@pytest.mark.parametrize("name", ["bsr", "dia"])
def test_every_sparse_format_of_scipy_is_read(tmp_path, small, name):
    sparse.save_npz(tmp_path / "t.npz", sparse.csr_array(small[0]).asformat(name))
    same(read_table(tmp_path / "t.npz"), small[0])
    same(read_table(tmp_path / "t.npz", transpose=True), small[0].T)


@counts_memory
def test_matlab_matrix_without_sizes_is_refused(tmp_path):
    stored = io.BytesIO()
    savemat(stored, {"X": np.eye(3), "word": "d"})
    data = bytearray(stored.getvalue())
    at = data.rindex(b"\x05\0\0\0\x08\0\0\0")  # the sizes of the last matrix
    data[at + 4] = 0
    (tmp_path / "t.mat").write_bytes(data)
    (outcome,) = run_cases(read_table, [tmp_path / "t.mat"])
    assert outcome.kind == "refusal", outcome
    assert "t.mat could not be read as a .mat file: a matrix does not say its sizes" in outcome.text


def test_unknown_sparse_format_is_named(written):
    parts = {"format": b"xyz", "data": [1.0], "shape": [1, 1]}
    with pytest.raises(ValueError, match="a sparse matrix of the format 'xyz' is not read"):
        read_table(written(npz(**parts), "t.npz"))


@pytest.mark.parametrize("name", ["y", "ids", "feature_names", "classes"])
@pytest.mark.parametrize("code", [0x7FFFFFFF, 0x110000, 0xD800])
def test_texts_that_are_no_characters_are_refused(written, name, code):
    arrays = {"X": np.ones((2, 2)), "y": np.array([0, 1]), name: np.array(["ab", "cd"])}
    arrays[name].view(np.uint32)[1] = code
    with pytest.raises(ValueError, match=rf"t.npz .*: {name} holds a text with {code:#x}, which"):
        read_table(written(npz(**arrays), "t.npz"))


# ------------------------------------------------------------------ annotations

ANNOTATED = "sample,g1,who,g2,kind\ns1,1.5,p1,-2,a\ns2,0.25,NA,3e2,b\ns3,7,p2,0,a\ns4,1, p1 ,1,b\n"


def test_annotations_of_text_are_no_features(written, parser):
    table = read_table(written(ANNOTATED), target="kind", ids="sample", annotations=["who"])
    assert table.feature_names.tolist() == ["g1", "g2"]
    assert table.annotations["who"].tolist() == ["p1", "", "p2", "p1"]


def test_annotations_of_a_transposed_table_are_rows(written):
    cells = [line.split(",") for line in ANNOTATED.splitlines()]
    content = "\n".join(",".join(column) for column in zip(*cells, strict=True))
    options = {"target": "kind", "annotations": "who", "transpose": True}
    for source in (written(content), pd.read_csv(written(content), dtype=str)):
        table = read_table(source, **options)
        assert table.feature_names.tolist() == ["g1", "g2"]
        assert table.annotations["who"].tolist() == ["p1", "", "p2", "p1"]


@pytest.mark.parametrize("library", [pd, pl])
def test_annotations_of_frames_are_texts(library):
    frame = library.DataFrame(
        {"a": [1.0, 2.0, 3.0], "batch": [3, None, 5], "site": ["x", None, " y "], "y": [0, 1, 0]}
    )
    table = read_table(frame, target="y", annotations=["site", "batch"])
    assert table.feature_names.tolist() == ["a"]
    assert table.annotations["site"].tolist() == ["x", "", "y"]
    assert [each.removesuffix(".0") for each in table.annotations["batch"]] == ["3", "", "5"]


def test_annotations_of_arrays_and_of_annotated_tables(written, small, tmp_path):
    h5py = pytest.importorskip("h5py")
    X, y = small
    who = np.array(["p", "p", "q", "q", "r", "r"])
    table = read_table(written(npz(X=X, y=y, who=who), "t.npz"), annotations=["who"])
    assert table.annotations["who"].tolist() == who.tolist()
    path = tmp_path / "t.h5ad"
    with h5py.File(path, "w") as file:
        file["X"] = X
        for name, size in (("obs", 6), ("var", 4)):
            group = file.create_group(name)
            group["_index"] = [f"{name}{i}" for i in range(size)]
            group.attrs["_index"], group.attrs["column-order"] = "_index", []
        file["obs"]["who"], file["obs"]["kind"] = who.tolist(), y.tolist()
        file["obs"].attrs["column-order"] = ["who", "kind"]
    table = read_table(path, target="kind", annotations=["who"])
    assert table.annotations["who"].tolist() == who.tolist()
    with pytest.raises(ValueError, match="has no column of obs 'whom'. Did you mean 'who'"):
        read_table(path, target="kind", annotations=["whom"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"annotations": ["whom"]}, "has no column 'whom'. Did you mean 'who'?"),
        ({"annotations": ["kind"]}, "'kind' is asked for twice"),
        ({"annotations": ["who"], "drop": ["who"]}, "'who' is asked for twice"),
    ],
)
def test_annotations_that_cannot_be_are_refused(written, options, words):
    with pytest.raises(ValueError, match=words.replace("?", r"\?")):
        read_table(written(ANNOTATED), target="kind", ids="sample", **options)


def test_a_second_column_beside_genes_is_named_where_it_has_no_label(tmp_path):
    path = tmp_path / "genes.tsv"
    path.write_text("gene\tentrez\ts1\ts2\nkind\t\tx\ty\ng1\t672\t1.5\t2\n")
    words = r"no label in 'kind' \(sample 'entrez'\)\. .* is left out with drop \(--drop NAME\)"
    with pytest.raises(ValueError, match=words):
        read_table(path, transpose=True, target="kind")
    assert read_table(path, transpose=True, target="kind", drop="entrez").X.tolist() == [[1.5], [2]]
