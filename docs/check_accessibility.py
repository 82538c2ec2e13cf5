"""Look at built pages with axe-core in Chromium: ``python docs/check_accessibility.py FOLDER``.

Prints every finding with its page and exits with 1 if there is one. The pages of the API are made
from one template, so that a few of them stand for all, unless ``--all`` is given.
"""

import shutil
import sys
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
OF_TEMPLATE = 5  # pages of the API that are looked at


def pages_of(folder, everything):
    """Return the pages to look at, those of the API last."""
    pages = sorted(folder.rglob("*.html"))
    generated = [page for page in pages if page.parent.name == "generated"]
    others = [page for page in pages if page not in generated and "_static" not in page.parts]
    return others + (
        generated if everything else generated[:: max(1, len(generated) // OF_TEMPLATE)]
    )


def findings_of(page, axe):
    """Return a line for each element that breaks a rule."""
    found = axe.run(page, options=RULES).response["violations"]
    return [
        f"{rule['id']}: {rule['help']}: {node['html'][:160]}"
        for rule in found
        for node in rule["nodes"]
    ]


def main(folder, *options):
    """Look at all pages, and return how many findings there are."""
    pages, n_found, axe = pages_of(Path(folder), "--all" in options), 0, Axe()
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        tab = browser.new_page()
        tab.route("http*://**", lambda route: route.abort())  # mathematics come from the network
        for page in pages:
            tab.goto(page.resolve().as_uri(), wait_until="domcontentloaded")
            for line in findings_of(tab, axe):
                print(f"{page.relative_to(folder)}: {line}")
                n_found += 1
        browser.close()
    print(f"{len(pages)} pages, {n_found} findings")
    return n_found


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:])))
