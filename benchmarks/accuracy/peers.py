"""What one would use instead: peers of scikit-learn, each choosing inside the samples it is given.

Those of the first race take all features, or as many as they like; those of the second at most 50.
Everything that knows class weights or priors is told to balance the classes, since balanced
accuracy is what is scored; features have unit variance. What is fixed (C of the support vector
machines, numbers of components) is the same for all sets, and was fixed in favour of the peers: by
what did best on seven of the sets.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.covariance import LedoitWolf
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    VarianceThreshold,
    f_classif,
    mutual_info_classif,
)
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV, SGDClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

MOST = 50
SLOW = {"elastic net", "mutual information + SVM", "ReliefF of skrebate + SVM"}  # one repeat
BALANCED = {"class_weight": "balanced"}


def scaled(*steps):
    """Return a pipeline on features of unit variance; constant ones are dropped."""
    return make_pipeline(VarianceThreshold(), StandardScaler(), *steps)


def searched(model, **grid):
    """Return a search by three inner folds."""
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    return GridSearchCV(model, grid, scoring="balanced_accuracy", cv=folds)


def svm(C=0.01, **options):
    """Return a linear support vector machine; with many features any C separates the classes."""
    return LinearSVC(C=C, max_iter=10_000, random_state=0, **BALANCED, **options)


def l1_logistic(C=1.0):
    """Return logistic regression that keeps few features, a class against the others."""
    one = LogisticRegression(l1_ratio=1.0, C=C, solver="liblinear", max_iter=1000, **BALANCED)
    return OneVsRestClassifier(one)


def elastic_net():
    """Return logistic regression with a penalty between both, by stochastic gradients."""
    options = {"loss": "log_loss", "penalty": "elasticnet", "l1_ratio": 0.5, "random_state": 0}
    return searched(SGDClassifier(**options, **BALANCED), alpha=[1e-3, 1e-2, 1e-1])


def forest(n_trees=500):
    """Return a random forest."""
    return RandomForestClassifier(n_trees, random_state=0, **BALANCED)


def boosting():
    """Return boosted trees, each of which sees some of the features."""
    return GradientBoostingClassifier(max_features="sqrt", subsample=0.8, random_state=0)


def shrinkage_lda(n_classes):
    """Return discriminant analysis with a shrunken covariance, in the span of the samples.

    Rotated, it is the same problem; that of all features would need a square matrix of them.
    """
    priors = np.full(n_classes, 1 / n_classes)
    return LinearDiscriminantAnalysis("lsqr", priors=priors, covariance_estimator=LedoitWolf())


def naive_bayes(n_classes):
    """Return Gaussian naive Bayes."""
    return GaussianNB(priors=np.full(n_classes, 1 / n_classes))


class PLSDiscriminant(ClassifierMixin, BaseEstimator):
    """Partial least squares regression of the classes; the largest prediction decides."""

    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X, y):
        """Regress indicators of the classes."""
        self.classes_ = np.unique(y)
        indicators = (y[:, None] == self.classes_).astype(float)
        most = min(self.n_components, *X.shape)
        self.model_ = PLSRegression(most, scale=False).fit(X, indicators / indicators.mean(axis=0))
        self.coef_ = self.model_.coef_
        return self

    def predict(self, X):
        """Predict the class of the largest indicator."""
        return self.classes_[self.model_.predict(X).argmax(axis=1)]


class FirstSparseEnough(ClassifierMixin, BaseEstimator):
    """The first of several models, from dense to sparse, that looks at so few features."""

    def __init__(self, models, n_used):
        self.models = models
        self.n_used = n_used

    def fit(self, X, y):
        """Try one after the other."""
        self.classes_ = np.unique(y)
        for model in self.models:
            self.model_ = model.fit(X, y)
            self.feature_importances_ = self.n_used(model)
            if np.count_nonzero(self.feature_importances_) <= MOST:
                break
        return self

    def predict(self, X):
        """Predict by the model that was kept."""
        return self.model_.predict(X)


def shrunken_at_most():
    """Return shrunken centroids with the smallest threshold that leaves few features."""
    models = [NearestCentroid(shrink_threshold=t) for t in np.geomspace(0.5, 50, 40)]
    return FirstSparseEnough(models, lambda model: np.ptp(model.centroids_, axis=0))


def logistic_at_most():
    """Return l1 logistic regression with the weakest penalty that leaves few features."""
    models = [l1_logistic(C) for C in np.geomspace(10.0, 0.003, 20)]
    return FirstSparseEnough(
        models, lambda model: np.abs([each.coef_[0] for each in model.estimators_]).sum(axis=0)
    )


def top(score, n_features):
    """Return the selector of the best features of a score, at most 50."""
    return SelectKBest(score, k=min(MOST, n_features))


def top_of(model, n_features):
    """Return the selector of the largest weights of a model, at most 50."""
    return SelectFromModel(model, threshold=-np.inf, max_features=min(MOST, n_features))


def mutual_information(X, y):
    """Return the mutual information of each feature with the class."""
    return mutual_info_classif(X, y, random_state=0)


def relief_scores(X, y):
    """Return the weights of ReliefF, by a package that only this benchmark needs."""
    from skrebate import ReliefF

    return ReliefF(n_neighbors=10).fit(X, y).feature_importances_


def f_search(n_features):
    """Return the F test and an SVM, with the number of features chosen inside."""
    steps = make_pipeline(SelectKBest(), svm(0.1))
    return searched(steps, selectkbest__k=[k for k in (4, 16, 64, 256) if k < n_features])


def rfe(n_features):
    """Return recursive elimination by an SVM; a round drops 30 % of all features."""
    return RFE(svm(), n_features_to_select=min(MOST, n_features), step=0.3)


FREE = {
    "linear SVM": lambda p, k: scaled(svm()),
    "RBF SVM": lambda p, k: scaled(SVC(**BALANCED)),
    "ridge": lambda p, k: scaled(RidgeClassifierCV(np.geomspace(1, 1e6, 13), **BALANCED)),
    "shrinkage LDA": lambda p, k: scaled(PCA(random_state=0), shrinkage_lda(k)),
    "PLS-DA": lambda p, k: scaled(searched(PLSDiscriminant(), n_components=[2, 4, 8, 12])),
    "shrunken centroids": lambda p, k: scaled(
        searched(NearestCentroid(), shrink_threshold=[0.5, 1.0, 2.0, 3.0, 4.0])
    ),
    "nearest centroid": lambda p, k: scaled(NearestCentroid()),
    "l1 logistic": lambda p, k: scaled(searched(l1_logistic(), estimator__C=[0.05, 0.2, 1.0, 5.0])),
    "elastic net": lambda p, k: scaled(elastic_net()),
    "random forest": lambda p, k: forest(),
    "gradient boosting": lambda p, k: boosting(),
    "naive Bayes": lambda p, k: scaled(naive_bayes(k)),
    "neighbours": lambda p, k: scaled(KNeighborsClassifier()),
    "F test + SVM, number chosen": lambda p, k: scaled(f_search(p)),
}
AT_MOST_50 = {
    "SVM-RFE": lambda p, k: scaled(rfe(p), svm()),
    "l1 SVM, top 50 + SVM": lambda p, k: scaled(top_of(svm(0.1, penalty="l1"), p), svm()),
    "F test + SVM": lambda p, k: scaled(top(f_classif, p), svm(0.1)),
    "F test + shrinkage LDA": lambda p, k: scaled(top(f_classif, p), shrinkage_lda(k)),
    "F test + logistic": lambda p, k: scaled(top(f_classif, p), LogisticRegression(**BALANCED)),
    "F test + neighbours": lambda p, k: scaled(top(f_classif, p), KNeighborsClassifier()),
    "F test + naive Bayes": lambda p, k: scaled(top(f_classif, p), naive_bayes(k)),
    "mutual information + SVM": lambda p, k: scaled(top(mutual_information, p), svm(0.1)),
    "ReliefF of skrebate + SVM": lambda p, k: scaled(top(relief_scores, p), svm(0.1)),
    "ridge, top 50 + ridge": lambda p, k: scaled(
        top_of(RidgeClassifierCV(np.geomspace(1, 1e6, 13), **BALANCED), p),
        RidgeClassifierCV(np.geomspace(1e-1, 1e4, 11), **BALANCED),
    ),
    "PLS-DA, top 50 + PLS-DA": lambda p, k: scaled(
        top_of(PLSDiscriminant(8), p), PLSDiscriminant(8)
    ),
    "forest, top 50 + forest": lambda p, k: make_pipeline(top_of(forest(), p), forest()),
    "shrunken centroids, at most 50": lambda p, k: scaled(shrunken_at_most()),
    "l1 logistic, at most 50": lambda p, k: scaled(logistic_at_most()),
    "F test + gradient boosting": lambda p, k: make_pipeline(top(f_classif, p), boosting()),
}
