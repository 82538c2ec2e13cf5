import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from centroidal import ConformalClassifier, FisherSubspaceClassifier, SparseCenterClassifier
from centroidal.io import read_table
from centroidal.io.prediction import Predictions, columns_read, predict_table, read_new_samples
from centroidal.io.streamed_prediction import StreamedPredictions
from centroidal.persistence import load_model
from centroidal.streaming.text import csv_bytes

from ..cli.conftest import make_samples

FOLDER = Path(__file__).parents[1] / "persistence" / "models"
MODELS = [
    path
    for path in sorted(FOLDER.glob("*.skops"))
    if "Classifier" in path.stem or path.stem in ("prepared", "selected")
]


def frame_of(X):
    return pd.DataFrame(X, columns=[f"g{j}" for j in range(X.shape[1])])


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def samples():
    X, y = make_samples()
    return frame_of(X), y


@pytest.fixture
def model(samples):
    return SparseCenterClassifier(2).fit(*samples)


# ------------------------------------------------------------------ which columns are read


# The stored files were written with a newer scikit-learn than the oldest one.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("path", MODELS, ids=[path.stem for path in MODELS])
def test_columns_that_are_not_read_change_nothing(path):
    model = load_model(path)
    is_read = columns_read(model)
    X = np.random.default_rng(0).normal(size=(9, model.n_features_in_))
    changed = X if is_read is None else np.where(is_read, X, 1e6)
    np.testing.assert_array_equal(model.decision_function(changed), model.decision_function(X))


def test_columns_that_are_read_change_something(samples):
    model = make_pipeline(StandardScaler(), SelectKBest(k=2), LogisticRegression()).fit(*samples)
    X = samples[0].to_numpy()
    for column in np.flatnonzero(columns_read(model)):
        changed = X + 3.0 * (np.arange(6) == column)
        assert (
            model.decision_function(frame_of(changed)) != model.decision_function(frame_of(X))
        ).any()


@pytest.mark.parametrize(
    "make",
    [
        FisherSubspaceClassifier,
        lambda: SparseCenterClassifier(2, metric="mahalanobis"),
        lambda: make_pipeline(Normalizer(), SparseCenterClassifier(2)),
        lambda: make_pipeline(SimpleImputer(add_indicator=True), LogisticRegression()),
    ],
    ids=["Fisher", "whitened", "norm of rows", "indicators"],
)
def test_where_columns_are_mixed_all_are_read(samples, make):
    X = samples[0].copy()
    model = make()
    if hasattr(model, "steps") and isinstance(model[0], SimpleImputer):
        X.iloc[0, 0] = np.nan
    assert columns_read(model.fit(X, samples[1])) is None


def test_columns_are_followed_through_a_pipeline(samples):
    X, y = samples
    imputer = SimpleImputer(strategy="median")
    model = make_pipeline(imputer, StandardScaler(), "passthrough", SparseCenterClassifier(2))
    expected = model.fit(X, y)[-1].get_support()
    np.testing.assert_array_equal(columns_read(model), expected)


# ------------------------------------------------------------------ matching


def test_order_of_columns_does_not_matter(model, samples):
    X, _ = samples
    found = predict_table(model, read_table(X[X.columns[::-1]]))
    np.testing.assert_array_equal(found.labels, model.predict(X))
    np.testing.assert_array_equal(found.probabilities, model.predict_proba(X))
    assert found.remarks == ()


def test_columns_in_order_are_not_copied(model, samples):
    table = read_table(samples[0])
    seen = []

    class Watched(SparseCenterClassifier):
        def predict(self, X):
            seen.append(X)
            return super().predict(X)

    predict_table(Watched(2).fit(*samples), table)
    assert seen[0] is table.X


