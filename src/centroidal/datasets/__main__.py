"""Make the shipped table anew: ``python -m centroidal.datasets``."""

from importlib import resources

from ._expression import save_expression

if __name__ == "__main__":
    with resources.as_file(resources.files(__package__) / "data") as folder:
        save_expression(folder / "expression.npz")
