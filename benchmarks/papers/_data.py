"""The folder of data sets: where it is, and how its files become arrays."""

import gzip
import json
import os
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

__all__ = [
    "bag_of_words",
    "find_data_folder",
    "load_feature_names",
    "load_table",
    "load_texts",
    "missing_files",
]

REPOSITORY = Path(__file__).parents[2]


def find_data_folder(given=None):
    """Return the folder named by the user, else the one beside the repository, else None."""
    named = given or os.environ.get("CENTROIDAL_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    return folder if folder.is_dir() else None


def missing_files(folder, names):
    """List the files of `names` that cannot be had."""
    return [name for name in names if folder is None or not (folder / name).is_file()]


def load_table(folder, name):
    """Load the dense table `<name>.npz` as float64 values and codes 0 ... K-1."""
    with np.load(folder / f"{name}.npz") as file:
        return file["X"].astype(np.float64), file["y"]


def load_feature_names(folder, name):
    """Load the names of the features of the dense table `<name>.npz`."""
    with np.load(folder / f"{name}.npz") as file:
        return file["feature_names"]


def load_texts(folder, name):
    """Load `<name>.jsonl.gz` as a list of texts and codes 0 ... K-1."""
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    _, codes = np.unique([row["label"] for row in rows], return_inverse=True)
    return [row["text"] for row in rows], codes


def bag_of_words(texts):
    """Count every word, one-letter words included, in a sparse matrix of float64."""
    return CountVectorizer(token_pattern=r"(?u)\b\w+\b", dtype=np.float64).fit_transform(texts)