def test_sparse_samples_stay_sparse(samples):
    X, y = samples
    X = X.round()
    dense = SparseCenterClassifier(2).fit(X, y)
    new = sparse.csr_array(X.to_numpy())[:, [5, 1, 3, 0, 2]]
    names = X.columns.to_numpy()[[5, 1, 3, 0, 2]].astype(str)
    np.savez("new.npz", feature_names=names, shape=new.shape,
             data=new.data, indices=new.indices, indptr=new.indptr)  # fmt: skip
    table = read_table("new.npz")
    seen = []

    class Watched(SparseCenterClassifier):
        def predict(self, X):
            seen.append(X)
            return super().predict(X)

    found = predict_table(Watched(2).fit(X, y), table)
    assert sparse.issparse(seen[0])
    assert seen[0].shape == (36, 6)
    np.testing.assert_array_equal(found.labels, dense.predict(X))
    assert "'g4'" in found.remarks[0]


def test_many_missing_columns_are_counted():
    X, y = make_samples(n_features=40)
    model = FisherSubspaceClassifier().fit(frame_of(X), y)
    with pytest.raises(
        ValueError, match=r"lacks 39 features of training: 'g1', .*'g10', \.\.\. \(39\)"
    ):
        predict_table(model, read_table(frame_of(X[:, :1])))


def test_a_model_without_names_takes_numbered_columns(samples):
    X, y = samples
    model = SparseCenterClassifier(2).fit(X.to_numpy(), y)
    numbered = X.set_axis([f"x{j}" for j in range(6)], axis=1)
    found = predict_table(model, read_table(numbered[numbered.columns[::-1]]))
    np.testing.assert_array_equal(found.labels, model.predict(X.to_numpy()))
    by_order = predict_table(model, read_table(X))
    np.testing.assert_array_equal(by_order.labels, found.labels)
    assert "in their order" in by_order.remarks[0]
    with pytest.raises(ValueError, match="5 features that the model was not fitted to"):
        predict_table(model, read_table(X[X.columns[:5]]))


def test_features_that_svmlight_does_not_mention_are_zero(samples):
    X, y = samples
    model = SparseCenterClassifier(3).fit(X.to_numpy(), y)
    model.feature_names_in_ = np.array([f"x{j + 1}" for j in range(6)], dtype=object)
    new = X.to_numpy().copy()
    new[:, 2:] = 0.0
    dump_svmlight_file(new, np.zeros(36), "new.svmlight", zero_based=False)
    found = predict_table(model, read_table("new.svmlight"))
    expected = SparseCenterClassifier(3).fit(X.to_numpy(), y).predict(new)
    np.testing.assert_array_equal(found.labels, expected)
    assert found.remarks == (
        "All samples have the same label, 0.",
        "new.svmlight does not mention 4 of the features; they are zero.",
    )


def test_labels_of_training_are_left_out(model, samples):
    X, y = samples
    numbers = X.assign(tree=1.0)
    assert predict_table(model, read_table(numbers), target="tree").remarks == (
        "'tree', the label in training, is left out.",
    )
    table = read_new_samples(X.assign(tree=y), target="tree")
    assert table.remarks == ("'tree', the label in training, is left out.",)
    assert read_new_samples(X, target="tree").remarks == ()


def test_what_is_wrong_with_new_samples_is_said_as_it_is(samples):
    X, y = samples
    with pytest.raises(ValueError, match="not numeric: 'kind'"):
        read_new_samples(X.assign(kind=y), target="tree")
    with pytest.raises(ValueError, match="no column 'ag'"):
        read_new_samples(X.assign(tree=y), target="tree", drop="ag")


# ------------------------------------------------------------------ missing values


def test_an_imputer_fills_gaps_and_the_remark_says_who(samples):
    X, y = samples
    model = make_pipeline(SimpleImputer(strategy="median"), SparseCenterClassifier(2)).fit(X, y)
    gaps = X.copy()
    gaps.iloc[:4, 1] = np.nan
    found = predict_table(model, read_new_samples(gaps))
    np.testing.assert_array_equal(found.labels, model.predict(gaps))
    assert found.remarks == ("4 values are missing, in 1 feature; the model fills them in.",)


