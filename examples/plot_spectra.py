"""
Which bands of a spectrum?
==========================

Sixty specimens of two classes, each measured three times. Scattering gives every measurement a
strength and a baseline of its own. Neighbouring wavelengths say nearly the same, so that the
question is not which wavelengths tell the classes apart, but which *bands*.
"""

import matplotlib.pyplot as plt

from centroidal.datasets import make_spectra
from centroidal.inspection import ComparisonDisplay
from centroidal.model_selection import compare, comparison_lineup, select_features

spectra = make_spectra(random_state=0)
X, y = spectra.data, spectra.target_names[spectra.target]

# %%
# **The bands**, after standard normal variate, which takes strength and offset away. Replicates of
# a specimen stay together (``groups``): otherwise a model is rewarded for recognising specimens.

found = select_features(
    X,
    y,
    groups=spectra.groups,
    feature_names=spectra.feature_names,
    preprocess="snv",
    method="l2",
    random_state=0,
)
print(found.summary())
print(found.band_summary())

display = found.plot_bands()
display.ax_.set(xlabel="wavelength (nm)", ylabel="class mean after SNV")
plt.show()

# %%
# **PLS-DA beside it**, on the same folds, with the number of latent variables chosen inside them.
# With 60 specimens nothing is shown to be better than anything else here but chance.

lineup = comparison_lineup(n_features=X.shape[1])
members = {name: lineup[name] for name in ("l2", "recursive", "PLS-DA", "random features")}
result = compare(members, X, y, groups=spectra.groups, preprocess="snv", random_state=0)
ComparisonDisplay.from_comparison(result)
plt.show()
