"""Many fits: paths over the number of features or components, and the choice among them."""

from .fisher_subspace_cv import FisherSubspaceClassifierCV
from .sparse_center_cv import SparseCenterClassifierCV

__all__ = ["FisherSubspaceClassifierCV", "SparseCenterClassifierCV"]
