"""What comes before features are ranked is learned inside the folds, and kept with the model."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from centroidal import SparseCenterClassifier
from centroidal.io import predict_table, read_table
from centroidal.model_selection import compare
from centroidal.persistence import load_model, save_model
from centroidal.preprocessing import named_steps
from tests.reference.selection import Question, model_of, try_method

from ..l2 import select_features

QUICK = {"cv": 3, "n_repeats": 1, "random_state": 0}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    X = rng.lognormal(size=(60, 12))
    X[:, 2] *= np.where(y == 1, 3.0, 1.0)
    X[:, 5] += y
    return X, np.array(["low", "high"])[y]


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.default_rng(5)
    y = np.arange(48) % 2
    kind = np.where(rng.random(48) < 0.8, y, 1 - y)
    return pd.DataFrame({"size": rng.normal(size=48), "kind": np.array(["a", "b"])[kind]}), y


def question_about(preprocess):
    """Plain loops in which a transformer is fitted with each model."""

    class Prepared(Question):
        def predict(self, method, size, train, test):
            model = make_pipeline(preprocess, model_of(method, size, is_sparse=self.is_sparse))
            model.fit(self.X[train], self.y[train])
            return self.ask(model, self.X[test], self.y[test])

    return Prepared


@pytest.mark.parametrize(
    ("preprocess", "method"),
    [
        (PCA(8, whiten=True), "l2"),
        (make_pipeline(FunctionTransformer(np.log1p), StandardScaler()), "l1"),
        (named_steps("log1p,norm"), "l2"),
        (PCA(8), "disjoint"),
    ],
)
def test_folds_score_what_a_pipeline_fitted_in_each_of_them_scores(table, preprocess, method):
    selection = select_features(*table, preprocess=preprocess, method=method, **QUICK)
    question = question_about(preprocess).of(*table, 0, 3, 1)
    tried = try_method(question, method, selection.path["n_features"].tolist())
    mine = tried.of(selection.classifier)
    assert np.allclose(selection.path["mean_test_score"], np.mean(mine.scores, axis=1))
    chosen = [tried.sizes[place] for place in tried.chosen]
    assert [each["n_features"] for each in selection.fold_choices] == chosen


def test_the_model_is_a_pipeline_that_takes_raw_rows(table):
    X, y = table
    selection = select_features(X, y, preprocess="log1p,norm", n_features_to_select=3, **QUICK)
    expected = make_pipeline(
        named_steps("log1p,norm"), SparseCenterClassifier(3, scale="within")
    ).fit(X, y)
    assert np.array_equal(selection.model.predict(X), expected.predict(X))
    assert selection.preprocess == "log1p,norm"


@pytest.mark.parametrize("preprocess", ["log1p", "snv", "savgol", "norm", "snv,savgol"])
def test_a_model_file_holds_every_step_that_has_a_name(table, tmp_path, preprocess):
    X, y = table
    options = {"preprocess": preprocess, "n_features_to_select": 3, **QUICK}
    model = select_features(X, y, **options).model
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_centers_are_told_in_the_units_of_what_comes_out(table):
    X, y = table
    selection = select_features(X, y, preprocess="log1p", n_features_to_select=2, **QUICK)
    expected = [np.log1p(X[y == label]).mean(axis=0) for label in selection.classes]
    assert np.allclose(selection.centers, expected)


def test_missing_values_are_filled_in_first(table):
    X, y = table[0].copy(), table[1]
    X[::7, 3] = np.nan
    options = {"n_features_to_select": 2, **QUICK}
    both = select_features(X, y, impute="median", preprocess="log1p", **options)
    one = make_pipeline(SimpleImputer(strategy="median"), FunctionTransformer(np.log1p))
    assert np.array_equal(
        both.predicted, select_features(X, y, preprocess=one, **options).predicted
    )
    assert [name for name, _ in both.model.steps][:2] == ["impute", "preprocess"]


def test_sparse_rows_stay_sparse(table):
    X, y = table
    X = np.where(X > 1.0, X, 0.0)
    options = {"preprocess": "log1p,norm", "n_features_to_select": 3, **QUICK}
    found = select_features(sparse.csr_array(X), y, **options)
    expected = make_pipeline(named_steps("log1p,norm"), SparseCenterClassifier(3, scale="std")).fit(
        X, y
    )
    assert np.array_equal(found.model.predict(sparse.csr_array(X)), expected.predict(X))


def test_a_table_of_words_and_numbers_is_encoded_inside_the_folds(mixed):
    frame, y = mixed
    encode = ColumnTransformer(
        [("kind", OneHotEncoder(), ["kind"]), ("rest", StandardScaler(), ["size"])]
    )
    found = select_features(frame, y, preprocess=encode, n_features_to_select=1, **QUICK)
    assert found.feature_names.tolist() == ["kind__kind_a", "kind__kind_b", "rest__size"]
    assert found.selected_names[0].startswith("kind__")
    assert found.model.predict(frame).shape == (48,)


def test_names_of_columns_are_those_that_the_steps_give(table):
    found = select_features(*table, preprocess=PCA(4), n_features_to_select=1, **QUICK)
    assert found.feature_names.tolist() == ["pca0", "pca1", "pca2", "pca3"]


def test_names_of_a_table_stay_with_what_keeps_columns(table):
    X, y = table
    names = [f"g{j}" for j in range(12)]
    options = {"preprocess": "snv", "n_features_to_select": 2, **QUICK}
    found = select_features(X, y, feature_names=names, **options)
    assert found.feature_names.tolist() == names
    frame = pd.DataFrame(X, columns=names)
    new = read_table(frame.iloc[:, ::-1])
    assert np.array_equal(predict_table(found.model, new).labels, found.model.predict(frame))


def test_columns_that_nobody_reads_need_not_be_there_behind_a_logarithm(table):
    X, y = table
    names = [f"g{j}" for j in range(12)]
    found = select_features(
        X, y, feature_names=names, preprocess="log1p", n_features_to_select=2, **QUICK
    )
    frame = pd.DataFrame(X, columns=names)
    few = read_table(frame[found.selected_names.tolist()])
    assert np.array_equal(predict_table(found.model, few).labels, found.model.predict(frame))


def test_blocks_are_left_out_before_anything_is_learned(table):
    X, y = table
    site = np.arange(60) % 3
    found = select_features(X, y, blocks=site, preprocess=PCA(5), n_features_to_select=2, **QUICK)
    model = make_pipeline(PCA(5), SparseCenterClassifier(2, scale="within"))
    for row, block in zip(found.blocks["rows"], range(3), strict=True):
        inside = site == block
        predicted = model.fit(X[~inside], y[~inside]).predict(X[inside])
        assert row["score"] == np.mean(predicted == y[inside])


def test_halves_are_preprocessed_each_by_itself(table):
    found = select_features(
        *table, preprocess=StandardScaler(), n_features_to_select=2, n_resamples=4, **QUICK
    )
    assert found.stability.selection_frequencies_.shape == (12,)


def test_members_of_a_comparison_have_the_steps_in_front(table):
    members = {"centers": SparseCenterClassifier(3, scale="within")}
    options = {"cv": 3, "n_repeats": 1, "random_state": 0}
    found = compare(members, *table, preprocess="log1p", **options)
    one = {"centers": make_pipeline(FunctionTransformer(np.log1p), members["centers"])}
    assert np.array_equal(found.scores, compare(one, *table, **options).scores)


def double(X):
    """Double the columns; nobody says what they are then."""
    return np.hstack([X, X])


@pytest.mark.parametrize(
    ("preprocess", "error", "words"),
    [
        (3, TypeError, "preprocess=3 must be a transformer, a Pipeline of them, names or None"),
        (StandardScaler, TypeError, "must be a transformer"),
        ("log", ValueError, "preprocess='log' must be among log1p, snv, savgol, norm"),
        (
            FunctionTransformer(double),
            ValueError,
            "makes 24 columns of 12 and has no get_feature_names_out",
        ),
        (
            FunctionTransformer(np.log),
            ValueError,
            "preprocess makes of X what cannot be used: .*NaN",
        ),
    ],
)
def test_steps_that_cannot_be_used_are_refused_before_any_work(table, preprocess, error, words):
    X, y = table
    X = X - 3.0  # so that there is no logarithm of some
    with np.errstate(invalid="ignore"), pytest.raises(error, match=words):
        select_features(X, y, preprocess=preprocess, progress=lambda *step: 1 / 0, **QUICK)


def test_columns_that_depend_on_the_fold_are_refused(table):
    X, y = table[0].copy(), table[1]
    X[:, 0] = 0.0
    X[0, 0] = 1.0
    with pytest.raises(ValueError, match="makes 12 columns with all samples and 11 with those of"):
        select_features(X, y, preprocess=VarianceThreshold(), **QUICK)


def test_halves_need_columns_that_stay(table):
    with pytest.raises(ValueError, match="n_resamples=2 must be 0 where preprocess makes other"):
        select_features(*table, preprocess=PCA(3), n_resamples=2, **QUICK)


class BrokenByFewer(TransformerMixin, BaseEstimator):
    """Loses every value if it has not seen all 60 samples."""

    def fit(self, X, y=None):
        self.n_seen_ = len(X)
        return self

    def transform(self, X):
        return X if self.n_seen_ == 60 else np.full(X.shape, np.nan)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("method", ["l2", "recursive"])
def test_what_is_learned_from_a_fold_is_checked_in_it(table, method):
    with pytest.raises(ValueError, match="contains NaN"):
        select_features(*table, method=method, preprocess=BrokenByFewer(), **QUICK)
