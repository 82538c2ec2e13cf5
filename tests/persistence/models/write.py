"""Write a sample file for each kind of estimator: ``python -m tests.persistence.models.write``.

The files are kept as they were first written, so that later versions show that they read them.
"""

import warnings
from pathlib import Path

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import centroidal
from centroidal.model_selection import RandomFeaturesClassifier, RankedFeaturesClassifierCV
from centroidal.model_selection.linear_svm import ProbabilityLinearSVC
from centroidal.persistence import save_model
from tests.public_names import PUBLIC_ESTIMATORS

FOLDER = Path(__file__).parent
REQUIRED = {
    "ConformalClassifier": [centroidal.FisherSubspaceClassifier()],
    "CostSensitiveClassifier": [centroidal.FisherSubspaceClassifier()],
    "DecisionDAGClassifier": [centroidal.FisherSubspaceClassifier()],
    "StabilitySelector": [centroidal.L21CentroidSelector()],
}
OPTIONS = {
    "SparseCenterClassifierCV": {"cv": 3},
    "FisherSubspaceClassifierCV": {"cv": 3, "n_components_grid": [1, 2]},
    "DisjointCentroidClassifierCV": {"cv": 3, "n_init": 3, "random_state": 0},
    "DisjointCentroidClassifier": {"n_init": 3, "random_state": 0},
    "MixtureFisherClassifier": {"random_state": 0},
    "WhitenedCenterClassifierCV": {"cv": 3},
    "SparseCentroidEncoder": {"hidden_layer_sizes": 3, "max_epochs": 2},
    "StabilitySelector": {"n_resamples": 4, "random_state": 0},
}


def samples():
    rng = np.random.default_rng(0)
    codes = np.arange(21) % 3
    X = np.round(rng.standard_normal((21, 4)) + 3.0 * np.eye(3, 4)[codes], 2)
    return X, np.array(["first", "second", "third"])[codes]


def models():
    for name in PUBLIC_ESTIMATORS:
        yield name, getattr(centroidal, name)(*REQUIRED.get(name, []), **OPTIONS.get(name, {}))
    yield "ProbabilityLinearSVC", ProbabilityLinearSVC(random_state=0)
    yield "RandomFeaturesClassifier", RandomFeaturesClassifier(2, random_state=0)
    ranked = RankedFeaturesClassifierCV(centroidal.ReliefFSelector(), cv=3)
    yield "RankedFeaturesClassifierCV", ranked
    classifier = centroidal.SparseCenterClassifier(2)
    yield "prepared", make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), classifier)
    yield "selected", make_pipeline(centroidal.ReliefFSelector(2), LogisticRegression())


def result(model, X):
    """What a model makes of samples: scores if it is a classifier, else other features."""
    use = model.decision_function if hasattr(model, "predict") else model.transform
    return use(X)


def main():
    X, y = samples()
    for name, model in models():
        path = FOLDER / f"{name}.skops"
        if path.exists():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        shown = {"result": result(model, X).tolist()}
        if hasattr(model, "predict"):
            shown["predicted"] = model.predict(X).tolist()
        save_model(model, path, metadata=shown)
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
