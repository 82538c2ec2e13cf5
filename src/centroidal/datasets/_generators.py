"""Generators of the papers' simulations: Gaussian classes, clusters, blocks, words and mails."""

import itertools
import math
import string
from collections.abc import Sequence
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch, check_random_state

from .._typing import ArrayLike, Floats, Ints, RandomState


def make_outlier_classes(
    n_samples: int = 200,
    n_features: int = 1000,
    *,
    outlier_probability: float = 0.0,
    spread: float = 1.0,
    outlier_bound: float = 5.0,
    random_state: RandomState = None,
    centers: ArrayLike | None = None,
) -> tuple[Floats, Ints, Floats]:
    """Generate two Gaussian classes in which whole samples may be uniform noise.

    The example of Figure 6, section VI-B-3, of :cite:t:`Calafiore2022`: the mean of each class is
    drawn from U(0, 1) in every feature, and a sample of the class is normal around that mean with
    probability ``1 - outlier_probability``, else uniform on ``[0, outlier_bound]`` in every
    feature, whatever its class.

    Parameters
    ----------
    n_samples : int, default=200
        Number of samples; the classes are equally large, up to one sample.
    n_features : int, default=1000
        Number of features.
    outlier_probability : float, default=0.0
        Probability that a sample is an outlier.
    spread : float, default=1.0
        Variance of every feature within a class.
    outlier_bound : float, default=5.0
        Upper end of the range of outlying values.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.
    centers : array-like of shape (2, n_features), default=None
        Class means instead of random ones, so that a test set can share those of a training set.

    Returns
    -------
    X, y : ndarray of shape (n_samples, n_features), ndarray of int, shape (n_samples,)
        Samples and their classes; outliers keep the label of the class they stand for.
    centers : ndarray of shape (2, n_features)
        The class means.

    Examples
    --------
    >>> from centroidal.datasets import make_outlier_classes
    >>> X, y, centers = make_outlier_classes(outlier_probability=0.2, random_state=0)
    >>> X_test, y_test, _ = make_outlier_classes(centers=centers, random_state=1)
    >>> X_test.shape
    (200, 1000)
    """
    check_count("n_samples", n_samples, 2)
    check_count("n_features", n_features, 1)
    check_between("outlier_probability", outlier_probability, 0, 1)
    check_between("spread", spread, 0)
    check_between("outlier_bound", outlier_bound, 0)

    rng = check_random_state(random_state)
    if centers is None:
        centers = rng.uniform(0.0, 1.0, size=(2, n_features))
    centers = np.array(centers, dtype=float)
    if centers.shape != (2, n_features):
        raise ValueError(
            f"centers of shape {centers.shape} must have shape (2, n_features={n_features})."
        )
    y = shuffled_codes(class_sizes(n_samples, 2), rng)
    X = centers[y] + np.sqrt(spread) * rng.normal(size=(n_samples, n_features))
    # One threshold per row: with one seed, a larger probability adds outliers and keeps the rest.
    is_outlier = rng.uniform(size=n_samples) < outlier_probability
    X[is_outlier] = rng.uniform(0.0, outlier_bound, size=(is_outlier.sum(), n_features))
    return X, y, centers


