"""The registry of methods: how each is called, what it does, when to pick it, and how it is built.

Everything that names methods reads this list: the command line and its help, the cards of the
report, the line-up of `compare`, tables of the documentation, and tests. A key means the same
everywhere. Importing the list loads nothing; what a method needs is imported when it is built.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

__all__ = [
    "ANY",
    "AUTO",
    "BEST",
    "CLASSIFIERS",
    "DEFAULT",
    "METHODS",
    "METRICS",
    "PROBABILITY_SCORES",
    "SCORES",
    "SCORINGS",
    "DataKind",
    "Method",
    "best_candidates",
    "draw_folds_once",
    "lineup_methods",
    "meant_method",
    "metric_of",
    "plain_score",
    "register_method",
    "selection_methods",
]

AUTO = "auto"  # stands for one method, by the kind of the samples, see `meant_method`
DEFAULT = AUTO
ANY = "any"  # stands for whichever classifier behind a ranking the folds prefer
CLASSIFIERS = (
    AUTO, ANY, "whitened centers", "nearest centers", "linear SVM", "logistic regression",
)  # fmt: skip


class Score(NamedTuple):
    """What a score is called, and how its values are told."""

    name: str  # in a sentence
    title: str  # in full
    is_share: bool = False  # of samples, which is told as a percentage
    is_loss: bool = False  # of which less is better


# Those that follow from a confusion matrix.
SCORES = {
    "accuracy": Score("accuracy", "accuracy", True),
    "balanced_accuracy": Score(
        "mean recall", "balanced accuracy (the mean recall of the classes)", True
    ),
    "f1_macro": Score("mean F1", "F1 score (the mean over the classes)"),
    "matthews_corrcoef": Score("Matthews correlation", "Matthews correlation coefficient"),
}
# Those that need the probabilities of the classes, too.
PROBABILITY_SCORES = {
    "roc_auc": Score("ROC AUC", "area under the ROC curve"),
    "average_precision": Score("average precision", "average precision"),
    "log_loss": Score("log loss", "log loss (less is better)", is_loss=True),
    "brier_score": Score("Brier score", "Brier score (less is better)", is_loss=True),
}
METRICS = {
    **SCORES,
    **PROBABILITY_SCORES,
    "cost": Score("mean cost", "mean cost of a prediction (less is better)", is_loss=True),
}
# What `scoring` may be: of losses the negative, as scikit-learn has it, so that more is better.
SCORINGS = tuple(f"neg_{key}" if each.is_loss else key for key, each in METRICS.items())


def metric_of(scoring):
    """Return the key of the metric that a scoring is, or is the negative of."""
    return scoring.removeprefix("neg_")


def plain_score(value, scoring):
    """Return a value as people are told it: a loss is positive."""
    return -value if scoring.startswith("neg_") else value


BEST = "best"  # stands for whichever of several methods does best in the folds
_MOST_FOR_ENCODER = 256  # features: as many as classifiers are tried with
_MOST_FOR_RECURSIVE = 1000  # samples: its Gram matrices grow with their square
_N_FOLDS = 5
_TOL_FOR_RANKS = 1e-4  # only the order of the features is wanted of the l2,1 problem
_THRESHOLDS = (0.5, 1.0, 2.0, 3.0, 4.0)
_WEAKNESS = 0.1  # of the penalty of logistic regression on features of unit variance
_MARGIN = 0.01  # C of a support vector machine on few such features
_PENALTIES = (0.05, 0.2, 1.0, 5.0)
_MARGINS = (0.001, 0.01, 0.1, 1.0)  # C of support vector machines
_RIDGES = (1e1, 1e2, 1e3, 1e4, 1e5)
_COMPONENTS = (2, 4, 8, 12)
_STEP = 0.3  # share of all features that a round of SVM-RFE leaves out


class DataKind(NamedTuple):
    """What a method has to know of the data, and of the folds that it chooses by."""

    n_features: int
    n_classes: int = 2
    is_sparse: bool = False
    seed: int | None = None
    cv: Any = None
    scoring: Any = None
    sizes: Any = None  # numbers of features to try, where each of them costs a fit
    classifier: str = AUTO  # behind a ranking: one by name, ANY, or AUTO: of a method


@dataclass(frozen=True)
class Method:
    """A way to select features and to classify, or to classify alone.

    Attributes
    ----------
    key : str
        What it is called in calls, commands and tables.
    title : str
        What it is called in text.
    summary : str
        What it does, in a line.
    description, pick, avoid : str
        What it does, when to pick it and when not, in a few sentences.
    reference : str
        Where it comes from.
    build : callable
        Takes a :class:`DataKind`; returns a procedure if the method selects (see `procedures.py`),
        else a classifier.
    link : str or None
        Address of the reference.
    selects : bool
        Whether :func:`select_features` can use it; the others only take part in comparisons.
    needs : frozenset of str
        "dense" for data that are not sparse, "torch" for PyTorch.
    streams : bool
        Whether it can be used out-of-core, on data that do not fit in memory.
    threads : bool
        Whether its work is done by compiled loops, so that threads are enough.
    is_costly : bool
        Whether "best" leaves it out.
    is_reference : bool
        Whether it is there only to be beaten.
    center : str
        What the center of a class is.
    types : tuple of str
        Classes, by dotted name, that model files must be allowed to hold for it.
    """

    key: str
    title: str
    summary: str
    description: str
    pick: str
    avoid: str
    reference: str
    build: Callable
    link: str | None = None
    selects: bool = False
    needs: frozenset = frozenset()
    streams: bool = False
    threads: bool = False
    is_costly: bool = False
    is_reference: bool = False
    center: str = "mean"
    types: tuple = ()

    def takes(self, is_sparse: bool) -> bool:
        """Whether it can be used on such data."""
        return not (is_sparse and "dense" in self.needs)


METHODS: dict[str, Method] = {}


def register_method(method: Method) -> None:
    """Add a :class:`Method`, whose key must not be taken; then it is known everywhere."""
    if method.key in METHODS or method.key in (AUTO, BEST):
        raise ValueError(f"key={method.key!r} is the key of another method.")
    if method.types:
        from ..persistence import trust

        trust(*method.types)
    METHODS[method.key] = method


def selection_methods():
    """Return the methods that :func:`select_features` knows, by key."""
    return {key: each for key, each in METHODS.items() if each.selects}


def meant_method(method, *, n_samples=0, in_memory=True, is_sparse=False, has_budget=False):
    """Return the key of the method that is meant, and why; None unless "auto" stands for it."""
    if method != AUTO:
        return method, None
    others = {
        "for rows that are not in memory": not in_memory,
        "for sparse rows, such as those of text": is_sparse,
        f"for more than {_MOST_FOR_RECURSIVE:,} samples": n_samples > _MOST_FOR_RECURSIVE,
        "for a budget, which it spends exactly": has_budget,
    }
    reason = next((words for words, holds in others.items() if holds), None)
    if reason is not None:
        return "l2", reason
    return "recursive", f"for up to {_MOST_FOR_RECURSIVE:,} dense samples in memory"


def merging_methods():
    """Return the keys of methods whose training sets are sums of parts, as workers find them."""
    streamed = [key for key, each in selection_methods().items() if each.streams]
    return [key for key in streamed if METHODS[key].build(DataKind(2)).merges]


def best_candidates(is_sparse):
    """Return the keys of the methods that "best" tries."""
    return tuple(
        key
        for key, each in selection_methods().items()
        if each.takes(is_sparse) and not each.is_costly
    )


def draw_folds_once(keys):
    """Whether folds are drawn once if nothing is said: several methods, or networks, take long."""
    return len(keys) > 1 or any("torch" in METHODS[key].needs for key in keys)


def lineup_methods(is_sparse, neural):
    """Return the methods of the default comparison, by key."""
    return {
        key: each
        for key, each in METHODS.items()
        if each.takes(is_sparse) and (neural or "torch" not in each.needs)
    }


# ------------------------------------------------------------------ how they are built


def _build_l2(kind):
    # Sparse data are divided by what leaves zeros alone.
    return _build_centers(kind, scale="std" if kind.is_sparse else "within")


def _build_l1(kind):
    return _build_centers(kind, metric="l1", scale="mad")


def _build_centers(kind, **parameters):
    """Build sparse centers, or their ranking where something else is to classify by it."""
    from .procedures import CentersProcedure

    centers = CentersProcedure.of(**parameters)
    if kind.classifier in (AUTO, *centers.classifiers):
        return centers
    return _rank_and_classify(kind, centers.estimator)


def _build_disjoint(kind):
    from ..classifiers import DisjointCentroidClassifier
    from ..feature_selection import MarginSelector

    own = {"disjoint centroids": DisjointCentroidClassifier("margin")}
    return _rank_and_classify(kind, MarginSelector(), own, fewest=kind.n_classes)


def _build_fisher(kind):
    from sklearn.feature_selection import SelectFromModel

    from ..classifiers import FisherSubspaceClassifier

    rule = FisherSubspaceClassifier()
    selector = SelectFromModel(
        rule, threshold=float("-inf"), importance_getter="feature_importances_"
    )
    return _rank_and_classify(kind, selector, {"Fisher subspace": rule}, limit="max_features")


def _rank_by(name, kind, **options):
    """Build what ranks by one of our selectors."""
    from .. import feature_selection

    return _rank_and_classify(kind, getattr(feature_selection, name)(**options))


def _build_encoder(kind):
    from ..feature_selection import ReliefFSelector, SparseCentroidEncoder

    is_wide = kind.n_features > _MOST_FOR_ENCODER
    prefilter = ReliefFSelector(_MOST_FOR_ENCODER) if is_wide else None
    return _rank_and_classify(
        kind, SparseCentroidEncoder(prefilter=prefilter, random_state=kind.seed)
    )


def _rank_and_classify(kind, ranker, own=None, **options):
    """Build what classifies behind a ranking, by the classifiers of all or by one of its own."""
    from .procedures import RankedProcedure

    classifiers = _plain_classifiers(kind) | (own or {})
    if kind.classifier not in (AUTO, ANY):
        classifiers = {kind.classifier: classifiers[kind.classifier]}
    return RankedProcedure(_scaler(kind), ranker, classifiers, **options)


def _plain_classifiers(kind):
    """Return the classifiers behind a ranking: the first, unless the folds speak for another."""
    from sklearn.linear_model import LogisticRegression

    from ..classifiers import SparseCenterClassifier, WhitenedCenterClassifier
    from .linear_svm import ProbabilityLinearSVC

    balanced = {"class_weight": "balanced"}
    return {
        "whitened centers": WhitenedCenterClassifier(),
        "nearest centers": SparseCenterClassifier(scale="std" if kind.is_sparse else "within"),
        "linear SVM": ProbabilityLinearSVC(C=_MARGIN, max_iter=10_000, random_state=0, **balanced),
        "logistic regression": LogisticRegression(C=_WEAKNESS, max_iter=1000, **balanced),
    }


def _scaler(kind):
    from sklearn.preprocessing import StandardScaler

    return StandardScaler(with_mean=not kind.is_sparse)


def _build_fisher_all(kind):
    from sklearn.pipeline import make_pipeline

    from .fisher_subspace_cv import FisherSubspaceClassifierCV

    return make_pipeline(
        _scaler(kind), FisherSubspaceClassifierCV(cv=kind.cv, scoring=kind.scoring)
    )


def _build_whitened_all(kind):
    from ..classifiers import WhitenedCenterClassifier

    return WhitenedCenterClassifier()


def _build_disjoint_baseline(kind):
    from .disjoint_centroid_cv import DisjointCentroidClassifierCV

    return DisjointCentroidClassifierCV(
        "margin", disjoint=False, scale="within", cv=kind.cv, scoring=kind.scoring
    )


def _build_nearest_centroid(kind):
    from sklearn.neighbors import NearestCentroid
    from sklearn.pipeline import make_pipeline

    return make_pipeline(_scaler(kind), NearestCentroid())


def _build_shrunken_centroids(kind):
    from sklearn.neighbors import NearestCentroid

    steps = {**_varying_steps(kind), "classify": NearestCentroid()}
    return _search(kind, steps, {"classify__shrink_threshold": list(_THRESHOLDS)})


def _build_f_test(kind):
    from sklearn.feature_selection import SelectKBest
    from sklearn.svm import LinearSVC

    steps = {**_varying_steps(kind), "select": SelectKBest(), "classify": LinearSVC()}
    return _search(kind, steps, {"select__k": list(kind.sizes)})


def _build_linear_svm(kind):
    steps = {"scale": _scaler(kind), "classify": _linear_svm()}
    return _search(kind, steps, {"classify__C": list(_MARGINS)})


def _build_svm_rfe(kind):
    from sklearn.feature_selection import RFE

    if kind.n_features == 1:  # of which RFE can leave out nothing
        return _build_linear_svm(kind)
    svm = _linear_svm(C=0.01)  # with more features than samples hardly anything depends on it
    steps = {"scale": _scaler(kind), "select": RFE(svm, step=_STEP), "classify": svm}
    return _search(kind, steps, {"select__n_features_to_select": list(kind.sizes)})


def _linear_svm(**options):
    from sklearn.svm import LinearSVC

    return LinearSVC(max_iter=10_000, **options)


def _build_ridge(kind):
    from sklearn.linear_model import RidgeClassifier

    steps = {"scale": _scaler(kind), "classify": RidgeClassifier()}
    return _search(kind, steps, {"classify__alpha": list(_RIDGES)})


def _build_shrinkage_lda(kind):
    from sklearn.covariance import LedoitWolf
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline

    # In the span of the samples, where no square matrix of all features is needed.
    rule = LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=LedoitWolf())
    return make_pipeline(_scaler(kind), PCA(), rule)


def _build_pls(kind):
    from .partial_least_squares import PLSDiscriminantClassifier

    steps = {"scale": _scaler(kind), "classify": PLSDiscriminantClassifier()}
    return _search(kind, steps, {"classify__n_components": list(_COMPONENTS)})


def _build_l1_logistic(kind):
    import sklearn
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.utils.fixes import parse_version

    is_new = parse_version(sklearn.__version__) >= parse_version("1.8")
    penalty = {"l1_ratio": 1.0} if is_new else {"penalty": "l1"}
    logistic = LogisticRegression(solver="liblinear", max_iter=1000, **penalty)
    steps = {"scale": _scaler(kind), "classify": OneVsRestClassifier(logistic)}
    return _search(kind, steps, {"classify__estimator__C": list(_PENALTIES)})


def _varying_steps(kind):
    """Return first steps for classifiers that divide by a spread of zero."""
    from sklearn.feature_selection import VarianceThreshold

    return {"varying": VarianceThreshold(), "scale": _scaler(kind)}


def _search(kind, steps, grid):
    """Return a search over the grid of a pipeline, by the folds."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import Pipeline

    return GridSearchCV(Pipeline(list(steps.items())), grid, cv=kind.cv, scoring=kind.scoring)


