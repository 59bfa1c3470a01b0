# Rangecast: every target installs what it needs into .venv first, and installs nothing twice.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
INSTALLED_DEV := .venv/.installed-dev

# Without bytecode every start compiles 1,700 modules anew, which takes longer than the demo's simulation.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install java chromium demo test test-all paper check format docs bench clean

help:  ## explain every target
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Rangecast needs Python 3.11 or newer: call make PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || { $(PYTHON) -c 'import ensurepip' && $(PYTHON) -m venv --without-pip .venv; } || { rm -rf .venv; echo "python3 cannot make virtual environments: install the package python3-venv"; exit 1; }
	$(BIN)/python floor/install.py
	@touch $@

$(INSTALLED_DEV): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	$(BIN)/rangecast warm-up
	@touch $@

install: $(INSTALLED_DEV)  ## make .venv and install Rangecast with its development tools

java:  ## check for Java 17 or newer; as root on Debian or Ubuntu, install it
	@$(PYTHON) pipeline/java.py --install

chromium: $(INSTALLED_DEV)  ## check for Chromium, which the tests of pages need; as root on Debian or Ubuntu, install it
	@$(BIN)/python -m tests.chromium --install

demo: java $(INSTALLED)  ## run scenarios/demo.toml: a table and a figure of three approaches on the same events
	$(BIN)/rangecast demo

test: $(INSTALLED_DEV) java chromium  ## run the tests and the short notebooks, under 10 minutes on 2 cores
	$(BIN)/python -m pytest --numprocesses 4 --dist worksteal -m 'not slow' --nbmake notebooks tests

test-all: $(INSTALLED_DEV) java chromium  ## run the tests, the slow suites and all notebooks
	$(BIN)/python -m pytest --numprocesses 4 --dist worksteal --nbmake notebooks tests

# The command itself ends well when a claim differs.
paper: $(INSTALLED_DEV) java  ## make the paper's tables and figures at small sizes, in under 3 minutes; no claim may differ
	@out=$$(mktemp -d) && trap 'rm -rf "$$out"' EXIT && start=$$(date +%s) \
	&& timeout 180 $(BIN)/rangecast paper all --out "$$out" \
	&& echo "the paper at small sizes took $$(($$(date +%s) - start)) s" \
	&& ! grep -E ',(differs|not run),' "$$out"/*/verdicts.csv \
	|| { echo "the paper at small sizes took more than 180 s, failed, or has claims that do not hold"; exit 1; }

check: $(INSTALLED_DEV)  ## lint, format, types and the arrows between rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(INSTALLED_DEV)  ## mend lint and format in place
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(INSTALLED_DEV)  ## build the documentation to docs/_build/html; a warning is an error
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "documentation: docs/_build/html/index.html"

bench: $(INSTALLED_DEV) java  ## run the benchmarks; results go to benchmarks/results
	$(BIN)/python -m benchmarks

clean:  ## remove .venv, runs and caches of this checkout
	rm -rf .venv runs build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache benchmarks/results docs/_build
