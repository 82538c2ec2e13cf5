"""The rows of the tables: the thesis's methods under their names there, and the peers.

Names of the thesis: IPCAC whitens fully, IPCAC_var keeps the components with 99 % of the variance,
TIPCAC whitens the first log2(N)^2 of them and leaves the rest alone, O-IPCAC is the same in one
pass, K- is the same with a Gaussian kernel, P-IPCAC lets pairs of clusters vote, and DDAG decides
between many classes two by two.
"""

from functools import reduce

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import PassiveAggressiveClassifier, Perceptron, SGDClassifier
from sklearn.metrics import pairwise_distances_argmin
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.fixes import parse_version

from centroidal import (
    DecisionDAGClassifier,
    FisherSubspace,
    FisherSubspaceClassifier,
    FisherSubspaceClassifierCV,
    KernelFisherSubspaceClassifier,
    MixtureFisherClassifier,
    OnlineFisherSubspaceClassifier,
)
from centroidal.solvers.thresholds import find_threshold

from .protocol import Method

RULES = ("strict", "inclusive", "mahalanobis")
SHARE = 0.99  # of the variance that IPCAC_var and the kernel methods of table 5.3 keep
SHARE_OF_REAL = 0.999  # the same in table 5.6
SHARE_OF_PROTEINS = 0.955  # the same in chapter 6
N_PARTS = 4
BATCH = 100  # points that an online method of the tables learns from at a time


class OnOnePart(ClassifierMixin, BaseEstimator):
    """A classifier that sees a random half of the training part (section 3.7, experiment 2)."""

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y):
        """Fit on the first of the overlapping parts."""
        part = overlapping_parts(len(y))[0]
        self.estimator_ = clone(self.estimator).fit(X[part], y[part])
        self.classes_ = self.estimator_.classes_
        return self

    def predict(self, X):
        """Predict as the estimator does."""
        return self.estimator_.predict(X)


class Merged(OnOnePart):
    """MM-IPCAC: models of overlapping parts, merged."""

    def fit(self, X, y):
        """Fit one model a part and merge them."""
        models = [clone(self.estimator).fit(X[p], y[p]) for p in overlapping_parts(len(y))]
        self.estimator_ = reduce(lambda one, other: one.merge(other), models)
        self.classes_ = self.estimator_.classes_
        return self