def _build_random_features(kind):
    from sklearn.utils.metadata_routing import get_routing_for_object

    from .random_features import RandomFeaturesClassifier

    # Only a number is wanted of the reference, so its folds need not keep groups together.
    asks_groups = get_routing_for_object(kind.cv).consumes("split", ["groups"])
    reference = kind._replace(cv=_N_FOLDS) if asks_groups else kind
    return RandomFeaturesClassifier(_build_l2(kind).classifier(reference))


def _build_plain(module, name, kind, **options):
    """Build a classifier of scikit-learn that has nothing to choose."""
    return getattr(import_module(f"sklearn.{module}"), name)(**options)


# ------------------------------------------------------------------ what they are

_CALAFIORE = {
    "reference": "G. C. Calafiore and G. Fracastoro, Sparse l1 and l2 center classifiers, IEEE "
    "Transactions on Neural Networks and Learning Systems 33 (2022), 996-1009.",
    "link": "https://doi.org/10.1109/TNNLS.2020.3036838",
}
_FRAIMAN = {
    "reference": "N. Fraiman and Z. Li, Classification with nearest disjoint centroids (2021), "
    "arXiv:2109.10436.",
    "link": "https://arxiv.org/abs/2109.10436",
}
_ROZZA = {
    "reference": "A. Rozza, Classifiers based on a new approach to estimate the Fisher subspace "
    "and their applications, thesis, University of Milan (2010).",
}
_NIE = {
    "reference": "F. Nie, H. Huang, X. Cai and C. Ding, Efficient and robust feature selection via "
    "joint l2,1-norms minimization, NeurIPS 23 (2010); with class centroids as targets: Y. Xia, "
    "W.-Y. Su and S. Kong, Feature selection via l2-distance to centroids (manuscript).",
}
_GUYON = {
    "reference": "Elimination: I. Guyon, J. Weston, S. Barnhill and V. Vapnik, Gene selection for "
    "cancer classification using support vector machines, Machine Learning 46 (2002), 389-422.",
    "link": "https://doi.org/10.1023/A:1012487302797",
}
_RELIEF = {
    "reference": "I. Kononenko, Estimating attributes: analysis and extensions of RELIEF, ECML "
    "(1994), 171-182.",
    "link": "https://doi.org/10.1007/3-540-57868-4_57",
}
_ENCODER = {
    "reference": "T. Ghosh and M. Kirby, Nonlinear feature selection using sparsity-promoted "
    "centroid-encoder, Neural Computing and Applications (2023).",
    "link": "https://doi.org/10.1007/s00521-023-08938-7",
}
_LINEAR_ENCODER = {
    "reference": "T. Ghosh, K. Karimov and M. Kirby, Sparse linear centroid-encoder: a biomarker "
    "selection tool for high dimensional biological data, IEEE BIBM (2023), arXiv:2306.04824.",
    "link": "https://arxiv.org/abs/2306.04824",
}
_TIBSHIRANI = {
    "reference": "R. Tibshirani, T. Hastie, B. Narasimhan and G. Chu, Diagnosis of multiple cancer "
    "types by shrunken centroids of gene expression, PNAS 99 (2002), 6567-6572.",
    "link": "https://doi.org/10.1073/pnas.082099299",
}
_SKLEARN = {
    "reference": "F. Pedregosa et al., Scikit-learn: machine learning in Python, JMLR 12 (2011), "
    "2825-2830.",
}
_BREIMAN = {
    "reference": "L. Breiman, Random forests, Machine Learning 45 (2001), 5-32.",
    "link": "https://doi.org/10.1023/A:1010933404324",
}
_LEDOIT = {
    "reference": "O. Ledoit and M. Wolf, A well-conditioned estimator for large-dimensional "
    "covariance matrices, Journal of Multivariate Analysis 88 (2004), 365-411.",
    "link": "https://doi.org/10.1016/S0047-259X(03)00096-4",
}
_SCHAEFER = {
    "reference": "J. Schäfer and K. Strimmer, A shrinkage approach to large-scale covariance "
    "matrix estimation and implications for functional genomics, Statistical Applications in "
    "Genetics and Molecular Biology 4 (2005), 32.",
    "link": "https://doi.org/10.2202/1544-6115.1175",
}
_BARKER = {
    "reference": "M. Barker and W. Rayens, Partial least squares for discrimination, Journal of "
    "Chemometrics 17 (2003), 166-173.",
    "link": "https://doi.org/10.1002/cem.785",
}
_NO_METHOD = {"reference": "A reference, not a method.", "is_reference": True}
_DENSE, _TORCH = frozenset({"dense"}), frozenset({"torch"})

