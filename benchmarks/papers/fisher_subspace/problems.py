"""The data sets of the thesis, or the nearest that could be had, as training and test parts.

Synthetic sets: every repeat is a new draw. It trains on as many points as ten folds would leave
of the N that the thesis states, and tests on `N_TEST` further points of the same distribution,
which costs little and makes the noise small. Real sets: every repeat is one fold, and whatever is
learnt from the data before the classifier (words, projections, medians) is learnt on its
training part.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from centroidal.datasets import make_crossed_clusters, make_random_clusters, make_spiked_classes

from .._data import load_table, load_texts

__all__ = [
    "HEART_FILE",
    "SPAM_FILE",
    "Problem",
    "Split",
    "crossed",
    "heart",
    "shipped",
    "spam",
    "spam_by_parts",
    "spiked",
    "two_gaussians",
    "two_mixtures",
]

SPAM_FILE, HEART_FILE = "spamassassin_3600.jsonl.gz", "hungarian_heart.npz"
N_TEST = 2000
TRAINING_SHARE = 0.9
REAL_COSTS = (0.1, 1.0, 10.0, 100.0)


class Split(NamedTuple):
    """A training and a test part; labels are codes, and code 1 is class A of the thesis."""

    X_train: np.ndarray
    X_test: np.ndarray
    y_train: np.ndarray
    y_test: np.ndarray


class Problem(NamedTuple):
    """A data set; `split(settings, repeat)` returns a `Split`.

    Of the candidates for the width of Gaussian kernels and for the C of support vector machines
    one is chosen by `n_inner` hold-outs inside the training part; a single one is taken as it is.
    `cost` says how many seeds a repeat costs, if it is not what the table says.
    """

    name: str
    split: Callable
    sigmas: tuple[float, ...] = ()
    linear_costs: tuple[float, ...] = (0.01,)
    kernel_costs: tuple[float, ...] = (10.0,)
    n_inner: int = 1
    cost: int | None = None
    n_spikes: int = 0


def two_gaussians(name, n_samples, n_features, mean_scale):
    """Sections 3.5 and 4.3.2: one Gaussian a class, all of its parameters random."""
    half = round(TRAINING_SHARE * n_samples / 2)
    return two_mixtures(name, ((half,), (half,)), n_features, mean_scale)


def two_mixtures(name, train_sizes, n_features, mean_scale, **options):
    """Section 5.5.1, second generator: random Gaussians, `train_sizes` points of each to train."""

    def split(settings, i):
        made = draw_clusters(train_sizes, n_features, settings.seed + i)
        X = made.data - (1 - mean_scale) * made.means[made.clusters]
        n_train = sum(map(sum, train_sizes))
        return Split(*stratified_parts(X, made.target, made.clusters, n_train))

    return Problem(name, split, **options)


@lru_cache(maxsize=1)
def draw_clusters(train_sizes, n_features, seed):
    """Draw training and test points at mean scale 1; other scales shift the same points."""
    factor = 1 + N_TEST / sum(map(sum, train_sizes))
    sizes = [[round(factor * size) for size in of_class] for of_class in train_sizes]
    return make_random_clusters(sizes, n_features, random_state=seed)


def crossed(name, n_samples, spread, sigma):
    """Section 5.5.1, first generator: eight round clusters that lie crosswise in 500 features."""
    n_train = round(TRAINING_SHARE * n_samples)

    def split(settings, i):
        seed = settings.seed + i
        made = make_crossed_clusters(n_train + N_TEST, 500, spread=spread, random_state=seed)
        # The thesis's class A is its first, code 0 of the generator; strict thresholds notice.
        return Split(*stratified_parts(made.data, 1 - made.target, made.clusters, n_train))

    return Problem(name, split, sigmas=(sigma,))


def spiked(name, n_train, n_spikes, **options):
    """Few strong directions of 500 that hide the difference of the means; not of the thesis."""

    def split(settings, i):
        made = make_spiked_classes(
            n_train + N_TEST, 500, n_spikes=n_spikes, random_state=settings.seed + i, **options
        )
        return Split(*stratified_parts(made.data, made.target, made.target, n_train))

    return Problem(name, split, n_spikes=n_spikes)


def stratified_parts(X, y, strata, n_train):
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, train_size=n_train, stratify=strata, random_state=0
    )
    return X_train, X_test, y_train, y_test


def spam(name, n_mails, n_folds, n_components, cost):
    """Words of mails, TF-IDF, and latent semantic analysis (sections 3.7 and 4.4.3)."""

    @cache
    def split(settings, i):
        texts, y = load_mails(settings.data)
        texts, _, y, _ = train_test_split(
            texts, y, train_size=n_mails, stratify=y, random_state=settings.seed
        )
        return fold_of(texts, y, i, n_folds, settings.seed, semantic_space(n_components))

    return Problem(
        name,
        split,
        sigmas=(0.25, 0.5, 1.0, 2.0),
        linear_costs=REAL_COSTS,
        kernel_costs=REAL_COSTS[1:],
        cost=cost,
    )


def spam_by_parts(name, n_components, cost):
    """Experiment 2 of section 3.7: one quarter makes the space, one trains, a half tests."""

    def split(settings, i):
        texts, y = load_mails(settings.data)
        first, X_test, y_first, y_test = train_test_split(
            texts, y, test_size=0.5, stratify=y, random_state=settings.seed + i
        )
        for_space, X_train, _, y_train = train_test_split(
            first, y_first, test_size=0.5, stratify=y_first, random_state=settings.seed + i
        )
        space = semantic_space(n_components).fit(for_space)
        return Split(space.transform(X_train), space.transform(X_test), y_train, y_test)

    return Problem(
        name,
        split,
        sigmas=(0.25, 0.5, 1.0, 2.0),
        linear_costs=REAL_COSTS,
        kernel_costs=REAL_COSTS[1:],
        cost=cost,
    )


@cache
def load_mails(folder):
    texts, y = load_texts(folder, SPAM_FILE.removesuffix(".jsonl.gz"))
    return np.array([subject_and_body(text) for text in texts], dtype=object), y


def subject_and_body(mail):
    """Leave out the other headers: hosts and dates tell where a mail was collected."""
    head, _, body = mail.partition("\n\n")
    subject = re.search(r"^subject:(.*)", head, re.IGNORECASE | re.MULTILINE)
    return f"{subject.group(1) if subject else ''}\n{body}"


def semantic_space(n_components):
    """Words of letters in at least two mails stand in for the thesis's stems and dictionary."""
    words = TfidfVectorizer(token_pattern=r"(?u)\b[a-z]{2,20}\b", min_df=2)
    return make_pipeline(words, TruncatedSVD(n_components, n_iter=2, random_state=0))