def overlapping_parts(n_samples):
    rng = np.random.default_rng(0)
    return [rng.permutation(n_samples)[: n_samples // 2] for _ in range(N_PARTS)]


class OnePass(ClassifierMixin, BaseEstimator):
    """An online classifier that sees every training point once."""

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y):
        """Update the estimator with all points in turn, in batches."""
        self.classes_, self.estimator_ = np.unique(y), clone(self.estimator)
        for start in range(0, len(y), BATCH):
            batch = slice(start, start + BATCH)
            self.estimator_.partial_fit(X[batch], y[batch], classes=self.classes_)
        return self

    def predict(self, X):
        """Predict as the estimator does."""
        return self.estimator_.predict(X)

    def decision_function(self, X):
        """Score as the estimator does."""
        return self.estimator_.decision_function(X)


class RidgeDiscriminant(LinearDiscriminantAnalysis):
    """Shrunk discriminant analysis of two classes that cuts by a rule of the thesis."""

    def __init__(self, shrinkage=0.1, rule="inclusive"):
        super().__init__(solver="lsqr", shrinkage=shrinkage)
        self.rule = rule

    def fit(self, X, y):
        """Fit, and cut the scores of the training part."""
        super().fit(X, y)
        scores, is_positive = self.decision_function(X), y == self.classes_[1]
        self.cut_ = find_threshold(self.rule, scores, is_positive)
        return self

    def predict(self, X):
        """Return the second class beyond the cut."""
        return self.classes_[(self.decision_function(X) > self.cut_) * 1]


class NearestClusterMean(ClassifierMixin, BaseEstimator):
    """The class of the nearest of the k-means clusters of all classes."""

    def __init__(self, n_clusters=4):
        self.n_clusters = n_clusters

    def fit(self, X, y):
        """Cluster each class by itself."""
        self.classes_ = np.unique(y)
        model = KMeans(self.n_clusters, n_init=5, random_state=0)
        self.means_ = np.vstack([model.fit(X[y == c]).cluster_centers_ for c in self.classes_])
        self.class_of_mean_ = np.repeat(self.classes_, self.n_clusters)
        return self

    def predict(self, X):
        """Return the class of the nearest mean."""
        return self.class_of_mean_[pairwise_distances_argmin(X, self.means_)]


def tuned(problem, estimator, **candidates):
    """Choose among the candidates on hold-outs of the training part; a single one is set."""
    if all(len(values) == 1 for values in candidates.values()):
        return estimator.set_params(**{name: values[0] for name, values in candidates.items()})
    holdouts = StratifiedShuffleSplit(problem.n_inner, test_size=0.25, random_state=0)
    return GridSearchCV(estimator, {k: list(v) for k, v in candidates.items()}, cv=holdouts)


def gammas(problem):
    return tuple(1 / (2 * sigma**2) for sigma in problem.sigmas)


def fisher(name, *, rules=RULES, **options):
    return Method(name, lambda problem: FisherSubspaceClassifier(**options), rules=rules)


def kernel_fisher(name, whitening, n_components=None):
    def make(problem):
        model = KernelFisherSubspaceClassifier(whitening=whitening, n_components=n_components)
        return tuned(problem, model, gamma=gammas(problem))

    return Method(name, make, rules=RULES[:2], is_slow=True)


def mixture(name, whitening, threshold, n_components=None):
    options = {"whitening": whitening, "threshold": threshold, "n_components": n_components}
    return Method(
        name, lambda problem: MixtureFisherClassifier(**options, random_state=0), rule=threshold
    )


def ridge(name, rule, shrinkages):
    """Choose the shrinkage on hold-outs of the training part by the rule that is scored."""

    def make(problem):
        model = RidgeDiscriminant(rule=rule)
        return tuned(problem._replace(n_inner=2), model, shrinkage=shrinkages)

    return Method(name, make, rule=rule)


def make_linear_svm(problem):
    return tuned(problem, LinearSVC(random_state=0), C=problem.linear_costs)


def make_kernel_svm(problem):
    return tuned(problem, SVC(), gamma=gammas(problem), C=problem.kernel_costs)


def make_neighbours(problem):
    return tuned(problem, KNeighborsClassifier(), n_neighbors=(1, 3, 5, 11))


def make_cluster_means(problem):
    return tuned(problem, NearestClusterMean(), n_clusters=(1, 2, 3, 4, 6, 8))


def passive_aggressive():
    """PA-I of Crammer et al., by whichever name this scikit-learn has it."""
    if parse_version(sklearn.__version__) < parse_version("1.8"):
        return PassiveAggressiveClassifier(random_state=0)
    return SGDClassifier(penalty=None, learning_rate="pa1", eta0=1.0, random_state=0)


def online(name):
    role = "thesis" if name in ("O-IPCAC", "PA-I", "Perceptron") else "instead"
    return Method(name, lambda problem: OnePass(ONLINE[name]), role, rule="one pass")


def peer(name, estimator, *, is_slow=False):
    """Return a row of a fixed estimator of scikit-learn."""
    return Method(name, lambda problem: clone(estimator), "instead", is_slow=is_slow)


def on_one_part(method):
    """Turn a row into the one of experiment 2, which trains on a part."""
    return Method(f"{method.name}, a part", lambda problem: OnOnePart(method.make(problem)))


def dag(name, *steps):
    """Combine kernel classifiers of two classes each, after a projection if there is one.

    Its coordinates are scaled, as the unit of Fisher axes is the smallest value that is whitened.
    """

    def make(problem):
        pair = KernelFisherSubspaceClassifier(n_components=SHARE_OF_PROTEINS)
        model = make_pipeline(*map(clone, steps), DecisionDAGClassifier(pair))
        return tuned(problem, model, decisiondagclassifier__estimator__gamma=gammas(problem))

    return Method(name, make)


def at_spikes(name, n_more):
    """Whiten as many components as there are spikes, or more."""

    def make(problem):
        return FisherSubspaceClassifier(n_components=problem.n_spikes + n_more)

    return Method(name, make, rules=("inclusive",))


IPCAC = fisher("IPCAC", whitening="full")
IPCAC_VAR = fisher("IPCAC_var", whitening="variance", n_components=SHARE)
IPCAC_VAR_999 = fisher("IPCAC_var", whitening="variance", n_components=SHARE_OF_REAL)
TIPCAC = fisher("TIPCAC")
TIPCAC_CV = Method(
    "TIPCAC, d by CV",
    lambda problem: FisherSubspaceClassifierCV(cv=5, rule="best"),
    rule="inclusive",
)
TIPCAC_MANY = Method("TIPCAC", lambda problem: FisherSubspaceClassifier(), rule="discriminants")
FLDA = fisher("FLDA", whitening="full", scatter="within")
PCA_FLDA = Method(
    "PCA+FLDA", lambda problem: make_pipeline(PCA(SHARE), FLDA.make(problem)), rules=RULES
)
# Lu et al.'s regularised FLDA stands in the thesis as a criterion only; shrinkage is its like.
# The thesis cuts it by equation 3.17 and chooses its parameters by a grid (section 4.4.6).
R_FLDA = tuple(ridge("R-FLDA", rule, (0.99, 0.9, 0.5, 0.1, 0.01)) for rule in RULES[:2])
FIXED_R_FLDA = tuple(ridge("R-FLDA, shrinkage 0.1", rule, (0.1,)) for rule in RULES[:2])
O_IPCAC = Method("O-IPCAC", lambda problem: OnlineFisherSubspaceClassifier(), rule="mahalanobis")
MERGED = Method(
    "MM-IPCAC",
    lambda problem: Merged(FisherSubspaceClassifier("variance", SHARE)),
    rule="merged",
)
ONLINE = {
    "O-IPCAC": OnlineFisherSubspaceClassifier(),
    "PA-I": passive_aggressive(),
    "Perceptron": Perceptron(random_state=0),
    "SGD, hinge": SGDClassifier(random_state=0),
    "SGD, averaged": SGDClassifier(average=True, random_state=0),
}
LINEAR_SVM = Method("SVM", make_linear_svm)
KERNEL_SVM = Method("SVM", make_kernel_svm, is_slow=True)
KNN = Method("KNN", make_neighbours)

K_IPCAC = kernel_fisher("K-IPCAC", "full")
K_IPCAC_VAR = kernel_fisher("K-IPCAC_var", "variance", SHARE)
K_TIPCAC = kernel_fisher("K-TIPCAC", "truncated", SHARE)
K_TIPCAC_LOG2 = kernel_fisher("K-TIPCAC log2", "truncated")
P_IPCAC = mixture("P-IPCAC", "variance", "mahalanobis", SHARE)
P_IPCAC_999 = mixture("P-IPCAC", "variance", "mahalanobis", SHARE_OF_REAL)
P_IPCAC_FULL = mixture("P-IPCAC of IPCAC", "full", "inclusive")
P_IPCAC_FULL_STRICT = mixture("P-IPCAC of IPCAC", "full", "strict")
P_IPCAC_TRUNCATED = mixture("P-IPCAC of TIPCAC", "truncated", "mahalanobis")
DAG = dag("DDAG")
DAG_AFTER_FISHER = dag("DDAG after Fs", FisherSubspace(), StandardScaler())
DAG_AFTER_LDA = dag("DDAG after LDA", LinearDiscriminantAnalysis(), StandardScaler())

LDA = peer("LDA lsqr auto", LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"))
PLAIN_LDA = peer("LDA", LinearDiscriminantAnalysis())
LINEAR_SVC = Method("LinearSVC", make_linear_svm, "instead")
SVC_RBF = peer("SVC rbf", SVC(C=10), is_slow=True)
KERNEL_SVC = Method("SVC rbf", make_kernel_svm, "instead")
QDA = peer(
    "QDA shrunk", QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto"), is_slow=True
)
MEAN_DIFFERENCE = peer("mean difference", NearestCentroid())
CLUSTER_MEANS = Method("nearest cluster mean", make_cluster_means, "instead")
FOREST = peer("random forest", RandomForestClassifier(random_state=0))
LINEAR_PEERS = (LDA, LINEAR_SVC, SVC_RBF, QDA, MEAN_DIFFERENCE)