_OURS = [
    Method(
        "l2",
        "Sparse l2 centers",
        "sparse centers: features whose class means are furthest apart",
        "Each class has a center, its mean, and a sample goes to the class of the nearest one. The "
        "centers may differ in k features only; those whose class means lie farthest apart are "
        "kept. The optimum is found exactly, for every k at once.",
        "Most tables in which some columns matter each by itself. It is among the fastest and the "
        "most stable.",
        "Features are judged one at a time: copies of the same information are all kept, and what "
        "only a combination shows is missed. A few wild samples can move a mean.",
        build=_build_l2,
        streams=True,
        threads=True,
        **_CALAFIORE,
    ),
    Method(
        "l1",
        "Sparse l1 centers",
        "sparse centers by medians, which outliers do not move",
        "As sparse l2 centers, but the center of a class is its median and distances are sums of "
        "absolute differences. A few wild values move a median little.",
        "Dense data with outliers, such as expression measurements.",
        "Word counts and other features that are mostly zero: all their medians are zero. Without "
        "outliers l2 was a little more accurate. Copies of the same information are all kept.",
        build=_build_l1,
        needs=_DENSE,
        center="median",
        streams=True,
        threads=True,
        **_CALAFIORE,
    ),
    Method(
        "disjoint",
        "Disjoint centroids",
        "features in which a class is steady, even where all means are equal",
        "Every class is recognised by features of its own, those on which its samples lie close "
        "together. A sample goes to the class on whose features it is nearest, on average, to the "
        "class mean.",
        "Classes that differ in what varies little in them, even where their means are the same.",
        "A feature chosen for a class is not a marker of it: a gene that is switched on in one "
        "class often speaks for the classes in which it is quiet. Copies of the same information "
        "are all kept. Gaussian naive Bayes does about as well on the simulations made for this "
        "method.",
        build=_build_disjoint,
        **_FRAIMAN,
    ),
    Method(
        "fisher",
        "Fisher subspace",
        "features with the largest weights in the Fisher subspace",
        "A few directions that vary strongly in all classes, such as a batch or a baseline, are "
        "damped; then the class means decide. Features are ranked by their weight in the result, "
        "and the same is done with the first of them.",
        "Strong directions that have nothing to do with the classes hide the difference between "
        "them.",
        "No direction is much stronger than the others. Features that are nearly copies share a "
        "weight in no stable way. On real gene expression a linear support vector machine was a "
        "little better.",
        build=_build_fisher,
        **_ROZZA,
    ),
    Method(
        "l21",
        "l2,1 centroid selection",
        "features that a convex l2,1 problem keeps, then a classifier that the folds choose",
        "Looks for few features from which the centroid of the class of each sample can be "
        "reconstructed by a linear map. The problem is convex, and the solution comes with a "
        "certificate of how near the optimum it is.",
        "Redundant features, of which few that complement each other are wanted.",
        "A list that must not change: of two copies it keeps one, and which one is a matter of "
        "small differences.",
        build=partial(_rank_by, "L21CentroidSelector", tol=_TOL_FOR_RANKS),
        **_NIE,
    ),
    Method(
        "recursive",
        "Recursive ridge elimination",
        "features that ridge regression can do without last, then a classifier that the folds "
        "choose",
        "The classes are regressed on all features; those that matter least are left out, and so "
        "on. On those that stay longest a sample goes to the nearest class mean, in the metric of "
        "correlations; or without them, or a linear support vector machine or logistic regression "
        "decides, where that is clearly better in the folds.",
        "A short list with the best accuracy: features are judged together, so that of copies one "
        "is enough.",
        "A list of all features that have to do with the classes: it leaves out what others say "
        "as well.",
        build=partial(_rank_by, "RecursiveRidgeSelector"),
        **_GUYON,
    ),
    Method(
        "relief",
        "ReliefF",
        "features that differ between near samples of different classes (ReliefF), then a "
        "classifier that the folds choose",
        "A feature scores if it differs between neighbours of different classes more than between "
        "neighbours of the same class. Neighbours are found with all features, so that "
        "combinations count.",
        "Features that matter only together; missing values. It is fast and stable.",
        "Thousands of features that are noise make neighbours meaningless. Copies of the same "
        "information are all kept.",
        build=partial(_rank_by, "ReliefFSelector"),
        **_RELIEF,
    ),
    Method(
        "linear",
        "Linear centroid-encoder",
        "features that a sparse linear centroid-encoder keeps, then a classifier that the folds "
        "choose",
        "Weighted features are projected on a few axes so that samples come near the centroid of "
        "their class; the weights are a lasso, most of them zero.",
        "A few axes to draw are wanted beside the features.",
        "A list that must not change: like other penalties it keeps one of several copies.",
        build=partial(_rank_by, "LinearCentroidEncoder"),
        is_costly=True,
        **_LINEAR_ENCODER,
    ),
    Method(
        "encoder",
        "Sparse centroid-encoder",
        "features that a sparse centroid-encoder, a network, keeps, then a classifier that the "
        "folds choose",
        "A neural network maps each sample to the centroid of its class, through a layer with one "
        "weight for each feature; a penalty makes most of these weights zero.",
        "You want the representation that the network learns as well.",
        "A short list to rely on: the problem has many minima, another seed may keep quite other "
        "features, and it is the slowest.",
        build=_build_encoder,
        needs=_TORCH,
        is_costly=True,
        **_ENCODER,
    ),
]