def make_feature_blocks(
    n_samples: int = 1000,
    n_features_per_class: int = 5,
    *,
    n_classes: int = 4,
    mean: float = 0.9,
    spread: float = 1.9,
    n_noise: int = 0,
    random_state: RandomState = None,
) -> Bunch:
    r"""Generate classes that each have a block of features of their own.

    The simulations of section 7 of :cite:t:`Fraiman2021`. All entries are independent and normal:
    in the block of its own class a sample has mean `mean` and standard deviation 1, in the blocks
    of the other classes mean 0 and standard deviation `spread`, and in noise features mean 0 and
    standard deviation 1.

    ========== =================================== ======================================
    Simulation Setting                             Arguments
    ========== =================================== ======================================
    1          blocks differ in their means        ``mean=a, spread=1``
    2          blocks differ in their variances    ``mean=0, spread=1 + b``
    3          blocks differ in both               ``mean=c, spread=1 + c``
    4          the same, with irrelevant features  ``mean=c, spread=1 + c, n_noise=r``
    ========== =================================== ======================================

    There a, b and c are 0.3, 0.6 or 0.9, the blocks have 3, 5 or 10 features (5 in the fourth
    simulation), r is 20, 40 or 80, and there are 4 classes of 250 samples.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of samples, at least one a class. The classes are equally large, up to one sample.
    n_features_per_class : int, default=5
        Number of features in the block of each class.
    n_classes : int, default=4
        Number of classes, at least 2.
    mean : float, default=0.9
        Mean of a sample in the block of its own class.
    spread : float, default=1.9
        Standard deviation of a sample in the blocks of the other classes.
    n_noise : int, default=0
        Number of features that say nothing about the class, after all blocks.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        data, target : ndarray of shape (n_samples, n_features), ndarray of int, shape (n_samples,)
            Samples and their classes.
        feature_class : ndarray of int, shape (n_features,)
            The class that each feature belongs to, -1 for noise.

    Examples
    --------
    >>> from centroidal.datasets import make_feature_blocks
    >>> made = make_feature_blocks(12, 2, n_classes=3, n_noise=1, random_state=0)
    >>> made.data.shape
    (12, 7)
    >>> made.feature_class.tolist()
    [0, 0, 1, 1, 2, 2, -1]
    """
    check_count("n_classes", n_classes, 2)
    check_count("n_samples", n_samples, n_classes)
    check_count("n_features_per_class", n_features_per_class, 1)
    check_count("n_noise", n_noise, 0)
    check_finite("mean", mean)
    check_between("spread", spread, 0)

    rng = check_random_state(random_state)
    target = shuffled_codes(class_sizes(n_samples, n_classes), rng)
    blocks = np.repeat(np.arange(n_classes), n_features_per_class)
    feature_class = np.concatenate([blocks, np.full(n_noise, -1)])
    is_own = target[:, None] == feature_class
    is_other = ~is_own & (feature_class >= 0)
    data = rng.normal(size=is_own.shape)
    data[is_own] += mean
    data[is_other] *= spread
    return Bunch(data=data, target=target, feature_class=feature_class)