def test_gaps_that_are_not_read_are_allowed(model, samples):
    X, _ = samples
    gaps = X.copy()
    unread = np.flatnonzero(~model.get_support())[0]
    gaps.iloc[:3, unread] = np.nan
    found = predict_table(model, read_new_samples(gaps))
    np.testing.assert_array_equal(found.labels, model.predict(X))
    assert found.remarks == ("3 values are missing, in 1 feature that the model does not read.",)


def test_gaps_that_are_read_are_an_error(model, samples):
    gaps = samples[0].copy()
    read = model.get_support(indices=True)[0]
    gaps.iloc[:3, read] = np.nan
    with pytest.raises(ValueError, match=rf"3 values are missing, .*'g{read}'.*without an imputer"):
        predict_table(model, read_new_samples(gaps))


# ------------------------------------------------------------------ writing


def test_probabilities_read_back_exactly(tmp_path):
    values = np.array([[1 / 3, 2 / 3], [1e-300, 1.0], [0.1 + 0.2, 0.7]])
    found = Predictions(np.array([1, 2, 1]), np.array([1, 2]), values, None)
    found.write_csv(tmp_path / "p.csv")
    with open(tmp_path / "p.csv", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header == ["prediction", "probability_1", "probability_2"]
    assert [row[0] for row in rows] == ["1", "2", "1"]
    assert [[float(cell) for cell in row[1:]] for row in rows] == values.tolist()


def test_ids_with_commas_and_quotes_are_kept(tmp_path):
    ids = np.array(['a,"b"', "c\nd"], dtype=object)
    found = Predictions(np.array(["x", "y"]), np.array(["x", "y"]), None, ids)
    found.write_csv(tmp_path / "p.csv")
    with open(tmp_path / "p.csv", newline="") as stream:
        assert list(csv.reader(stream)) == [["id", "prediction"], [ids[0], "x"], [ids[1], "y"]]
    with pytest.raises(FileExistsError):
        found.write_csv(tmp_path / "p.csv")
    found.write_csv(tmp_path / "p.csv", force=True)
    with pytest.raises(ValueError, match=r"\.csv"):
        found.write_csv(tmp_path / "p.txt")


def test_repr_says_how_many():
    found = Predictions(np.array(["x"]), np.array(["x", "y"]), None, None)
    assert repr(found) == "<Predictions: 1 samples, 2 classes>"


# ------------------------------------------------------------------ cells like formulas

FORMULAS = ["=1+1", "+a", "-b", "@c", "\t=d", "\rx", "'=e", "''-f", "'g", "plain", "-1.5x"]


def test_no_cell_is_a_formula_and_all_read_back_equal(tmp_path):
    labels = np.array(FORMULAS, dtype=object)
    n_samples = labels.size
    found = Predictions(labels, labels, np.full((n_samples, n_samples), -1.5), labels)
    found.write_csv(tmp_path / "p.csv")
    with open(tmp_path / "p.csv", newline="") as stream:
        rows = list(csv.reader(stream))
    assert all(cell[0] not in "=+-@\t\r" for row in rows for cell in row if cell != "-1.5")
    table = read_table(tmp_path / "p.csv", target="prediction", ids="id")
    assert table.y.tolist() == table.ids.tolist() == FORMULAS
    assert table.feature_names.tolist() == [f"probability_{label}" for label in FORMULAS]
    assert (table.X == -1.5).all()


@pytest.mark.parametrize("transpose", [False, True])
def test_names_of_features_are_written_and_read_back(tmp_path, transpose):
    names = ["=x", "@y", "-1", "'=z"]
    rows = [["name", *names], *([f"+{i}s", 1, 2, 3, 4 + i] for i in range(3))]
    if transpose:
        rows = list(zip(*rows, strict=True))
    (tmp_path / "t.csv").write_bytes(csv_bytes(rows[0], rows[1:]))
    ids = {} if transpose else {"ids": "name"}
    table = read_table(tmp_path / "t.csv", transpose=transpose, **ids)
    assert table.feature_names.tolist() == names
    assert table.ids.tolist() == ["+0s", "+1s", "+2s"]
    assert b"'=x" in (tmp_path / "t.csv").read_bytes()


# ------------------------------------------------------------------ damaged models


@pytest.mark.parametrize("n_features", [10**7, 10**12])
def test_claimed_number_of_features_is_compared_before_memory_is_asked_for(n_features):
    frame = frame_of(np.random.default_rng(0).normal(size=(20, 4)))
    y = np.arange(20) % 2
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame.to_numpy(), y)
    for _, step in model.steps:
        step.n_features_in_ = n_features
    message = rf"n_features_in_={n_features}, but none of its arrays has more than 100000 entries"
    for call in (columns_read, lambda model: predict_table(model, read_table(frame))):
        with pytest.raises(ValueError, match=message):
            call(model)


