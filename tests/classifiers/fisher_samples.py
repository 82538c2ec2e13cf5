"""Samples for the classifiers on Fisher subspaces."""

from itertools import pairwise

import numpy as np

from .conftest import Samples


def draw_correlated(rng, n_classes=2, n_samples=60, n_features=8, separation=1.5):
    """Return Gaussian classes of unequal sizes, in random order, whose features are correlated."""
    codes = np.minimum(np.arange(n_samples) % (n_classes + 1), n_classes - 1)
    rng.shuffle(codes)
    codes[:n_classes] = rng.permutation(n_classes)
    centers = separation * rng.normal(size=(n_classes, n_features))
    rotation = np.linalg.qr(rng.normal(size=(n_features, n_features)))[0]
    noise = rng.normal(size=(n_samples, n_features)) * np.geomspace(4.0, 0.5, n_features)
    return Samples(centers[codes] + noise @ rotation + rng.normal(size=n_features), codes)


def draw_spiked(rng, n_samples=60, n_features=40, n_spikes=3, strength=6.0):
    """Return two classes whose noise is strong in a few directions."""
    codes = np.arange(n_samples) % 2
    spikes = np.linalg.qr(rng.normal(size=(n_features, n_spikes)))[0].T
    centers = rng.normal(size=(2, n_features)) / 2
    noise = rng.normal(size=(n_samples, n_features))
    return Samples(
        centers[codes] + noise + strength * rng.normal(size=(n_samples, n_spikes)) @ spikes, codes
    )


def cuts_of(rng, n_samples, n_parts):
    """Slices that part the samples into chunks of random sizes, none empty."""
    inner = np.sort(rng.choice(np.arange(1, n_samples), n_parts - 1, replace=False))
    bounds = [0, *inner.tolist(), n_samples]
    return [slice(start, stop) for start, stop in pairwise(bounds)]