def make_spiked_classes(
    n_samples: int = 400,
    n_features: int = 500,
    *,
    n_spikes: int = 20,
    spike_variance: float = 100.0,
    separation: float = 4.0,
    n_classes: int = 2,
    random_state: RandomState = None,
) -> Bunch:
    r"""Generate Gaussian classes whose noise is strong in a few random directions.

    A sample of class :math:`c` is normal with mean :math:`\mu_c` and a covariance that all classes
    share,

    .. math:: \Sigma = I + a \sum_{j=1}^{r} u_j u_j^\top, \qquad
              \lVert \mu_c - \mu_b \rVert_2 = s \quad \text{for all } c \ne b,

    with :math:`r` spikes :math:`u_j`, random and orthonormal, :math:`a` the parameter
    `spike_variance` and :math:`s` the parameter `separation`. The means lie on random orthonormal
    directions that know nothing of the spikes. The distance of two means is drowned by the spikes
    unless these are found and damped: here the partial whitening of section 4.3 of
    :cite:t:`Rozza2010` shows what it is for.

    Parameters
    ----------
    n_samples : int, default=400
        Number of samples; the classes are equally large, up to one sample.
    n_features : int, default=500
        Number of features, at least 2.
    n_spikes : int, default=20
        Number of strong directions, from none to `n_features`.
    spike_variance : float, default=100.0
        Variance that each spike adds to that of 1 in all directions.
    separation : float, default=4.0
        Euclidean distance between the means of any two classes.
    n_classes : int, default=2
        Number of classes, at most `n_features`.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        data, target : ndarray of shape (n_samples, n_features), ndarray of int, shape (n_samples,)
            Samples and their classes.
        means : ndarray of shape (n_classes, n_features)
            The mean of each class.
        spikes : ndarray of shape (n_spikes, n_features)
            The strong directions, one per row.

    See Also
    --------
    make_random_clusters : A covariance of its own for every cluster.

    Notes
    -----
    **Where we differ**: this model is ours, not one of the generators of the thesis, in whose
    synthetic data no direction is much stronger than the others.

    Examples
    --------
    >>> import numpy as np
    >>> from centroidal.datasets import make_spiked_classes
    >>> made = make_spiked_classes(n_samples=60, n_features=30, n_spikes=3, random_state=0)
    >>> made.data.shape
    (60, 30)
    >>> float(np.linalg.norm(made.means[1] - made.means[0]).round(6))
    4.0
    """
    check_count("n_samples", n_samples, 2)
    check_count("n_features", n_features, 2)
    check_count("n_spikes", n_spikes, 0, n_features, high_name="n_features")
    check_count("n_classes", n_classes, 2, n_samples, high_name="n_samples")
    check_count("n_classes", n_classes, 2, n_features, high_name="n_features")
    check_between("spike_variance", spike_variance, 0)
    check_between("separation", separation, 0)

    rng = check_random_state(random_state)
    codes = shuffled_codes(class_sizes(n_samples, n_classes), rng)
    # Orthonormal directions are the square root of two apart.
    means = separation / np.sqrt(2) * draw_orthonormal(n_classes, n_features, rng)
    spikes = draw_orthonormal(n_spikes, n_features, rng)
    swings = np.sqrt(spike_variance) * rng.normal(size=(n_samples, n_spikes))
    data = means[codes] + swings @ spikes + rng.normal(size=(n_samples, n_features))

    return Bunch(data=data, target=codes, means=means, spikes=spikes)


CLUSTERS_PER_CLASS = 4
# The value of each mean in the first and in the second half of the features.
VALUES_IN_HALVES = np.array(
    [
        [(0.0, 0.0), (1.0, 0.0), (0.5, -1.0), (0.5, 1.0)],
        [(1.0, 1.0), (1.0, -1.0), (0.0, 1.0), (0.0, -1.0)],
    ]
)


