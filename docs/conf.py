"""Settings of the documentation; `make docs` builds it."""

import doctest
import re
import sys
from pathlib import Path

import matplotlib as mpl

import centroidal

mpl.use("Agg")
sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

# ------------------------------------------------------------------ project

project = "centroidal"
author = "The centroidal developers"
copyright = f"{author}; BSD 3-Clause licence"
version = release = centroidal.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    "command_reference",
    "method_table",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "code"

# ------------------------------------------------------------------ reference

autosummary_generate = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
bibtex_bibfiles = ["references.bib"]
bibtex_reference_style = "author_year"
doctest_default_flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
doctest_global_setup = "import matplotlib; matplotlib.use('Agg')"

# Inherited docstrings link to pages of scikit-learn's own guide, which are not ours.
_FOREIGN_LINK = re.compile(r":(?:ref|term):`([^`<]+?)(?:\s*<[^`>]*>)?`")
# A name that ends in an underscore is a link in reStructuredText; in a shape it is not meant so.
_FITTED_IN_SHAPE = re.compile(r"(\((?:\w+, )?\w+)_(?=[,)])")


def plain_words(app, what, name, obj, options, lines):
    """Turn what only looks like a link, or links to pages that are not ours, into plain words."""
    if getattr(obj, "__module__", "").startswith("sklearn"):
        lines[:] = [_FOREIGN_LINK.sub(r"\1", line) for line in lines]
    lines[:] = [_FITTED_IN_SHAPE.sub(r"\1\\_", line) for line in lines]


def list_references(app, page, template, context, doctree):
    """Make entries of the bibliography list items; their own role is deprecated."""
    context["body"] = context.get("body", "").replace("doc-biblioentry", "listitem")


def setup(app):
    """Register what this file adds."""
    app.connect("autodoc-process-docstring", plain_words)
    app.connect("html-page-context", list_references)


# ------------------------------------------------------------------ gallery

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": (),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 600,
    "image_srcset": ["2x"],
    "remove_config_comments": True,
}

# ------------------------------------------------------------------ look

html_theme = "pydata_sphinx_theme"
html_title = "centroidal"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "show_nav_level": 2,
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
# Pages that use the width; the reference keeps its list of names at the side.
_ALONE = [
    "index",
    "getting_started",
    "choosing",
    "references",
    "tutorial",
    "command_reference",
    "papers",
    "glossary",
]
_ALONE += ["readers/*", "user_guide/*", "mathematics/*", "development/*", "gallery/*"]
html_sidebars = {page: [] for page in _ALONE}
