"""The cluster of two processes, as the tests of classifiers have it."""

from ..classifiers.conftest import client, on_cluster  # noqa: F401