def make_crossed_clusters(
    n_samples: int = 4000,
    n_features: int = 500,
    *,
    spread: float = 1.0,
    random_state: RandomState = None,
) -> Bunch:
    r"""Generate two classes of four round clusters each that no hyperplane separates.

    The first generator of section 5.5.1 of :cite:t:`Rozza2010`, also used in section 5.3.2.
    A sample of cluster :math:`k` is

    .. math:: x = \mu_k + e\, z, \qquad z \sim \mathcal{N}(0, I),

    with :math:`e` the parameter `spread`. Each mean :math:`\mu_k` has one value in the first half
    of the features and another in the second: (0, 0), (1, 0), (0.5, -1), (0.5, 1) in class 0 and
    (1, 1), (1, -1), (0, 1), (0, -1) in class 1.

    Parameters
    ----------
    n_samples : int, default=4000
        Number of samples, at least 8. The classes are equally large, up to one sample, and so are
        the clusters of a class.
    n_features : int, default=500
        Number of features, at least 2; the first half has ``n_features // 2`` of them.
    spread : float, default=1.0
        Standard deviation of every feature within a cluster.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        data, target : ndarray of shape (n_samples, n_features), ndarray of int, shape (n_samples,)
            Samples and their classes.
        clusters : ndarray of int, shape (n_samples,)
            The cluster of each sample, 0 … 7, in this order.
        cluster_classes : ndarray of int, shape (8,)
            The class that each cluster belongs to.
        means : ndarray of shape (8, n_features)
            The mean of each cluster.

    See Also
    --------
    make_random_clusters : Clusters with random means and covariances.

    Notes
    -----
    The average of the four means is the same in both classes, 0.5 in the first half and 0 in the
    second. So the difference of the class means says nothing about the class, while the nearest of
    the eight means is right nearly always, unless `spread` is large.

    Examples
    --------
    >>> from centroidal.datasets import make_crossed_clusters
    >>> made = make_crossed_clusters(n_samples=80, n_features=6, random_state=0)
    >>> made.data.shape
    (80, 6)
    >>> made.means[2].tolist()
    [0.5, 0.5, 0.5, -1.0, -1.0, -1.0]
    """
    check_count("n_samples", n_samples, 2 * CLUSTERS_PER_CLASS)
    check_count("n_features", n_features, 2)
    check_between("spread", spread, 0)

    rng = check_random_state(random_state)
    cluster_classes = np.repeat([0, 1], CLUSTERS_PER_CLASS)
    halves = [n_features // 2, n_features - n_features // 2]
    means = np.repeat(VALUES_IN_HALVES.reshape(-1, 2), halves, axis=1)
    clusters = shuffled_codes(_cluster_sizes(n_samples), rng)
    data = means[clusters] + spread * rng.normal(size=(n_samples, n_features))

    return Bunch(
        data=data,
        target=cluster_classes[clusters],
        clusters=clusters,
        cluster_classes=cluster_classes,
        means=means,
    )


def _cluster_sizes(n_samples):
    # Class by class: eight equal parts at once would give the odd samples all to the first class.
    sizes = [class_sizes(size, CLUSTERS_PER_CLASS) for size in class_sizes(n_samples, 2)]
    return np.concatenate(sizes)


def make_random_clusters(
    n_per_cluster: Sequence[Sequence[int]] = ((500, 500, 500, 500), (500, 500, 500, 500)),
    n_features: int = 500,
    *,
    mean_scale: float = 1.0,
    random_state: RandomState = None,
) -> Bunch:
    r"""Generate classes of Gaussian clusters with random means and random covariances.

    The second generator of section 5.5.1 of :cite:t:`Rozza2010`. A sample of cluster :math:`k` is

    .. math:: x = \mu_k + \sum_j \sqrt{\lambda_{kj}}\, z_j\, v_{kj},
              \qquad z_j \sim \mathcal{N}(0, 1),

    where every entry of :math:`\mu_k` is drawn from U(0, 1) and multiplied by `mean_scale`. The
    eigenvalues :math:`\lambda_{kj}` of the covariance are drawn from U(0, 1) and its eigenvectors
    :math:`v_{kj}` are a random orthonormal basis. With one cluster per class it is the generator of
    sections 3.5 and 4.3.2.

    Parameters
    ----------
    n_per_cluster : sequence of sequences of int, default=((500,) * 4, (500,) * 4)
        Samples in each cluster, class by class: ``((1000,), (1000,))`` makes two classes of one
        cluster each, ``((200, 300), (500,), (400,))`` three classes of which the first has two.
    n_features : int, default=500
        Number of features.
    mean_scale : float, default=1.0
        Factor of all means; the smaller, the more the clusters overlap.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        data, target : ndarray of shape (n_samples, n_features), ndarray of int, shape (n_samples,)
            Samples and their classes.
        clusters : ndarray of int, shape (n_samples,)
            The cluster of each sample, 0 … ``n_clusters`` - 1, counted through all classes.
        cluster_classes : ndarray of int, shape (n_clusters,)
            The class that each cluster belongs to.
        means : ndarray of shape (n_clusters, n_features)
            The mean of each cluster.
        variances : ndarray of shape (n_clusters, n_features)
            The eigenvalues of the covariance of each cluster.
        directions : ndarray of shape (n_clusters, n_features, n_features)
            The eigenvectors, one per row, in the order of `variances`.

    See Also
    --------
    make_crossed_clusters : Round clusters with fixed means.
    make_spiked_classes : One covariance for all classes, with few strong directions.

    Notes
    -----
    All means share the component ``mean_scale / 2`` in every feature, and the squared distance
    between two of them is ``mean_scale**2 * n_features / 6`` on average.

    The covariance of cluster ``k`` is ``directions[k].T * variances[k] @ directions[k]``. Time
    grows with ``n_clusters * n_features**3`` and ``n_samples * n_features**2``.

    Examples
    --------
    >>> from centroidal.datasets import make_random_clusters
    >>> made = make_random_clusters(((20, 30), (40,)), n_features=5, random_state=0)
    >>> made.data.shape
    (90, 5)
    >>> made.cluster_classes.tolist()
    [0, 0, 1]
    """
    sizes, cluster_classes = _check_sizes(n_per_cluster)
    check_count("n_features", n_features, 1)
    check_between("mean_scale", mean_scale, 0)

    rng = check_random_state(random_state)
    clusters = shuffled_codes(sizes, rng)
    means = mean_scale * rng.uniform(size=(len(sizes), n_features))
    variances = rng.uniform(size=(len(sizes), n_features))
    directions = np.stack([draw_orthonormal(n_features, n_features, rng) for _ in sizes])

    return Bunch(
        data=_draw_clusters(clusters, means, variances, directions, rng),
        target=cluster_classes[clusters],
        clusters=clusters,
        cluster_classes=cluster_classes,
        means=means,
        variances=variances,
        directions=directions,
    )


def _check_sizes(n_per_cluster):
    """Return the sizes of all clusters in a row, and the class of each."""
    try:
        by_class = [list(sizes) for sizes in n_per_cluster]
    except TypeError:
        by_class = []
    if len(by_class) < 2 or not all(by_class):
        raise ValueError(
            f"n_per_cluster={n_per_cluster!r} must hold at least two classes, each a sequence of "
            "at least one cluster size, such as ((1000,), (1000,))."
        )
    for code, sizes in enumerate(by_class):
        for position, size in enumerate(sizes):
            check_count(f"n_per_cluster[{code}][{position}]", size, 1)
    cluster_classes = np.repeat(np.arange(len(by_class)), [len(sizes) for sizes in by_class])
    return np.concatenate(by_class), cluster_classes


def _draw_clusters(clusters, means, variances, directions, rng):
    data = rng.normal(size=(len(clusters), means.shape[1]))
    for k, (mean, variance, basis) in enumerate(zip(means, variances, directions, strict=True)):
        is_member = clusters == k
        data[is_member] = mean + data[is_member] * np.sqrt(variance) @ basis
    return data


# Flattens the head of Zipf's law, as Mandelbrot does, so that no word dominates every text.
RANK_OFFSET = 10
# An informative word is this many times likelier in its own class than in any other.
TILT = 5.0


def make_word_counts(
    n_samples: int = 2000,
    n_features: int = 5000,
    *,
    n_informative: int = 60,
    words_per_document: float = 15,
    n_classes: int = 2,
    random_state: RandomState = None,
) -> Bunch:
    """Generate short texts as a sparse bag of words, with known informative words.

    Word frequencies follow the Zipf-Mandelbrot law. An informative word is likelier in the
    texts of one class than in those of the others, as "superb" is in favourable reviews.

    Parameters
    ----------
    n_samples : int, default=2000
        Number of texts; the classes are equally large, up to one text.
    n_features : int, default=5000
        Number of words in the vocabulary.
    n_informative : int, default=60
        Number of words whose frequency depends on the class; they take turns among the classes.
    words_per_document : float, default=15
        Mean length of a text; no text is empty.
    n_classes : int, default=2
        Number of classes.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        data, target : csr_array of shape (n_samples, n_features), ndarray of int, (n_samples,)
            How often each word occurs in each text, as float64, and the classes of the texts.
        target_names, feature_names : ndarray of str, shape (n_classes,) or (n_features,)
            Names of the classes, and the words.
        informative : ndarray of bool, shape (n_features,)
            True for the words whose frequency depends on the class.

    Examples
    --------
    >>> from centroidal.datasets import make_word_counts
    >>> texts = make_word_counts(n_samples=100, random_state=0)
    >>> texts.data.shape
    (100, 5000)
    >>> bool(texts.data.sum(axis=1).min() >= 1)
    True
    """
    check_table(n_samples, n_features, n_informative, n_classes)
    check_between("words_per_document", words_per_document, 1)

    rng = check_random_state(random_state)
    codes = shuffled_codes(class_sizes(n_samples, n_classes), rng)
    weights = 1.0 / (1 + rng.permutation(n_features) + RANK_OFFSET)
    frequencies = weights / weights.sum()
    informative_words = rng.choice(n_features, size=n_informative, replace=False, p=frequencies)
    frequencies_by_class = _tilt(frequencies, informative_words, n_classes)

    return Bunch(
        data=_draw_texts(codes, frequencies_by_class, words_per_document, rng),
        target=codes,
        target_names=letter_names("opinion", n_classes),
        feature_names=numbered_names("word", n_features),
        informative=np.isin(np.arange(n_features), informative_words),
    )


def _tilt(frequencies, informative_words, n_classes):
    """Make each informative word likelier in one class, the classes taking turns."""
    weights = np.tile(frequencies, (n_classes, 1))
    # Raised in one class and lowered in the others, so that a word stays about as common.
    weights[:, informative_words] /= np.sqrt(TILT)
    classes = np.arange(len(informative_words)) % n_classes
    weights[classes, informative_words] *= TILT
    return weights / weights.sum(axis=1, keepdims=True)


def _draw_texts(codes, frequencies_by_class, words_per_document, rng):
    """Write the texts word by word and count; the matrix is sparse from the start."""
    n_classes, n_features = frequencies_by_class.shape
    lengths = 1 + rng.poisson(words_per_document - 1, size=len(codes))
    # 32-bit indices: half the memory, and every reader of sparse matrices takes them.
    texts = np.repeat(np.arange(len(codes), dtype=np.int32), lengths)
    words = np.empty(len(texts), dtype=np.int32)
    for code in range(n_classes):
        is_written = codes[texts] == code
        words[is_written] = rng.choice(
            n_features, size=is_written.sum(), p=frequencies_by_class[code]
        )

    counts = sparse.coo_array((np.ones(len(words)), (texts, words)), (len(codes), n_features))
    # The conversion adds up the occurrences of a word in the same text.
    return counts.tocsr()


TOPIC_TILT = 10.0  # a word of a topic is this many times likelier in the mails of that topic
N_PERIODS = 20  # of equal frequencies that a drift is cut into
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]


