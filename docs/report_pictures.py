"""Take the pictures of the report that the documentation shows: ``python docs/report_pictures.py``.

Needs playwright and Chromium, as the tests of the report do.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURES = Path(__file__).parent / "_static"
WIDTH, HEIGHT = 1120, 9000  # more than the page has, so that nothing scrolls
MARGIN = 24


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        context = browser.new_context(
            viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", offline=True
        )
        page = context.new_page()
        page.goto(make_report(Path(folder)).as_uri())
        page.wait_for_selector("#subspace svg")
        take(page, "report_head", "header", "#answer")
        take(page, "report_curve", "#curve", "#curve figure")
        page.locator("#k").press("ArrowLeft")
        page.wait_for_timeout(500)
        take(page, "report_slider", "#explorer", "#explorer")
        take(page, "report_samples", "#subspace", "#subspace figure")
        browser.close()


def make_report(folder):
    def run(*arguments):
        subprocess.run([sys.executable, "-m", "centroidal.cli", *arguments, "--quiet"], check=True,
                       cwd=folder, stdout=subprocess.DEVNULL)  # fmt: skip

    run("datasets", "expression", "-o", "expression.csv")
    run("select", "expression.csv", "--target", "class", "--report", "report.html")
    return folder / "report.html"


def take(page, name, first, last):
    """Take a picture from the top of one element to the end of another."""
    top = page.locator(first).first.bounding_box()
    end = page.locator(last).first.bounding_box()
    y = max(top["y"] - MARGIN, 0)
    clip = {"x": 0, "y": y, "width": WIDTH, "height": end["y"] + end["height"] + MARGIN - y}
    page.screenshot(path=PICTURES / f"{name}.png", clip=clip)


if __name__ == "__main__":
    main()
