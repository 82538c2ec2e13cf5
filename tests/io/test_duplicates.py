"""Features of the same name: refused, or made one, whatever the table is."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from centroidal import SparseCenterClassifier
from centroidal.io import evaluate_model, predict_table, read_new_samples, read_table
from centroidal.io.duplicates import COLLAPSES, collapse_features
from centroidal.persistence import read_model_card, save_model

NAMES = ["g1", "g2", "g1", "g3", "g1"]
LABELS = list("ababab")
SAMPLES = [f"s{row}" for row in range(6)]
REDUCE = {"mean": np.mean, "max": np.max, "sum": np.sum, "first": lambda X, axis: X[:, 0]}
SHEET = pd.DataFrame({"sample": SAMPLES, "y": LABELS})


@pytest.fixture
def X():
    X = np.random.default_rng(0).normal(size=(6, 5))
    X[1], X[0, 0], X[2, 2], X[3, 3] = 0.0, 0.0, 0.0, 0.0
    return X


def expected(X, how):
    return np.column_stack([REDUCE[how](X[:, [0, 2, 4]], axis=1), X[:, 1], X[:, 3]])


def as_csv(X, folder):
    path = folder / "t.csv"
    pd.DataFrame(X, columns=NAMES).assign(y=LABELS).to_csv(path, index=False)
    return path, {}


def as_frame(X, folder):
    return pd.DataFrame(X, columns=NAMES).assign(y=LABELS), {}


def as_arrow(X, folder):
    return pa.table([*X.T, pa.array(LABELS)], names=[*NAMES, "y"]), {}


def as_parquet(X, folder):
    pq.write_table(as_arrow(X, folder)[0], folder / "t.parquet")
    return folder / "t.parquet", {}


def genes_in_rows(X, folder):
    frame = pd.DataFrame(X.T, index=pd.Index(NAMES, name="gene"), columns=SAMPLES)
    return frame, {"transpose": True, "samples": SHEET}


def genes_in_rows_of_text(X, folder):
    frame, options = genes_in_rows(X, folder)
    frame.to_csv(folder / "t.tsv", sep="\t")
    return folder / "t.tsv", options


def as_npz(X, folder):
    np.savez(folder / "t.npz", X=X, y=np.array(LABELS), feature_names=np.array(NAMES))
    return folder / "t.npz", {}


def as_annotated(X, folder):
    anndata = pytest.importorskip("anndata")
    adata = anndata.AnnData(sparse.csr_matrix(X), obs=pd.DataFrame({"y": LABELS}, index=SAMPLES))
    adata.var_names = pd.Index(NAMES)
    return adata, {}


@pytest.mark.filterwarnings("ignore:Variable names are not unique")
def as_h5ad(X, folder):
    as_annotated(X, folder)[0].write_h5ad(folder / "t.h5ad")
    return folder / "t.h5ad", {}


SOURCES = [
    as_csv, as_frame, as_arrow, as_parquet, genes_in_rows, genes_in_rows_of_text, as_npz,
    as_annotated, as_h5ad,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Variable names are not unique")
@pytest.mark.parametrize("source", SOURCES, ids=lambda each: each.__name__)
def test_features_of_one_name_are_made_one_only_if_asked(source, X, tmp_path):
    table, options = source(X, tmp_path)
    for how in COLLAPSES:
        found = read_table(table, target="y", duplicates=how, **options)
        values = found.X.toarray() if sparse.issparse(found.X) else found.X
        np.testing.assert_allclose(values, expected(X, how), rtol=1e-14, atol=1e-15)
        assert found.feature_names.tolist() == ["g1", "g2", "g3"]
        assert found.duplicates == how
        assert "1 name occurs more than once, in 3 features" in found.remarks[0]
    with pytest.raises(ValueError, match="'g1' occurs more than once .*--duplicates mean"):
        read_table(table, target="y", **options)


@pytest.mark.parametrize("how", COLLAPSES)
def test_sparse_equals_dense_with_random_zeros_and_gaps(how):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 40)) * (rng.random((30, 40)) < 0.4)
    X[3, 7] = np.nan
    names = rng.integers(12, size=40).astype(str).tolist()
    dense, found, _ = collapse_features(X, names, how)
    thin, also, _ = collapse_features(sparse.csr_array(X), names, how)
    assert found == also == list(dict.fromkeys(names))
    np.testing.assert_allclose(thin.toarray(), dense, rtol=1e-14, atol=1e-15)
    if how != "first":
        assert np.isnan(dense[3, found.index(names[7])])
        assert np.isnan(dense).sum() == 1


def test_names_that_are_all_different_are_left_alone():
    X = np.eye(3)
    same, names, remarks = collapse_features(X, ["a", "b", "c"], "mean")
    assert same is X
    assert (names, remarks) == (["a", "b", "c"], [])


def test_single_precision_stays():
    X = np.eye(3, dtype=np.float32)
    for how in COLLAPSES:
        assert collapse_features(X, ["a", "b", "a"], how)[0].dtype == np.float32


def test_column_of_labels_must_not_occur_twice(X):
    frame = pd.DataFrame(X, columns=["g", "g", "y", "h", "y"])
    with pytest.raises(ValueError, match="'y' occurs more than once"):
        read_table(frame, target="y", duplicates="mean")


def test_samples_of_one_name_in_columns_of_a_frame_are_refused(X):
    frame = pd.DataFrame(X.T, index=["a", "b", "c", "d", "e"], columns=list("stustu"))
    with pytest.raises(ValueError, match="'s', 't', 'u' occur more than once"):
        read_table(frame, transpose=True, duplicates="mean")


def test_unknown_way_is_named_with_those_that_are_known(X):
    with pytest.raises(ValueError, match=r"duplicates='median' must be .*refuse.*mean.*first"):
        read_table(pd.DataFrame(X), duplicates="median")


def test_model_file_tells_how_new_samples_are_read(X, tmp_path):
    frame = pd.DataFrame(X, columns=NAMES).assign(y=LABELS)
    table = read_table(frame, target="y", duplicates="mean")
    trained = pd.DataFrame(table.X, columns=table.feature_names)
    model = SparseCenterClassifier().fit(trained, LABELS)
    metadata = {"target": "y", "duplicates": "mean", "left_out": ["site"], "id": "sample"}
    save_model(model, tmp_path / "m.skops", metadata=metadata)
    card = read_model_card(tmp_path / "m.skops")
    new = frame.assign(site="north", sample=SAMPLES)
    read = read_new_samples(new, card=card)
    assert read.ids.tolist() == SAMPLES
    assert "Left out, as in training: 'site'." in read.remarks
    assert predict_table(model, read).labels.tolist() == model.predict(trained).tolist()
    bare = read_new_samples(frame.drop(columns="y"), card=card)
    np.testing.assert_array_equal(bare.X, read.X)
    found = evaluate_model(tmp_path / "m.skops", new, LABELS, n_bootstrap=10)
    assert found.metrics["accuracy"] == np.mean(model.predict(trained) == LABELS)


@pytest.mark.parametrize(
    "metadata", [{"duplicates": "rm", "left_out": "g2"}, {"left_out": [3, "g2"], "id": 7}], ids=str
)
def test_card_that_says_nonsense_is_no_reason_to_leave_features_out(metadata, X, tmp_path):
    frame = pd.DataFrame(X[:, [0, 1, 3]], columns=["g1", "g2", "g3"])
    save_model(SparseCenterClassifier().fit(frame, LABELS), tmp_path / "m.skops", metadata=metadata)
    read = read_new_samples(frame, card=read_model_card(tmp_path / "m.skops"))
    assert read.feature_names.tolist() == ["g1", "g2", "g3"]
