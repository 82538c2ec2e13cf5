"""Selections in AnnData, both ways; with the anndata that users have."""

import numpy as np
import pytest
from scipy import sparse

from centroidal import SparseCenterClassifier
from centroidal.feature_selection import ReliefFSelector
from centroidal.io import evaluate_model, predict_table, read_table, write_anndata, write_back
from centroidal.model_selection import compare
from centroidal.streaming import batches

from ..l2 import select_features

anndata = pytest.importorskip("anndata")
pd = pytest.importorskip("pandas")

OPTIONS = {"preprocess": "normalise,log1p", "cv": 3, "n_repeats": 2, "random_state": 0}
GENES = [f"gene{j}" for j in range(12)]


@pytest.fixture
def adata(rng):
    """Cells of three types, in which genes 0, 1 and 2 are marks of one type each."""
    kinds = rng.choice(["B", "NK", "T"], size=120)
    rates = np.where(kinds[:, None] == np.array(["B", "NK", "T", *"---------"]), 9.0, 2.0)
    counts = rng.poisson(rates * rng.uniform(0.5, 3.0, size=(120, 1))).astype(np.float32)
    obs = {"kind": pd.Categorical(kinds), "donor": [f"d{i % 10}" for i in range(120)]}
    obs = pd.DataFrame(obs, index=[f"cell{i}" for i in range(120)])
    var = pd.DataFrame(index=GENES)
    return anndata.AnnData(sparse.csr_matrix(counts), obs=obs, var=var)


@pytest.fixture
def found(adata):
    return select_features(adata, target="kind", groups="donor", **OPTIONS)


def test_what_takes_values_alone_says_so(adata, found):
    y = adata.obs["kind"].to_numpy(dtype=str)
    model = SparseCenterClassifier().fit(adata.X, y)
    for call in (
        lambda: SparseCenterClassifier().fit(adata, y),
        lambda: ReliefFSelector().fit(adata, y),
        lambda: model.predict(adata),
        lambda: compare({"centers": model}, adata, y),
    ):
        with pytest.raises(TypeError, match=r"X is AnnData, of which .* adata.to_df\(\)"):
            call()
    with pytest.raises(TypeError, match=r"table=AnnData must be a Table; read_new_samples"):
        predict_table(model, adata)


def test_a_model_is_evaluated_on_annotated_data(adata):
    y = adata.obs["kind"].to_numpy(dtype=str)
    model = SparseCenterClassifier(3).fit(adata.to_df(), y)
    turned = adata[:, GENES[::-1]]
    scores = [evaluate_model(model, each, y).metrics["accuracy"] for each in (adata, turned)]
    assert scores[0] == scores[1] == model.score(adata.to_df(), y)


def test_columns_of_obs_are_found_by_name(adata, found):
    y, donors = (adata.obs[name].to_numpy(dtype=str) for name in ("kind", "donor"))
    expected = select_features(adata.X, y, groups=donors, feature_names=GENES, **OPTIONS)
    assert found.selected_names.tolist() == expected.selected_names.tolist()
    assert (found.score, found.interval) == (expected.score, expected.interval)
    assert (found.group_name, found.n_groups) == ("donor", 10)
    assert sorted(found.selected_names.tolist()) == ["gene0", "gene1", "gene2"]


def test_layer_is_read_in_place_of_x(adata, found):
    adata.layers["counts"] = adata.X
    adata.X = sparse.csr_matrix(adata.shape)
    other = select_features(adata, target="kind", layer="counts", groups="donor", **OPTIONS)
    assert other.score == found.score


def test_blocks_and_covariates_are_columns_of_obs_as_well(adata):
    adata.obs["batch"], adata.X = np.arange(120) % 2, adata.X.toarray()
    found = select_features(
        adata, target="kind", blocks="batch", covariates=["batch"], cv=3, n_repeats=1,
        random_state=0,
    )  # fmt: skip
    assert found.block_name == "batch"
    assert found.covariates["names"] == ("batch",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "target=None must name the column of obs with the labels"),
        ({"target": "kinds"}, "AnnData has no column of obs 'kinds'. Did you mean 'kind'?"),
        ({"target": "kind", "groups": "patient"}, "AnnData has no column of obs 'patient'"),
        ({"target": "kind", "layer": "raw"}, "AnnData has no layer 'raw'"),
        ({"target": "kind", "y": [1]}, "y must be None: target='kind' names the labels"),
    ],
    ids=str,
)
def test_what_is_not_there_is_refused_in_words(options, message, adata):
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        select_features(adata, **options)