def make_mails(
    n_samples: int = 2000,
    n_words: int = 2000,
    *,
    n_informative: int = 90,
    words_per_mail: float = 60,
    spam_share: float = 0.5,
    n_topics: int = 8,
    drift: float = 0.0,
    random_state: RandomState = None,
) -> Bunch:
    r"""Generate mails, some of them spam, whose words may change as time goes by.

    A mail is a text of made-up words in random order. Word frequencies follow the Zipf-Mandelbrot
    law. Each mail has a topic that has nothing to do with its class, and every word that does not
    tell the classes apart belongs to a topic, in whose mails it is ten times likelier: topics are
    what mails differ in most.

    Of the informative words a third is five times likelier in wanted mails than in spam, and the
    rest is likelier in spam: one third of them at the beginning, by a factor that falls from 5 to
    :math:`5^{1 - d}` at the end, the other at the end, by a factor that rises from 1 to
    :math:`5^d`, with :math:`d` the parameter `drift`. So what a filter learnt from the first mails
    of a drifting stream says less and less about the next.

    Parameters
    ----------
    n_samples : int, default=2000
        Number of mails.
    n_words : int, default=2000
        Number of words in the vocabulary.
    n_informative : int, default=90
        Number of words whose frequency depends on the class, in thirds as above.
    words_per_mail : float, default=60
        Mean length of a mail; no mail is empty.
    spam_share : float, default=0.5
        Share of the mails that is spam; each class must have at least one mail.
    n_topics : int, default=8
        Number of topics; 1 is none.
    drift : float, default=0.0
        How much of the early words' meaning goes over to the late ones, from 0, nothing, to 1, all.
    random_state : int, RandomState or None, default=None
        Seed or source of randomness; pass an int for the same data every time.

    Returns
    -------
    Bunch
        Dictionary-like object with

        data, target : ndarray of str objects, ndarray of int, both of shape (n_samples,)
            The mails in the order of time, and 1 for spam.
        topics : ndarray of int, shape (n_samples,)
            The topic of each mail.
        target_names : ndarray of str, shape (2,)
            "ham", which is wanted mail, and "spam".
        ham_words, early_words, late_words : ndarray of str
            The words that are likelier in wanted mail, in early and in late spam.

    See Also
    --------
    make_word_counts : Counts of words for any number of classes.

    Examples
    --------
    >>> from centroidal.datasets import make_mails
    >>> mails = make_mails(n_samples=60, drift=1.0, random_state=0)
    >>> mails.data.shape, len(mails.early_words)
    ((60,), 30)
    """
    check_count("n_samples", n_samples, 2)
    check_count("n_words", n_words, 1)
    check_count("n_informative", n_informative, 0, n_words, high_name="n_words")
    check_between("words_per_mail", words_per_mail, 1)
    sizes = sizes_by_share("spam_share", spam_share, n_samples)
    check_count("n_topics", n_topics, 1)
    check_between("drift", drift, 0, 1)

    rng = check_random_state(random_state)
    codes, topics = shuffled_codes(sizes, rng), rng.randint(n_topics, size=n_samples)
    frequencies = 1.0 / (1 + rng.permutation(n_words) + RANK_OFFSET)
    chosen = rng.choice(n_words, n_informative, replace=False, p=frequencies / frequencies.sum())
    ham, early, late = np.array_split(chosen, 3)
    own_topic = rng.randint(n_topics, size=n_words)
    own_topic[chosen] = -1
    by_topic = frequencies * TOPIC_TILT ** (own_topic == np.arange(n_topics)[:, None])
    words, mails, kinds = made_up_words(n_words), [], n_topics * codes + topics
    periods = np.array_split(kinds, min(N_PERIODS, n_samples))
    for moved, period in zip(np.linspace(0, drift, len(periods)), periods, strict=True):
        lean = np.zeros(n_words)
        lean[ham], lean[early], lean[late] = -1.0, 1.0 - moved, moved
        weights = np.vstack([by_topic * np.sqrt(TILT) ** (side * lean) for side in (-1, 1)])
        weights /= weights.sum(axis=1, keepdims=True)
        mails += _spell(_draw_texts(period, weights, words_per_mail, rng), words, rng)

    return Bunch(
        data=np.array(mails, dtype=object),
        target=codes,
        topics=topics,
        target_names=np.array(["ham", "spam"]),
        ham_words=words[ham],
        early_words=words[early],
        late_words=words[late],
    )


