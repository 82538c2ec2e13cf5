"""Summaries of labelled data: arrays in, small arrays out; no estimator is known here."""

from .class_medians import ClassMedians, class_medians, median_deviations
from .class_moments import ClassMoments, MomentsByFold, class_moments, fold_moments
from .class_subspace import ClassSubspace, ClusterScatters, class_subspace, cluster_scatters
from .gram import GramSummary, gram_summary
from .sample_count import SampleCount, count_samples, number_of_samples, weights_in_samples
from .sliding_subspace import SlidingSubspace
from .spectrum import Spectrum, WithinCovariance, matrix_spectrum, within_covariance
from .threads import map_blocks

__all__ = [
    "ClassMedians",
    "ClassMoments",
    "ClassSubspace",
    "ClusterScatters",
    "GramSummary",
    "MomentsByFold",
    "SampleCount",
    "SlidingSubspace",
    "Spectrum",
    "WithinCovariance",
    "class_medians",
    "class_moments",
    "class_subspace",
    "cluster_scatters",
    "count_samples",
    "fold_moments",
    "gram_summary",
    "map_blocks",
    "matrix_spectrum",
    "median_deviations",
    "number_of_samples",
    "weights_in_samples",
    "within_covariance",
]