def test_missing_labels_are_refused_with_the_names_of_cells(adata):
    adata.obs.loc["cell7", "kind"] = None
    with pytest.raises(ValueError, match="1 of 120 samples have no label in 'kind'.*'cell7'"):
        select_features(adata, target="kind")


def test_repeated_names_of_genes_are_refused(adata):
    adata.var_names = ["gene", "gene", *GENES[2:]]
    with pytest.raises(ValueError, match="'gene' occurs more than once"):
        select_features(adata, target="kind")


def test_anndata_that_is_still_in_its_file_is_refused_with_advice(adata, tmp_path):
    adata.write_h5ad(tmp_path / "t.h5ad")
    backed = anndata.read_h5ad(tmp_path / "t.h5ad", backed="r")
    with pytest.raises(ValueError, match=r"still in its file: batches\('.*t\.h5ad', target="):
        select_features(backed, target="kind")
    backed.file.close()


def test_layers_are_for_anndata_and_names_of_labels_in_place_of_labels():
    with pytest.raises(ValueError, match="layer='raw' must be None: it is for AnnData, and X is"):
        select_features(np.eye(4), [0, 1, 0, 1], layer="raw")
    with pytest.raises(ValueError, match="target='kind' must be None: labels are given beside X"):
        select_features(np.eye(4), [0, 1, 0, 1], target="kind")


# ------------------------------------------------------------------ what is written


def test_genes_and_cells_are_told_of(adata, found):
    assert write_anndata(found, adata, target="kind", training=True) is adata
    var, obs = adata.var, adata.obs
    assert var.index[var["centroidal_selected"]].tolist() == sorted(found.selected_names.tolist())
    ranked = var["centroidal_rank"].dropna().sort_values()
    assert ranked.index.tolist() == found.selected_names.tolist()
    assert var.loc[["gene0", "gene1", "gene2"], "centroidal_marker_of"].tolist() == ["B", "NK", "T"]
    expected = predict_table(found.model, read_table(adata))
    assert obs["centroidal_prediction"].tolist() == expected.labels.tolist()
    np.testing.assert_array_equal(obs["centroidal_probability"], expected.probabilities.max(axis=1))
    assert obs["centroidal_held_out"].tolist() == found.classes[found.predicted[0]].tolist()


def test_cells_without_a_call_are_missing(adata, found):
    write_anndata(found, adata, no_call=0.02)
    expected = predict_table(found.model, read_table(adata), no_call=0.02)
    is_called = expected.credible.sum(axis=1) == 1
    assert 0 < is_called.sum() < 120
    np.testing.assert_array_equal(adata.obs["centroidal_prediction"].notna(), is_called)
    assert adata.obs["centroidal_credible"].tolist() == expected.credible_names


def test_markers_of_each_class_come_first_in_its_ranking(adata, found):
    write_anndata(found, adata, target="kind")
    ranked = adata.uns["rank_genes_groups"]
    assert ranked["names"].dtype.names == ("B", "NK", "T")
    assert [ranked["names"][kind][0] for kind in ("B", "NK", "T")] == ["gene0", "gene1", "gene2"]
    assert all((np.diff(ranked["scores"][kind]) <= 0).all() for kind in ("B", "NK", "T"))
    assert ranked["params"]["groupby"] == "kind"
    assert ranked["params"]["reference"] == "rest"