def made_up_words(count):
    """Return words of two or more syllables, no two of them the same."""
    words, n_syllables = [], 2
    while len(words) < count:
        spelled = itertools.product(SYLLABLES, repeat=n_syllables)
        words += map("".join, itertools.islice(spelled, count - len(words)))
        n_syllables += 1
    return np.array(words)


def _spell(counts, words, rng):
    """Write the words of each text, as often as they are counted, in random order."""
    rows = zip(counts.indptr[:-1], counts.indptr[1:], strict=True)
    times = counts.data.astype(int)
    drawn = [np.repeat(counts.indices[a:b], times[a:b]) for a, b in rows]
    return [" ".join(words[rng.permutation(text)]) for text in drawn]


# ------------------------------------------------------------------ what generators share


def check_table(n_samples, n_features, n_informative, n_classes):
    """Raise unless a table of this size can have so many informative features and classes."""
    check_count("n_samples", n_samples, 2)
    check_count("n_features", n_features, 1)
    check_count("n_informative", n_informative, 0, n_features, high_name="n_features")
    check_count("n_classes", n_classes, 2, n_samples, high_name="n_samples")


def check_count(name, value, low, high=None, *, high_name=None):
    """Raise unless `value` is a whole number from `low` to `high`."""
    if not isinstance(value, Integral):
        raise TypeError(f"{name}={value!r} must be a whole number.")
    check_between(name, value, low, high, high_name=high_name)


