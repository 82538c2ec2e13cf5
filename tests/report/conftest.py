"""A selection and a comparison."""

import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from centroidal.datasets import make_expression
from centroidal.model_selection import RandomFeaturesClassifier, compare

from .samples import make_evaluation, make_selection


@pytest.fixture(scope="session")
def selection():
    return make_selection()


@pytest.fixture(scope="session")
def comparison():
    genes = make_expression(60, 30, n_informative=5, random_state=0)
    members = {
        "naive Bayes": GaussianNB(),
        "my <b>own</b>": RandomFeaturesClassifier(2),
        "majority class": DummyClassifier(),
    }
    return compare(members, genes.data, genes.target, cv=3, n_repeats=1, random_state=0)


@pytest.fixture(scope="session")
def evaluation():
    return make_evaluation()
