"""Sparse l1 and l2 center classifiers: section VI of Calafiore and Fracastoro (2022).

The paper's figures are pictures, so what stands in the column *paper* is what its text says of
them, and the verdict is a rule applied to our numbers (see `claims`).
"""

from .._settings import Experiment
from . import against_svm, one_stage, outliers, two_stage

TEXT, GENES = ("mpqa.jsonl.gz",), ("chowdary.npz",)

EXPERIMENTS = {
    "figure6": Experiment(outliers.run),
    "two_stage_mpqa": Experiment(two_stage.run_mpqa, TEXT),
    "two_stage_chowdary": Experiment(two_stage.run_chowdary, GENES),
    "one_stage_mpqa": Experiment(one_stage.run_mpqa, TEXT),
    "against_svm_mpqa": Experiment(against_svm.run, TEXT),
    "one_stage_chowdary": Experiment(one_stage.run_chowdary, GENES),
    "l1_against_l2_chowdary": Experiment(one_stage.run_l1_against_l2, GENES),
}