def check_between(name, value, low, high=None, *, high_name=None):
    """Raise a ValueError unless the finite number `value` lies from `low` to `high`."""
    is_below_high = high is None or value <= high
    # A comparison with NaN is false, so NaN is refused here as well.
    if not (low <= value and is_below_high and math.isfinite(value)):
        most = f"{high_name}={high}" if high_name else high
        no_high = f"be finite and at least {low}"
        words = no_high if high is None else f"lie between {low} and {most}"
        raise ValueError(f"{name}={value} must {words}.")


def check_finite(name, value):
    """Raise a ValueError unless the number `value` is finite."""
    if not math.isfinite(value):
        raise ValueError(f"{name}={value} must be finite.")


def class_sizes(n_samples, n_classes, class_weights=None):
    """Split `n_samples` in proportion to the weights, as evenly as whole numbers allow."""
    weights = np.asarray(np.ones(n_classes) if class_weights is None else class_weights, float)
    is_positive = np.all(np.isfinite(weights) & (weights > 0))
    if weights.shape != (n_classes,) or not is_positive:
        raise ValueError(
            f"class_weights={class_weights} must hold one positive finite number "
            f"for each of n_classes={n_classes}."
        )
    exact = n_samples * weights / weights.sum()
    sizes = np.floor(exact).astype(int)
    # The largest remainders get what is left; rounded, so that equal remainders are equal.
    by_remainder = np.argsort(-np.round(exact - sizes, 9), kind="stable")
    sizes[by_remainder[: n_samples - sizes.sum()]] += 1
    if sizes.min() < 1:
        raise ValueError(
            f"class_weights={class_weights} must give every class at least one "
            f"of n_samples={n_samples}, got sizes {sizes.tolist()}."
        )
    return sizes