# ------------------------------------------------------------------ what noise is known by


def conformal_model(*steps):
    """A model that reads two of sixty columns, in which samples go together, and new samples."""
    rng, y = np.random.default_rng(0), np.arange(120) % 2
    X = rng.normal(size=(120, 3)) @ rng.normal(size=(3, 60)) + 0.5 * rng.normal(size=(120, 60))
    X[:, :2] += 3.0 * y[:, None]
    frame = frame_of(X)
    model = make_pipeline(*steps, ConformalClassifier(SparseCenterClassifier(2)))
    for step in steps:
        step.set_output(transform="pandas")
    return model.fit(frame[:80], y[:80]), frame[80:]


def predict_streamed(model, frame, path):
    frame.to_parquet(path, index=False)
    streamed = StreamedPredictions(model, path, no_call=0.1)
    credible = np.vstack([found.credible for _, found in streamed])
    return credible, streamed.remarks


@pytest.mark.parametrize(
    "steps", [(), (StandardScaler(),), (SimpleImputer(), StandardScaler())], ids=len
)
def test_a_table_of_the_columns_that_are_read_is_judged_by_these_alone(steps):
    model, new = conformal_model(*steps)
    panel = new[["g1", "g0"]]
    found = predict_table(model, read_table(panel), no_call=0.1)
    values = model[:-1].transform(new) if steps else new
    expected = model[-1].without_background().predict_set(values, 0.1)
    np.testing.assert_array_equal(found.credible, expected)
    assert "judged by the 2 features that the model reads alone: of 60" in found.remarks[-1]
    noise = frame_of(np.random.default_rng(0).normal(0.0, 1.5, size=(40, 60)))
    sets = (
        predict_table(model, read_table(each), no_call=0.1) for each in (noise, noise[["g0", "g1"]])
    )
    whole, part = (each.credible.any(axis=1).mean() for each in sets)
    assert whole < 0.2 < part
    credible, remarks = predict_streamed(model, panel, "panel.parquet")
    np.testing.assert_array_equal(credible, expected)
    assert sorted(remarks) == sorted(found.remarks)


@pytest.mark.parametrize("steps", [(), (SimpleImputer(),)], ids=len)
def test_of_what_noise_is_known_by_a_tenth_may_be_missing(steps):
    model, new = conformal_model(*steps)
    less = new.drop(columns=["g7", "g9"])
    less.loc[90:95, "g20"] = np.nan
    found = predict_table(model, read_new_samples(less), no_call=0.1)
    lost = [7, 9] if steps else [7, 9, 20]
    values = new.assign(g20=less["g20"].fillna(model[0].statistics_[20])) if steps else new
    expected = model[-1].without_background(lost).predict_set(values, 0.1)
    np.testing.assert_array_equal(found.credible, expected)
    assert not any("alone" in each for each in found.remarks)
    credible, remarks = predict_streamed(model, less, "less.parquet")
    np.testing.assert_array_equal(credible, expected)
    assert not any("alone" in each for each in remarks)


def test_nothing_else_is_read_unless_samples_may_be_without_a_call():
    model, new = conformal_model()
    new.to_csv("new.csv", index=False)
    for no_call, number in ((None, 2), (0.1, 60)):
        streamed = StreamedPredictions(model, "new.csv", no_call=no_call)
        names = streamed._open_reader(Path("new.csv"), "new.csv", {}).feature_names
        assert len(names) == number
