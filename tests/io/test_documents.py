import gzip
import json
import pickle

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import make_pipeline

from centroidal import SparseCenterClassifier
from centroidal.io import explain_documents, read_documents
from centroidal.preprocessing import WordCounter, WordHasher, WordWeights

ROWS = [
    {"body": 'Good, really\n"fine"', "title": "One", "label": "yes", "who": "a"},
    {"body": "Bad; naïve", "title": "", "label": "no", "who": "b"},
    {"body": "", "title": "Zwei", "label": "no", "who": "a"},
]
TEXTS = [row["body"] for row in ROWS]


def write_csv(path, separator=",", encoding="utf-8"):
    def cell(text):
        return '"' + text.replace('"', '""') + '"'

    lines = [separator.join(ROWS[0]), *(separator.join(map(cell, r.values())) for r in ROWS)]
    path.write_bytes(("\n".join(lines) + "\n").encode(encoding))


def write_lines(path):
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))


def write_packed_lines(path):
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in ROWS).encode()))


def write_parquet(path):
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)


WRITERS = {
    "t.csv": write_csv,
    "t.tsv": lambda path: write_csv(path, "\t"),
    "t.jsonl": write_lines,
    "t.jsonl.gz": write_packed_lines,
    "t.parquet": write_parquet,
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_documents(tmp_path, name):
    WRITERS[name](tmp_path / name)
    table = read_documents(tmp_path / name, text="body", target="label", annotations=["who"])
    assert table.X[:, 0].tolist() == TEXTS
    assert table.y.tolist() == ["yes", "no", "no"]
    assert table.annotations["who"].tolist() == ["a", "b", "a"]
    assert table.feature_names.tolist() == ["body"]
    assert "1 document is empty." in table.remarks


def test_several_columns_of_texts_are_read(tmp_path):
    write_csv(tmp_path / "t.csv")
    table = read_documents(tmp_path / "t.csv", text=["title", "body"], ids="who")
    assert table.X.tolist() == [[row["title"], row["body"]] for row in ROWS]
    assert (table.y, table.ids.tolist()) == (None, ["a", "b", "a"])


def test_labels_that_are_numbers_become_numbers(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "a", "stars": 5}\n\n{"text": "b", "stars": 1}\n')
    assert read_documents(tmp_path / "t.jsonl", text="text", target="stars").y.tolist() == [5, 1]


def test_a_file_of_one_column_is_read(tmp_path):
    (tmp_path / "t.csv").write_text("body\nGood\nBad\n")
    assert read_documents(tmp_path / "t.csv", text="body").X.tolist() == [["Good"], ["Bad"]]


def test_long_texts_are_read(tmp_path):
    text = "word " * 60_000
    (tmp_path / "t.csv").write_text(f'body,label\n"{text}, end",x\n')
    assert read_documents(tmp_path / "t.csv", text="body").X[0, 0] == f"{text}, end"


@pytest.fixture
def mails(tmp_path):
    for kind, n_files in (("ham", 3), ("spam", 2)):
        (tmp_path / "mails" / kind / "more").mkdir(parents=True)
        for number in range(n_files):
            (tmp_path / "mails" / kind / f"{number}.txt").write_text(f"{kind} mail {number}")
    (tmp_path / "mails" / "spam" / "more" / "9").write_text("deep")
    (tmp_path / "mails" / ".DS_Store").write_bytes(b"\0\1")
    return tmp_path / "mails"


def test_a_folder_is_a_class_and_a_file_a_document(mails):
    table = read_documents(mails, target="class")
    assert table.y.tolist() == ["ham"] * 3 + ["spam"] * 3
    assert table.ids[[0, -1]].tolist() == ["ham/0.txt", "spam/more/9"]
    assert table.X[0, 0] == "ham mail 0"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252"])
def test_other_encodings_are_read_if_they_are_named(tmp_path, encoding):
    (tmp_path / "t.csv").write_bytes("body,label\nnaïve,x\nétude,y\n".encode(encoding))
    table = read_documents(tmp_path / "t.csv", text="body", target="label", encoding=encoding)
    assert table.X[:, 0].tolist() == ["naïve", "étude"]


def big_line(path):
    path.write_text('{"text": "' + "x" * (2**26) + '"}\n')


@pytest.mark.parametrize(
    ("name", "write", "words"),
    [
        ("t.csv", lambda p: p.write_bytes(b"text\n\xe9tude\n"), "not UTF-8 text: line 2"),
        ("t.csv", lambda p: p.write_bytes(b"text\n\0\1\n"), "holds a NUL byte"),
        ("t.csv", lambda p: p.write_text(""), "is empty"),
        ("t.csv", lambda p: p.write_text("texts,b\n1,2\n"), "Did you mean 'texts'"),
        ("t.csv", lambda p: p.write_text("text,b\n1\n"), "line 2 has 1 values where"),
        ("t.csv", lambda p: p.write_text("text,b\n ,1\n,2\n"), "all documents are empty"),
        ("t.csv", lambda p: p.write_text("text,b\n"), "has no documents"),
        ("t.jsonl", lambda p: p.write_text('{"text": 1}\n'), "in line 1 is a int, not a text"),
        ("t.jsonl", lambda p: p.write_text('["a"]\n'), "line 1 is no object with names"),
        ("t.jsonl", lambda p: p.write_text('{"text": "a"}\n{"te'), "line 2 is not JSON"),
        ("t.jsonl", lambda p: p.write_text('{"body": "a"}\n'), "has no column 'text'"),
        ("t.jsonl", lambda p: p.write_bytes(b'{"text": "\xe9"}\n'), "line 1, is not utf-8"),
        ("t.jsonl", lambda p: p.write_bytes(pickle.dumps("a")), "NUL byte|not utf-8"),
        ("t.jsonl", big_line, "a line is longer than 67,108,864 bytes"),
        ("t.jsonl.gz", lambda p: p.write_text("{}"), "could not be read as lines of JSON"),
        ("t.parquet", lambda p: p.write_text("{}"), "could not be read as a Parquet file"),
        ("t.docx", lambda p: p.write_text("{}"), "documents are read from .csv, .*not from .docx"),
    ],
)  # fmt: skip
def test_what_is_no_file_of_documents_is_refused_in_words(tmp_path, name, write, words):
    write(tmp_path / name)
    with pytest.raises(ValueError, match=words):
        read_documents(tmp_path / name, text="text")


def test_binary_and_foreign_files_of_a_folder_are_named(mails):
    (mails / "ham" / "0.txt").write_bytes(b"\x89PNG\0\0")
    with pytest.raises(
        ValueError, match="mails/ham/0.txt holds a NUL byte; it is binary, not text"
    ):
        read_documents(mails)
    (mails / "ham" / "0.txt").write_bytes(b"na\xefve")
    with pytest.raises(ValueError, match=r"mails/ham/0.txt is not utf-8 text: .*0xef.*--encoding"):
        read_documents(mails)
    assert read_documents(mails, encoding="latin-1").n_samples == 6


def test_file_beside_the_folders_of_classes_is_refused(mails):
    (mails / "readme.txt").write_text("hello")
    with pytest.raises(ValueError, match="'readme.txt' beside folders; a document belongs in the"):
        read_documents(mails, target="class")


def test_missing_label_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("text,label\na,x\nb,\n")
    with pytest.raises(ValueError, match="label"):
        read_documents(tmp_path / "t.csv", text="text", target="label")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "text=None must name the columns of texts"),
        ({"text": ["body", "body"]}, "'body' is asked for twice"),
        ({"text": "body", "target": "body"}, "'body' is asked for twice"),
        ({"text": "body", "encoding": "utf-9"}, "encoding='utf-9' must be one that Python knows"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(tmp_path, options, words):
    write_csv(tmp_path / "t.csv")
    with pytest.raises(ValueError, match=words):
        read_documents(tmp_path / "t.csv", **options)


# ------------------------------------------------------------------ why


@pytest.fixture(scope="module")
def training():
    rng = np.random.default_rng(0)
    marks = {"good": ["fine", "warm"], "bad": ["dull", "cold"], "odd": ["blue", "green"]}
    y = np.array(sorted(marks) * 20)
    fill = [f"w{i}" for i in range(30)]
    texts = [" ".join([*rng.choice(fill, 5), *rng.choice(marks[label], 2)]) for label in y]
    return texts, y


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weight_of_a_word_is_the_lead_that_is_lost_without_it(training, n_classes):
    texts, y = (
        np.array(each, dtype=object)[np.isin(training[1], ["bad", "good", "odd"][:n_classes])]
        for each in training
    )
    model = make_pipeline(
        WordCounter(1), WordWeights("counts"), SparseCenterClassifier(8, scale="std")
    ).fit(texts, y.astype(str))
    (words,) = explain_documents(model, ["fine warm dull w1"], n_words=3)
    for word, weight in words.items():
        left = " ".join(each for each in ["fine", "warm", "dull", "w1"] if each != word)
        scores = model.decision_function(["fine warm dull w1", left])
        scores = np.column_stack([-scores, np.zeros(2)]) if scores.ndim == 1 else scores
        first, second = np.argsort(-scores[0])[:2]
        lead = scores[:, first] - scores[:, second]
        assert np.isclose(weight, lead[0] - lead[1])
    assert list(words.values()) == sorted(words.values(), reverse=True)


def test_words_behind_hashes_are_told(training):
    model = make_pipeline(WordHasher(n_bits=16), SparseCenterClassifier(6, scale="std"))
    (words,) = explain_documents(model.fit(*training), ["warm and fine"])
    assert set(words) == {"warm", "fine"}


def test_document_without_known_words_has_none(training):
    model = make_pipeline(WordCounter(), SparseCenterClassifier(6, scale="std")).fit(*training)
    assert explain_documents(model, ["", "nothing known"]) == [{}, {}]


def test_words_behind_mixtures_of_them_are_told(training):
    mixed = make_pipeline(WordCounter(1), TruncatedSVD(6), SparseCenterClassifier())
    (words,) = explain_documents(mixed.fit(*training), ["fine w1 warm"], n_words=2)
    assert set(words) == {"fine", "warm"}


def test_numbers_cannot_be_explained():
    with pytest.raises(TypeError, match="must be a pipeline that counts words first"):
        explain_documents(SparseCenterClassifier().fit([[0.0], [1.0]], [0, 1]), ["fine"])
