# Everything a person does here. Each verb sets up what it needs; on a fresh machine that takes a minute or two.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
ARGS ?=

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
RUNTIME := .venv/.runtime
DEVELOPMENT := .venv/.development
TYPES := $(shell find games arena -name "*.pxd")
COMPILED := $(TYPES) $(TYPES:.pxd=.py)

.PHONY: help setup play test check format bench cov admin constraints

help:
	@echo "make play         play in the browser (HOST=, PORT=)"
	@echo "make test         all tests (ARGS='-k dog' for some)"
	@echo "make check        style, types, architecture"
	@echo "make format       format the Python code"
	@echo "make bench        measure rules and agents"
	@echo "make cov          tests with coverage, report in data/cov"
	@echo "make admin        make an account for /admin/"
	@echo "make setup        only set up"
	@echo "make constraints  renew the pinned versions"

setup: $(DEVELOPMENT)
	@$(BIN)/python manage.py prepare --verbosity 0

play: $(RUNTIME)
	@exec $(BIN)/python manage.py play --host $(HOST) --port $(PORT)

test: $(DEVELOPMENT)
	@$(BIN)/python -m pytest --numprocesses 2 --dist worksteal $(ARGS)

check: $(DEVELOPMENT)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@if command -v node > /dev/null; then \
	    $(MAKE) --silent --no-print-directory node_modules/.package-lock.json && node_modules/.bin/tsc --project tsconfig.json; \
	else \
	    echo "NODE IS MISSING: the page's JavaScript was NOT checked."; \
	fi

format: $(DEVELOPMENT)
	@$(BIN)/ruff check --fix --exit-zero --quiet .
	@$(BIN)/ruff format .

bench: $(DEVELOPMENT)
	@$(BIN)/python -m benchmarks.rules
	@$(BIN)/python -m benchmarks.agents
	@$(BIN)/python -m benchmarks.tables
	@$(BIN)/python -m benchmarks.arena
	@$(BIN)/python -m benchmarks.brettspielwelt

cov: $(DEVELOPMENT)
	@rm -rf data/cov
	@$(BIN)/coverage run -m pytest $(ARGS)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage html --quiet
	@$(BIN)/coverage report --skip-covered

# Asks for name and password; DJANGO_SUPERUSER_USERNAME, _EMAIL and _PASSWORD answer instead, with ARGS=--no-input.
admin: $(RUNTIME)
	@$(BIN)/python manage.py prepare --verbosity 0
	@$(BIN)/python manage.py createsuperuser $(ARGS)

# --- what the verbs need ----------------------------------------------------------------------------------------------

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed." if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv .venv

# The build tools are installed first, so that their versions are pinned as well.
$(RUNTIME): pyproject.toml setup.py constraints.txt $(COMPILED) | $(BIN)/python
	@echo "Installing packages and compiling the rules ..."
	@$(PIP) install --constraint constraints.txt setuptools cython
	@$(PIP) install --constraint constraints.txt --no-build-isolation --editable .
	@touch $@

$(DEVELOPMENT): $(RUNTIME)
	@echo "Installing the tools for development ..."
	@$(PIP) install --constraint constraints.txt --no-build-isolation --editable ".[dev,production,cluster,rl]"
	@touch $@

node_modules/.package-lock.json: package-lock.json
	@npm ci --silent --no-audit --no-fund
	@touch $@

# PyTorch has a build for each kind of device; what the GPU's brings along is its own affair.
ANY_BUILD := sed -e 's/^\(torch==[^+]*\)+.*/\1/' -e '/^nvidia/d' -e '/^cuda/d' -e '/^triton/d'

constraints:
	@$(PYTHON) -m venv --clear build/constraints
	@build/constraints/bin/python -m pip install --quiet ".[dev,production,cluster,rl,train]"
	@{ grep '^#' constraints.txt; build/constraints/bin/python -m pip freeze --all --exclude tichu --exclude pip | $(ANY_BUILD); } > build/constraints.txt
	@mv build/constraints.txt constraints.txt
