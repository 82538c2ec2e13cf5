"""Fixtures that every room uses."""

import shutil

import numpy as np
import pytest


@pytest.fixture
def rng():
    """A source of randomness that is the same in every run."""
    return np.random.default_rng(20)


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window."""
    reason = "pages are not tried in a browser: "
    api = pytest.importorskip(
        "playwright.sync_api", reason=reason + "pip install playwright", exc_type=ImportError
    )
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip(reason + "there is none; as root: apt-get install chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
