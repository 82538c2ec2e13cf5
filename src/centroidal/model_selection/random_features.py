"""A classifier on features drawn at random, which every selection has to beat."""

from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from .._data import check_labels
from .._parameters import check_n_features_to_select, check_parameters
from .feature_flow import used_mask
from .feature_subset import FeatureSubsetMixin

__all__ = ["RandomFeaturesClassifier"]


class RandomFeaturesClassifier(FeatureSubsetMixin, BaseEstimator):
    """A classifier on features that are drawn at random: what a selection has to beat.

    Parameters
    ----------
    reference : int, float, None or estimator, default=None
        How many features: a number, a fraction, None for all, or as many as this estimator selects
        from the training samples. It is fitted to find the number and then forgotten.
    estimator : classifier or None, default=None
        What is fitted to them; None is logistic regression on features of unit variance.
    random_state : int, RandomState or None, default=None
        Seed or source of the features.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    estimator_ : classifier
        The classifier, fitted to the features.
    support_ : ndarray of shape (n_features,)
        Mask of the features.
    n_features_to_select_ : int
        Number of features.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where they are all strings.

    See Also
    --------
    compare : Compares classifiers, with this one among them.

    Examples
    --------
    >>> from centroidal import SparseCenterClassifierCV
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.model_selection import RandomFeaturesClassifier
    >>> X, y = load_expression(return_X_y=True)
    >>> sparse = SparseCenterClassifierCV(scale="within").fit(X, y)
    >>> at_random = RandomFeaturesClassifier(sparse, random_state=0).fit(X, y)
    >>> at_random.n_features_to_select_ == sparse.n_features_to_select_
    True
    """

    def __init__(self, reference=None, *, estimator=None, random_state=None):
        self.reference = reference
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X, y):
        """Draw features and fit the classifier to them.

        Parameters
        ----------
        X : {array-like, sparse matrix, data frame} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels, of any type.

        Returns
        -------
        self
            Fitted estimator.
        """
        check_parameters(self)
        rng = check_random_state(self.random_state)
        data = check_labels(self, X, y)
        number = self._number_of_features(data)

        return self._keep(data, rng.permutation(data.features.number)[:number])

    def _number_of_features(self, data):
        n_features = data.features.number
        if not self._has_reference:
            return check_n_features_to_select(self.reference, n_features)
        reference = clone(self.reference).fit(data.X, data.classes[data.codes])
        used = used_mask(reference, n_features)
        if used is None:
            raise TypeError(
                f"reference={self.reference!r} must say which features it uses, as by get_support."
            )
        return max(1, int(used.sum()))

    @property
    def _has_reference(self):
        return hasattr(self.reference, "fit") and not isinstance(self.reference, type)

    def _inside(self):
        return super()._inside() + ([self.reference] if self._has_reference else [])