def heart(name, is_scaled=False, missing=None):
    """Hungarian heart disease; missing values become `missing`, or the median of the training part.

    The thesis completes them "by using a fixed value" (section 5.5.2) and does not say which.
    """
    steps = [
        SimpleImputer(strategy="median", keep_empty_features=True)
        if missing is None
        else SimpleImputer(strategy="constant", fill_value=missing, keep_empty_features=True)
    ]
    steps += [StandardScaler()] * is_scaled

    def split(settings, i):
        X, y = load_table(settings.data, HEART_FILE.removesuffix(".npz"))
        # The thesis's class A are the patients, code 0 in the file.
        return fold_of(X, 1 - y, i, 10, settings.seed, make_pipeline(*steps))

    sigmas = (1.0, 2.0, 4.0, 8.0, 16.0) if is_scaled else (16.0, 64.0, 256.0, 1024.0, 4096.0)
    costs = REAL_COSTS[:3] if is_scaled else (0.01,)
    return Problem(name, split, sigmas, costs, REAL_COSTS, n_inner=3, cost=1)


def shipped(name, load, sigmas, *, is_scaled, **options):
    """Return a data set of scikit-learn, in five folds."""
    step = StandardScaler() if is_scaled else FunctionTransformer()

    def split(settings, i):
        X, y = load(return_X_y=True)
        return fold_of(X, y, i, 5, settings.seed, step)

    return Problem(name, split, sigmas, REAL_COSTS[:3], REAL_COSTS[1:], **options)


def fold_of(X, y, i, n_folds, seed, prepare):
    """Return fold `i` of an endless row of shuffles; `prepare` is fitted on its training part."""
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed + i // n_folds)
    train, test = list(folds.split(np.zeros(len(y)), y))[i % n_folds]
    train = np.random.default_rng(seed).permutation(train)  # files are sorted, streams are not
    X_train = prepare.fit_transform(X[train])
    return Split(X_train, prepare.transform(X[test]), y[train], y[test])
