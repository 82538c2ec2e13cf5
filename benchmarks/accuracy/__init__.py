"""Accuracy against what one would use instead, on all sets, in two races.

``CENTROIDAL_DATA=FOLDER python -m benchmarks.accuracy run`` measures what benchmarks/accuracy/
scores.csv does not hold yet, ``python -m benchmarks.accuracy tabulate`` makes the tables and the
picture of it. ``python -m benchmarks.accuracy rankings`` puts every classifier behind every ranking
of ours. See `measure` for what a row is, `ours` and `peers` for who takes part.
"""
