"""Summaries in, optimum out: mathematics only, no estimator and no scikit-learn."""
