# The commands of this repository; `make help` lists them. Python 3.11 or newer is all that they need.
# pip's own settings (PIP_INDEX_URL, PIP_FIND_LINKS, a pip.conf …) are honoured.

.DEFAULT_GOAL := help
BIN := .venv/bin
PYTHON ?= python3
BASE := .venv/.base
DEV := .venv/.dev
PEERS := .venv-bench/.ready
WIREMOCK := 3.13.2

.PHONY: help demo test check lint types layers web test-browser screenshots docs docs-site reference format install bench mutation test-extended test-frameworks schemas lock clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do printf '  make %-14s %s\n' "$$name" "$$text"; done

demo: $(BASE) ## Install the base package into .venv and show a refund agent paying twice
	@$(BIN)/agenttwin demo

test: $(DEV) ## Run the tests: no browser, no framework, no root
	@$(BIN)/pytest -n auto --dist worksteal

check: lint types layers docs ## Everything that is checked without running the product's own tests

lint: $(DEV) ## Check style and formatting (ruff)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/python tools/sizes.py

types: $(DEV) ## Check types (mypy --strict)
	@$(BIN)/mypy

layers: $(DEV) ## Check who imports whom (import-linter)
	@$(BIN)/lint-imports

web: ## Build the browser app into the package (needs Node); `agenttwin serve` then shows it
	@$(PYTHON) tools/web_build.py

test-browser: $(DEV) web ## Drive the server and the app in a real Chromium
	@$(BIN)/pytest -m browser tests/browser

screenshots: $(DEV) web ## Write a picture of every screen, in both themes, into build/screenshots
	@$(BIN)/python -m tests.browser.screenshots

docs: $(DEV) ## Run the code blocks of the README and docs/
	@$(BIN)/pytest tests/docs

docs-site: $(DEV) ## Build the documentation site into build/site; any warning fails
	@$(BIN)/python tools/site.py

reference: $(DEV) ## Write the reference pages into docs/reference from the tables in the code
	@$(BIN)/python -m tools.reference

format: $(DEV) ## Fix style and formatting where a tool can
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

install: $(DEV) ## Install the package with all extras and the developer tools into .venv

bench: $(DEV) $(PEERS) ## Measure ours beside the peers' and print the tables (peers live in .venv-bench)
	@for script in benchmarks/[!_]*.py; do $(BIN)/python "$$script" || exit; done

test-frameworks: $(DEV) ## Try the adapters with the real agent frameworks; FRAMEWORKS="pydantic-ai …" picks some
	@$(BIN)/python tools/frameworks.py $(FRAMEWORKS)

mutation: $(DEV) ## Mutate twin, evaluate and compare; list the mutants that no test notices
	@$(BIN)/python tools/mutation.py

test-extended: $(DEV) ## Run every test, the slow ones too, with many more generated examples
	@HYPOTHESIS_PROFILE=extended $(BIN)/pytest -n auto --dist worksteal -m "not browser"

schemas: $(BASE) ## Write the JSON Schemas of the document kinds into schemas/
	@$(BIN)/agenttwin schema --output schemas

lock: ## Resolve the dependencies anew and export the lock files
	@tools/lock

clean: ## Remove the virtual environments, caches and build products
	@rm -rf .venv .venv-bench .venv-frameworks build dist mutants .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(BASE): requirements.lock pyproject.toml tools/install
	@tools/install .venv requirements.lock --product
	@touch $@

$(DEV): requirements-dev.lock requirements.lock pyproject.toml tools/install
	@tools/install .venv requirements-dev.lock --product
	@touch $(BASE) $@

$(PEERS): benchmarks/requirements.lock tools/install
	@tools/install .venv-bench benchmarks/requirements.lock
	@if command -v npm >/dev/null; then npm install --silent --no-save --prefix .venv-bench wiremock@$(WIREMOCK); \
	else echo "npm is not here: the figures beside WireMock are left out." >&2; fi
	@touch $@
