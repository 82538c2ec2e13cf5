"""The main job by sparse l2 centers, unless another method is named.

For tests of what is the same with every method: it is the fastest, and its sums are exact.
"""

from functools import partial

from centroidal import model_selection

select_features = partial(model_selection.select_features, method="l2")
permutation_test = partial(model_selection.permutation_test, method="l2")
learning_curve = partial(model_selection.learning_curve, method="l2")
