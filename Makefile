# carom: everything a developer runs. `make` alone lists the targets.

VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.setup-done
LOOK   := $(VENV)/.lab-done
# Candidates are tried in this order; the first that is Python 3.11 or later is taken. Override: make PYTHON=/path/to/python
PYTHON ?=
CANDIDATES := $(if $(PYTHON),$(PYTHON),python3 python3.13 python3.12 python3.11 python3.14 python)
# Options for pytest, e.g. make test PYTEST="-k gas -x"
PYTEST ?=
# What `make lab` begins with, e.g. make lab LAB="break --no-browser"
LAB    ?=
# Options for `make versions`
VERSIONS ?=
# Tests run side by side: auto is a process a core, and one more.
JOBS   ?= auto
# The browser's modules, and Deno, which lints them and checks their types; it asks no network.
SCRIPTS := src/carom/lab/static src/carom/notebook/static
DENO   := DENO_DIR=$(VENV)/.deno DENO_NO_UPDATE_CHECK=1 $(BIN)/deno
# What `make quick` tries: scenes, laws, pictures, golden bits, and what the files around the code say;
# no browser, and none of the tests below `SLOW`, which take seconds each.
QUICK  := tests/golden/test_states.py tests/golden/test_stepped.py tests/unit/scene tests/unit/physics tests/unit/views \
  tests/unit/test_errors.py tests/test_mutants.py tests/test_project_files.py tests/lab/test_javascript.py tests/lab/test_texts.py \
  tests/docs/test_glossary.py tests/docs/test_recipes.py tests/docs/test_rooms.py
SLOW   := planted_mistake or any_number_of_balls or a_million or without_wide_vectors
# Bytecode is kept, whatever the environment says: the tests start some thousand processes, and each would compile it all.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup test quick check browser lint types contracts documents docs reference requirements keys schema pictures format rooms tested lab bench versions constraints validate clean

help:  ## list the targets
	@echo "carom, targets of make:"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{printf "%-15s %s\n", $$1, $$2}'

setup: $(STAMP)  ## make .venv and install carom with its development tools

$(BIN)/python:
	@set -e; found=; \
	for candidate in $(CANDIDATES); do \
	  if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then found=$$candidate; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "carom needs Python 3.11 or later; none of these is: $(CANDIDATES)." >&2; \
	  echo "Install one (https://www.python.org/downloads/), or name it: make setup PYTHON=/path/to/python3.12" >&2; \
	  exit 1; \
	fi; \
	echo "==> making $(VENV) with $$("$$found" --version)"; \
	"$$found" -m venv $(VENV) || { echo "Python's venv module failed (on Debian and Ubuntu: install the package python3-venv)." >&2; rm -rf $(VENV); exit 1; }

$(STAMP): pyproject.toml | $(BIN)/python
	@echo "==> installing carom and its development tools into $(VENV) (some minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(STAMP)
	@echo "==> ready: $(BIN)/carom"

# Who wants to look needs a fifth of what a developer needs.
$(LOOK): pyproject.toml | $(BIN)/python
	@echo "==> installing carom and its laboratory into $(VENV) (a minute the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[lab]'
	@touch $(LOOK)

test: check browser  ## everything that must hold: lint, types, contracts, documents, tests
	@echo "==> tests"
	@$(BIN)/python -m pytest -n $(JOBS) $(PYTEST)

quick: lint types contracts  ## a minute of checks while you work: lint, types, contracts, the fast tests; no browser
	@$(BIN)/python -m pytest -q -n $(JOBS) -k "not ($(SLOW))" $(QUICK) $(PYTEST)

check: lint types contracts documents  ## lint, types, contracts, generated documents; no tests

browser: setup
	@echo "==> a browser for the tests of the laboratory"
	@$(BIN)/python tools/chromium.py

lint: setup
	@echo "==> lint (ruff)"
	@$(BIN)/ruff check --output-format concise .
	@$(BIN)/ruff format --check .
	@echo "==> lint of JavaScript (deno)"
	@$(DENO) lint --quiet $(SCRIPTS)

types: setup
	@echo "==> types (mypy --strict)"
	@$(BIN)/mypy
	@echo "==> types of JavaScript (deno)"
	@$(DENO) check --quiet $(addsuffix /*.js,$(SCRIPTS))

contracts: setup
	@echo "==> contracts between the stages (import-linter)"
	@$(BIN)/lint-imports

documents: setup
	@echo "==> generated documents are up to date"
	@$(BIN)/python tools/requirements_table.py --check
	@$(BIN)/python tools/keys_table.py --check
	@$(BIN)/python tools/versions_page.py --check
	@$(BIN)/python tools/rooms.py --check
	@$(BIN)/python tools/reference.py --check

docs: setup  ## build the documents as a site, into site/; links and anchors are checked
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build
	@echo "==> ready: site/index.html (with search: $(BIN)/python -m http.server --directory site --bind 127.0.0.1)"

reference: setup  ## write docs/reference anew from the code
	@$(BIN)/python tools/reference.py

requirements: setup  ## write docs/requirements.md anew from the tests
	@$(BIN)/python tools/requirements_table.py

keys: setup  ## write docs/keys.md anew from the keymap of the laboratory
	@$(BIN)/python tools/keys_table.py

tested: setup  ## write docs/versions.md anew from the versions that were tried
	@$(BIN)/python tools/versions_page.py

rooms: setup  ## write the tables of docs/architecture.md anew from the code
	@$(BIN)/python tools/rooms.py

schema: setup  ## write docs/schema anew
	@$(BIN)/carom schema > docs/schema/scene.schema.json
	@$(BIN)/carom schema --study > docs/schema/study.schema.json

pictures: setup  ## draw docs/images anew
	@$(BIN)/python tools/pictures.py
	@$(BIN)/python tools/lab_pictures.py

format: setup  ## format the sources, mend what ruff can mend
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

lab: $(if $(wildcard $(STAMP)),$(STAMP),$(LOOK))  ## the laboratory in the browser; another scene or port: make lab LAB="break --port 8500"
	@$(BIN)/carom lab $(LAB)

bench: setup  ## measure the speed
	@echo "==> benchmarks"
	@$(BIN)/python -m benchmarks

versions: setup  ## try the lowest and the newest versions of all dependencies; one Python: make versions VERSIONS="--python python3.12"
	@echo "==> versions of dependencies"
	@$(BIN)/python tools/matrix.py $(VERSIONS)

constraints: setup  ## write constraints.txt anew: the versions of dependencies in .venv
	@$(BIN)/python tools/constraints.py

validate: setup  ## the long validation runs
	@echo "==> long validation runs"
	@$(BIN)/python -m pytest -m slow --timeout 0 tests/validation tests/storage tests/sweeps $(PYTEST)

clean:  ## remove the virtual environment and everything that is made
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