def sizes_by_share(name, share, n_samples):
    """Return the sizes of two classes, the second of which has the share that `name` asks for."""
    check_between(name, share, 0, 1)
    n_second = round(share * n_samples)
    if not 0 < n_second < n_samples:
        raise ValueError(
            f"{name}={share} must leave each of two classes at least one of {n_samples}, "
            f"got sizes {[n_samples - n_second, n_second]}."
        )
    return [n_samples - n_second, n_second]


def shuffled_codes(sizes, rng):
    """Return the codes 0 … K−1, each as often as `sizes` says, in random order."""
    return rng.permutation(np.repeat(np.arange(len(sizes)), sizes))


def letter_names(word, count):
    """Return "word A", "word B", …, or "word 1", "word 2", … beyond the alphabet."""
    letters = string.ascii_uppercase
    labels = letters[:count] if count <= len(letters) else range(1, count + 1)
    return np.array([f"{word} {label}" for label in labels])


def numbered_names(word, count):
    """Return "word_0001", "word_0002", …, padded so that they sort as they count."""
    width = max(4, len(str(count)))
    return np.array([f"{word}_{number:0{width}d}" for number in range(1, count + 1)])


def draw_orthonormal(n_directions, n_features, rng):
    """Draw orthonormal directions, every rotation of them being equally likely."""
    Q, R = np.linalg.qr(rng.normal(size=(n_features, n_directions)))
    # Without positive diagonal in R the signs would be those the LAPACK routine happens to choose.
    return (Q * np.copysign(1.0, np.diag(R))).T
