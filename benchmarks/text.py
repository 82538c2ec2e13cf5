"""Words that tell documents apart, beside scikit-learn: ``python -m benchmarks.text``.

The environment variable CENTROIDAL_DATA names the folder with the sets.

Each way is fitted to the training documents of five folds, vocabulary, weights and choice of words
included, and scored on the others. A row a set and way goes to benchmarks/text.csv; the last rows
are times for many short documents in a CSV file, beside hashing their words alone. Seconds are
those of the processor, of all threads together.
"""

import argparse
import csv
import gzip
import json
import os
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from centroidal.io import read_documents
from centroidal.model_selection import select_features
from centroidal.streaming import batches

SETS = {
    "MPQA": "mpqa",
    "SST": "sst2_sentences",
    "Twitter": "sentiment140_sample",
    "SpamAssassin": "spamassassin_3600",
}
WORDS = {"ngram_range": (1, 2), "min_df": 2, "token_pattern": r"(?u)\b\w+\b"}
COLUMNS = ("set", "way", "documents", "words", "accuracy", "se", "seconds")
N_LISTED = 200
MOST_IN_MEMORY = 100_000


def read(folder, name):
    """Return documents and labels; the parts of a set are mixed, as each holds one class."""
    with gzip.open(folder / f"{name}.jsonl.gz", "rt") as stream:
        rows = [json.loads(line) for line in stream]
    texts = np.array([row["text"] for row in rows], dtype=object)
    return texts, np.array([row["label"] for row in rows])


def ours(**options):
    """Return a function that selects words of training documents; folds are drawn once."""

    def fit(texts, labels):
        found = select_features(texts, labels, text=True, n_repeats=1, random_state=0, **options)
        return found.model, found.n_features_to_select

    return fit


def of_sklearn(*steps, n_words=None):
    """Return a function that fits a pipeline of scikit-learn."""

    def fit(texts, labels):
        model = make_pipeline(*steps).fit(texts, labels)
        return model, n_words or len(model[0].vocabulary_)

    return fit


WAYS = {
    "select_features, at most 200 words": ours(),
    "select_features, any number of words": ours(max_features=None),
    "chi2, 200 words + LogisticRegression": of_sklearn(
        TfidfVectorizer(**WORDS), SelectKBest(chi2, k=N_LISTED), LogisticRegression(max_iter=1000),
        n_words=N_LISTED,
    ),
    "TF-IDF + LinearSVC": of_sklearn(TfidfVectorizer(**WORDS), LinearSVC()),
    "TF-IDF + ComplementNB": of_sklearn(TfidfVectorizer(**WORDS), ComplementNB()),
    "hashes + SGDClassifier": of_sklearn(
        HashingVectorizer(ngram_range=(1, 2)), SGDClassifier(random_state=0), n_words=2**20
    ),
}  # fmt: skip


def compare(name, texts, labels):
    """Yield the row of each way, all in the same folds."""
    cv = StratifiedGroupKFold(5, shuffle=True, random_state=0)
    folds = list(cv.split(texts, labels, np.arange(len(texts))))
    for way, fit in WAYS.items():
        scores, words, seconds = [], [], []
        for train, test in folds:
            start = time.process_time()
            model, n_words = fit(texts[train], labels[train])
            scores.append(np.mean(model.predict(texts[test]) == labels[test]))
            seconds.append(time.process_time() - start)
            words.append(n_words)
        error = np.std(scores, ddof=1) / np.sqrt(len(scores))
        yield (
            name, way, len(texts), round(np.median(words)), f"{np.mean(scores):.4f}",
            f"{error:.4f}", f"{np.mean(seconds):.2f}",
        )  # fmt: skip


def short_documents(texts, number):
    """Draw documents as long as those given, of all their words by lot."""
    rng = np.random.default_rng(0)
    lengths = rng.choice([len(text.split()) for text in texts], size=number)
    words = rng.choice([word for text in texts for word in text.split()], size=lengths.sum())
    ends = np.cumsum(lengths)
    return [" ".join(words[end - size : end]) for end, size in zip(ends, lengths, strict=True)]


def select_in_memory(path):
    """Read documents from a CSV file, and select words, by all cores."""
    table = read_documents(path, text="text", target="label")
    return select_features(table.X, table.y, text=True, random_state=0, n_jobs=-1)


def stream(path):
    """Do the same in batches, with hashes of words that are found again."""
    rows = batches(path, text="text", target="label")
    return select_features(rows, random_state=0, n_jobs=-1)


def measure(texts, number):
    """Yield times from a CSV file to selected words, beside hashing words alone."""
    documents = short_documents(texts, number)
    labels = np.where(["good" in text for text in documents], "a", "b")
    with tempfile.TemporaryDirectory() as folder:
        path, few = Path(folder) / "documents.csv", Path(folder) / "few.csv"
        rows = [("text", "label"), *zip(documents, labels, strict=True)]
        for file, some in ((path, rows), (few, rows[:2000])):
            with file.open("w", newline="") as out:
                csv.writer(out).writerows(some)
        for way, select in (("CSV to words", select_in_memory), ("CSV to words, --stream", stream)):
            if select is select_in_memory and number > MOST_IN_MEMORY:
                continue
            select(few)  # compiles
            start = time.process_time()
            found = select(path)
            seconds = time.process_time() - start
            k, score = found.n_features_to_select, f"{found.score:.4f}"
            yield "drawn", way, number, k, score, f"{found.se_score:.4f}", f"{seconds:.2f}"
    start = time.process_time()
    HashingVectorizer(ngram_range=(1, 2)).fit_transform(documents)
    seconds = f"{time.process_time() - start:.2f}"
    yield "drawn", "HashingVectorizer alone, from memory", number, 2**20, "", "", seconds


def main():
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--documents", type=int, nargs="*", default=[100_000, 1_000_000], help="for the times"
    )
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    args = parser.parse_args()
    folder = Path(os.environ["CENTROIDAL_DATA"])
    with (Path(__file__).parent / "text.csv").open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for name in args.sets:
            for row in compare(name, *read(folder, SETS[name])):
                writer.writerow(row)
                print(*row, sep="  ", flush=True)
        for number in args.documents:
            for row in measure(read(folder, SETS["Twitter"])[0], number):
                writer.writerow(row)
                print(*row, sep="  ", flush=True)


if __name__ == "__main__":
    main()
