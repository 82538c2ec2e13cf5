"""Fisher subspaces (IPCAC and its family): the tables of chapters 3 to 6 of Rozza (2011).

The column *thesis* is what is printed, *independent* another implementation on other draws of the
same data, for orientation. Repeats are fewer than in the thesis; their number stands in every row.
"""

from functools import partial

from .._settings import Experiment
from . import future, linear_tables, nonlinear_tables, online_errors, proteins, recordings, scan
from .problems import HEART_FILE, SPAM_FILE
from .protocol import run_table


def experiment(table, *needs):
    return Experiment(partial(run_table, table), needs)


EXPERIMENTS = {
    "table3_1": experiment(linear_tables.TABLE_3_1),
    "table4_2": experiment(linear_tables.TABLE_4_2, SPAM_FILE, HEART_FILE),
    "table4_3_4_4": Experiment(online_errors.run, (SPAM_FILE, HEART_FILE)),
    "table4_5": experiment(linear_tables.TABLE_4_5),
    "table4_6": Experiment(recordings.run),
    "figure4_2": Experiment(scan.run),
    "table5_1_5_2_experiment1": experiment(nonlinear_tables.TABLE_5_2_EXPERIMENT_1, SPAM_FILE),
    "table5_1_5_2_experiment2": experiment(nonlinear_tables.TABLE_5_2_EXPERIMENT_2, SPAM_FILE),
    "table5_3": experiment(nonlinear_tables.TABLE_5_3),
    "table5_4": experiment(nonlinear_tables.TABLE_5_4),
    "table5_5": experiment(nonlinear_tables.TABLE_5_5),
    "table5_6": experiment(nonlinear_tables.TABLE_5_6, HEART_FILE),
    "table6": experiment(nonlinear_tables.TABLE_6),
    "table6_proteins": Experiment(proteins.run, (proteins.PROTEIN_FILE,)),
    "spiked": experiment(linear_tables.SPIKED),
    "future_work": Experiment(future.run),
}