def test_fold_changes_and_scores_are_those_of_plain_means(adata, found):
    write_anndata(found, adata, target="kind")
    X = adata.X.toarray().astype(float)
    X = np.log1p(X / X.sum(axis=1, keepdims=True) * 1e4)
    is_b = (adata.obs["kind"] == "B").to_numpy()
    one, rest = X[is_b, 0].mean(), X[~is_b, 0].mean()
    kinds = adata.obs["kind"].to_numpy(dtype=str)
    within = sum(((X[kinds == k, 0] - X[kinds == k, 0].mean()) ** 2).sum() for k in set(kinds))
    ranked = adata.uns["rank_genes_groups"]
    change = np.log2(np.expm1(one) / np.expm1(rest))
    np.testing.assert_allclose(ranked["logfoldchanges"]["B"][0], change, rtol=1e-5)
    expected = (one - rest) / np.sqrt(within / 120)
    np.testing.assert_allclose(ranked["scores"]["B"][0], expected, rtol=1e-5)


def test_values_that_are_no_logarithms_have_no_fold_changes(adata):
    found = select_features(adata, target="kind", cv=3, n_repeats=1, random_state=0)
    write_anndata(found, adata)
    assert np.isnan(adata.uns["rank_genes_groups"]["logfoldchanges"]["B"]).all()
    assert adata.uns["rank_genes_groups"]["params"]["groupby"] == "centroidal_prediction"


def test_other_cells_are_matched_by_the_names_of_genes(adata, found):
    other = adata[:50, GENES[::-1]].copy()
    write_anndata(found, other, target="kind")
    expected = predict_table(found.model, read_table(adata)).labels[:50]
    assert other.obs["centroidal_prediction"].tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "kinds"}, "AnnData has no column of obs 'kinds'"),
        ({"training": True}, "training=True must be False for 50 cells: .* made with 120"),
    ],
    ids=str,
)
def test_wrong_wishes_are_refused_in_words(options, message, adata, found):
    with pytest.raises(ValueError, match=message):
        write_anndata(found, adata[:50].copy(), **options)


# ------------------------------------------------------------------ files


def test_file_gets_what_an_object_gets(adata, found, tmp_path):
    adata.write_h5ad(tmp_path / "t.h5ad")
    options = {"target": "kind", "training": True, "no_call": 0.1}
    write_back(found, tmp_path / "t.h5ad", tmp_path / "u.h5ad", **options, batch_size=50)
    written = anndata.read_h5ad(tmp_path / "u.h5ad")
    write_anndata(found, adata, **options)
    pd.testing.assert_frame_equal(written.obs, adata.obs)
    pd.testing.assert_frame_equal(written.var, adata.var)
    np.testing.assert_array_equal(written.X.toarray(), adata.X.toarray())
    mine, other = (each.uns["rank_genes_groups"] for each in (adata, written))
    assert mine["names"]["T"].tolist() == other["names"]["T"].tolist()
    np.testing.assert_array_equal(mine["scores"]["T"], other["scores"]["T"])
    assert other["params"]["groupby"] == "kind"


def test_file_is_written_in_its_own_place_and_again(adata, tmp_path):
    path = tmp_path / "t.h5ad"
    adata.write_h5ad(path)
    rows = batches(path, target="kind", groups="donor", preprocess="normalise,log1p")
    found = select_features(rows, cv=3, random_state=0)
    for _ in range(2):
        write_back(found, path, target="kind")
    assert list(tmp_path.iterdir()) == [path]
    assert "centroidal_prediction" in anndata.read_h5ad(path).obs


def test_file_that_exists_is_not_overwritten(adata, found, tmp_path):
    for name in ("t.h5ad", "u.h5ad"):
        adata.write_h5ad(tmp_path / name)
    with pytest.raises(FileExistsError, match=r"u\.h5ad exists; force=True overwrites it"):
        write_back(found, tmp_path / "t.h5ad", tmp_path / "u.h5ad", target="kind")


def test_batches_keep_no_predictions_of_cells(adata, tmp_path):
    adata.write_h5ad(tmp_path / "t.h5ad")
    found = select_features(batches(tmp_path / "t.h5ad", target="kind"), cv=3, random_state=0)
    with pytest.raises(ValueError, match="training=True must be False for a selection from batch"):
        write_back(found, tmp_path / "t.h5ad", target="kind", training=True)