_CLASSIFIERS = [
    Method(
        "fisher-all",
        "Fisher subspace, all features",
        "nearest class means in the Fisher subspace of all features",
        "A few directions that vary strongly in all classes are damped; then the class means "
        "decide. How many directions is chosen by the folds. No feature is left out.",
        "Accuracy counts more than a short list.",
        "Few features are wanted.",
        build=_build_fisher_all,
        **_ROZZA,
    ),
    Method(
        "whitened-all",
        "Whitened centers, all features",
        "nearest class means in the metric of the covariance inside the classes",
        "A sample goes to the class of the nearest mean, where distances are those of Mahalanobis, "
        "with shrunken correlations inside the classes. No feature is left out.",
        "Accuracy counts more than a short list: features that vary together are not counted "
        "twice.",
        "Few features are wanted.",
        build=_build_whitened_all,
        **_SCHAEFER,
    ),
    Method(
        "disjoint-all",
        "Disjoint centroids, all features",
        "disjoint centroids that leave out features below a baseline",
        "Every class is recognised by features of its own; features that speak for no class more "
        "than a baseline does are left out. The weight of the baseline is chosen by the folds.",
        "Classes that differ in what varies little in them, and no short list is wanted.",
        "Few features are wanted: it keeps most of them.",
        build=_build_disjoint_baseline,
        **_FRAIMAN,
    ),
    Method(
        "nearest centroid",
        "Nearest centroid",
        "nearest class means, all features",
        "A sample goes to the class whose mean is nearest, over all features.",
        "All features are informative, or there are few of them.",
        "Most features are noise: they all have a say.",
        build=_build_nearest_centroid,
        **_SKLEARN,
    ),
    Method(
        "shrunken centroids",
        "Shrunken centroids",
        "nearest class means, drawn towards the common mean by a threshold",
        "Class means are drawn towards the common mean by a threshold; features in which they "
        "meet it have no say.",
        "Few of many features matter, as for sparse centers.",
        "The number of features is steered only indirectly, by the threshold.",
        build=_build_shrunken_centroids,
        needs=_DENSE,
        **_TIBSHIRANI,
    ),
    Method(
        "F test + SVM",
        "F test and support vector machine",
        "features of the highest F statistic, then a linear support vector machine",
        "Keeps the features with the largest F statistic and separates the classes by planes with "
        "a wide margin.",
        "A plain, strong choice for features that matter each by itself.",
        "Features that matter only in combination; copies are all kept.",
        build=_build_f_test,
        **_SKLEARN,
    ),
    Method(
        "linear SVM",
        "Linear support vector machine",
        "a linear support vector machine, all features",
        "Separates the classes by planes with a wide margin, one for each class, with all "
        "features.",
        "Accuracy with many features counts, and nothing else: it is hard to beat.",
        "Few features, or probabilities, are wanted.",
        build=_build_linear_svm,
        **_SKLEARN,
    ),
    Method(
        "SVM-RFE",
        "Recursive elimination by support vector machines",
        "features that a linear support vector machine keeps when the smallest weights go",
        "A linear support vector machine is fitted, the features with the smallest weights are "
        "left out, and so on, 30 % of all features a round.",
        "A short list of features that are judged together.",
        "Time counts: it is fitted anew in each round, and for each number of features.",
        build=_build_svm_rfe,
        **_GUYON,
    ),
    Method(
        "ridge",
        "Ridge regression of the classes",
        "ridge regression of the classes, all features",
        "Indicators of the classes are regressed on all features, with a penalty on the squared "
        "weights; the largest prediction decides.",
        "A plain, fast and strong choice where all features may have a say.",
        "Few features are wanted.",
        build=_build_ridge,
        **_SKLEARN,
    ),
    Method(
        "shrinkage LDA",
        "Shrinkage discriminant analysis",
        "linear discriminant analysis with a shrunken covariance, all features",
        "Linear discriminant analysis, with the covariance inside the classes drawn towards a "
        "multiple of the identity by the formula of Ledoit and Wolf.",
        "Accuracy counts more than a short list, and nothing is to be chosen.",
        "Few features are wanted.",
        build=_build_shrinkage_lda,
        needs=_DENSE,
        **_LEDOIT,
    ),
    Method(
        "PLS-DA",
        "Partial least squares discriminant analysis",
        "regression of the classes on few latent variables",
        "Partial least squares finds a few mixtures of all features that vary together with the "
        "classes, and regresses the classes on them.",
        "Spectra, and wherever a few mixtures to draw are wanted.",
        "Few features are wanted; many classes need many mixtures.",
        build=_build_pls,
        needs=_DENSE,
        **_BARKER,
    ),
    Method(
        "l1 logistic",
        "Logistic regression with an l1 penalty",
        "logistic regression with an l1 penalty",
        "A linear classifier whose penalty makes most coefficients zero.",
        "Redundant features, of which few are wanted.",
        "A list that must not change; the number of features is steered only indirectly.",
        build=_build_l1_logistic,
        **_SKLEARN,
    ),
    Method(
        "random forest",
        "Random forest",
        "many decision trees that vote",
        "Many decision trees, each grown from other samples and other features, vote.",
        "Features that matter only in combination, or by thresholds.",
        "A short list of features: it looks at nearly all of them.",
        build=partial(_build_plain, "ensemble", "RandomForestClassifier"),
        **_BREIMAN,
    ),
    Method(
        "naive Bayes",
        "Gaussian naive Bayes",
        "a mean and a variance for each class and feature",
        "Knows mean and variance of every feature in every class and treats the features as "
        "independent.",
        "Features that are independent inside the classes, and classes that differ in variance.",
        "Many correlated features: on gene expression it was poor.",
        build=partial(_build_plain, "naive_bayes", "GaussianNB"),
        needs=_DENSE,
        **_SKLEARN,
    ),
    Method(
        "random features",
        "Random features",
        "as many features as l2 selects, drawn at random",
        "As many features as were selected, drawn by lot, and a plain classifier on them. It is "
        "there to be beaten.",
        "Always, as a reference: on a table with many informative features random ones do well.",
        "As a way to find anything.",
        build=_build_random_features,
        **_NO_METHOD,
    ),
    Method(
        "majority class",
        "Majority class",
        "always the largest class, no features at all",
        "Every sample is given to the largest class.",
        "Always, as a reference: with unbalanced classes its accuracy is high.",
        "As a way to find anything.",
        build=partial(_build_plain, "dummy", "DummyClassifier", strategy="most_frequent"),
        **_NO_METHOD,
    ),
]

for _method in (*(replace(each, selects=True) for each in _OURS), *_CLASSIFIERS):
    register_method(_method)
