# Every target sets up what it needs: on a fresh clone `make demo` or `make test` is the first command.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest
# Most modules are never imported: they are compiled when they are, not all of them now.
INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-oldest lint format wheel docs accessibility papers speed clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

setup: $(VENV)/.ready  ## virtual environment with everything below

# The environment is rebuilt when its definition changes. The demo needs little of it: what its
# report and the commands that it names need.
$(VENV)/.demo: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) --upgrade "pip>=25.1"
	$(BIN)/python $(INSTALL) --editable ".[cli,persist,app]"
	@touch $@

$(VENV)/.ready: $(VENV)/.demo
	$(BIN)/python $(INSTALL) --editable ".[plot,io,persist,onnx,cli,dask,app,completion]" --group test --group formats --group browser --group lint --group docs
	@touch $@

# PyTorch is large and only the encoders need it, so that the demo does without.
$(VENV)/.neural: $(VENV)/.ready tests/torch.txt
	$(BIN)/python $(INSTALL) --editable ".[neural]" --constraint tests/torch.txt
	@touch $@

demo: $(VENV)/.demo  ## the main job on a table that ships with the package, with a report to open
	$(BIN)/centroidal demo --report demo.html --force

# Of every module that calls compiled loops: they must also be right as the Python that they are.
LOOP_TESTS = $(shell grep -lE 'import _\w*loops$$' src/centroidal/*/*.py | sed -E 's,src/centroidal/(.*)/(.*),tests/\1/test_\2,')

# As many processes as cores: threads of linear algebra would only wait for each other.
test test-oldest: export OMP_NUM_THREADS = 1
test test-oldest: export OPENBLAS_NUM_THREADS = 1

test: $(VENV)/.neural  ## all tests
	sh tests/report/install_browser.sh
	$(BIN)/python -m pytest -n 2 --dist loadgroup
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q -n 2 $(LOOP_TESTS)

# Versions of numba throw away what another one has compiled, so that each has a folder of its own.
test-oldest: export NUMBA_CACHE_DIR = $(CURDIR)/$(OLDEST)/numba
# Rooms that know arrays alone are entered through the estimators; published numbers depend on none;
# AnnData is there with the newest versions only, as all packages that write formats are.
test-oldest: $(OLDEST)/.ready  ## the tests on the oldest supported versions, but those marked `once`
	$(OLDEST)/bin/python -m pytest -n 2 -m "not once" --ignore tests/statistics --ignore tests/solvers \
		--ignore tests/datasets --ignore tests/published --ignore src/centroidal/io/annotated.py

$(OLDEST)/.ready: pyproject.toml tests/oldest.txt
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python $(INSTALL) --upgrade "pip>=25.1"
	$(OLDEST)/bin/python $(INSTALL) --editable ".[plot,io,persist,onnx,neural,cli,dask,app,completion]" --group test --constraint tests/oldest.txt
	@touch $@

lint: setup  ## style, spelling, import contracts, types and workflows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/lint-imports
	$(BIN)/mypy --cache-dir $(VENV)/mypy
	$(BIN)/zizmor --offline --quiet .github

format: setup  ## apply the style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# What is published is what was built: it is checked, and installed where nothing else is.
wheel: setup  ## build the package, check it, and run it in an empty environment
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv --clear dist/.empty
	dist/.empty/bin/python $(INSTALL) "$$(ls dist/*.whl)[cli]"
	cd dist && .empty/bin/centroidal demo --json --quiet > .empty/demo.json
	rm -rf dist/.empty

docs: $(VENV)/.neural  ## documentation in docs/_build/html; a warning is an error
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

accessibility: docs  ## look at the built pages with axe-core, in Chromium
	sh tests/report/install_browser.sh
	$(BIN)/python docs/check_accessibility.py docs/_build/html

papers: $(VENV)/.neural  ## the papers' experiments (CENTROIDAL_DATA names the folder of data sets)
	$(BIN)/python -m benchmarks.papers

speed: setup  ## every speed claim as a ratio
	$(BIN)/python -m benchmarks.speed

clean:  ## remove the environments and what was built
	rm -rf $(VENV) $(OLDEST) dist docs/_build docs/gallery docs/api/generated
