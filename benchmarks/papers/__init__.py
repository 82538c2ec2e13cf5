"""The experiments of the papers, repeated: ``python -m benchmarks.papers [paper ...]``.

Each paper is a package here with a dictionary ``EXPERIMENTS`` of name -> `Experiment`; a new one
is added to ``PAPERS`` in ``__main__.py``. Every experiment prints its numbers and a table
*paper | ours | what a user would pick instead*, and leaves CSV files and pictures in ``results/``.
"""
