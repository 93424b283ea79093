# Everything the project does, by name. `make help` lists the targets.
#
# Needs only python3 (3.11 or later) and make: uv is brought into .venv-tools, everything else,
# in the versions of uv.lock, into .venv. Tools that pin what others need in other versions
# have environments of their own: .venv-sam, .venv-fidelity, .venv-peers.

PYTHON ?= python3
UV_VERSION := 0.13.9
UV := $(CURDIR)/.venv-tools/bin/uv
BIN := .venv/bin
PY313 := $(CURDIR)/.venv-3.13/bin
TESTS ?=

export PYTHONPATH := $(CURDIR)
export SAM_CLI_TELEMETRY := 0
# sam wants some region and asks AWS nothing.
export AWS_DEFAULT_REGION ?= eu-central-1

.DEFAULT_GOAL := help
.PHONY: help setup setup-all demo serve test test-3.13 check format format-check lint types imports rules \
	openapi openapi-check lock-check template layer wheel bench bench-peers fidelity clean \
	contract-envs recordings

help: ## show this list
	@awk -F ':.*## ' '/^[a-z0-9.-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---------------------------------------------------------------------------------- environments
$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv .venv-tools || \
		{ echo "python3 has no venv module (Debian: apt-get install python3-venv)" >&2; exit 1; }
	@.venv-tools/bin/pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

# What users get: enough to serve and to run the demo.
.venv/.runtime: pyproject.toml uv.lock | $(UV)
	$(UV) sync --quiet --frozen --inexact --no-default-groups --python $(PYTHON)
	@touch $@

# ... and what developers need on top.
.venv/.dev: pyproject.toml uv.lock | $(UV)
	$(UV) sync --quiet --frozen --python $(PYTHON)
	@touch .venv/.runtime $@

# Lambda's Python: compiles the layer, satisfies `sam build`, runs the tests once more.
.venv-3.13/.made: tools/python313.sh | $(UV)
	python=$$(sh tools/python313.sh $(UV)) && $(UV) venv --quiet --clear --python "$$python" .venv-3.13
	@touch $@

.venv-3.13/.dev: pyproject.toml uv.lock .venv-3.13/.made
	UV_PROJECT_ENVIRONMENT=.venv-3.13 $(UV) sync --quiet --frozen --no-default-groups --group test
	@touch $@

# .venv-sam, .venv-fidelity, .venv-peers: the group of that name alone.
.venv-%/.made: pyproject.toml uv.lock | $(UV)
	UV_PROJECT_ENVIRONMENT=.venv-$* $(UV) sync --quiet --frozen --only-group $* --python $(PYTHON)
	@touch $@

# .venv-client-moto and others: the clients that the SWF service is proved with, each alone with
# what it needs, in the versions that its folder in tests/contract/swf says.
CLIENTS := moto simpleflow garcon swf_typed
CLIENT_FILES := tests/contract/swf

.venv-client-%/.made: $(CLIENT_FILES)/%/requirements.txt | $(UV)
	$(UV) venv --quiet --clear --python $(PYTHON) .venv-client-$*
	$(UV) pip install --quiet --python .venv-client-$*/bin/python --requirements $<
	@touch $@

# moto's own tests are in its source distribution only.
.venv-client-moto/.made: $(CLIENT_FILES)/moto/requirements.txt $(CLIENT_FILES)/moto/source.txt | $(UV)
	$(UV) venv --quiet --clear --python $(PYTHON) .venv-client-moto
	$(UV) pip install --quiet --python .venv-client-moto/bin/python --requirements $<
	.venv-tools/bin/pip download --quiet --disable-pip-version-check --no-deps --no-binary moto \
		--require-hashes --requirement $(CLIENT_FILES)/moto/source.txt --dest .venv-client-moto
	mkdir .venv-client-moto/source
	tar -xzf .venv-client-moto/moto-*.tar.gz -C .venv-client-moto/source --strip-components 1
	@touch $@

.venv-client-javascript/.made: $(CLIENT_FILES)/javascript/package.json
	rm -rf .venv-client-javascript
	mkdir .venv-client-javascript
	cp $< .venv-client-javascript/
	npm install --prefix .venv-client-javascript --no-package-lock --no-audit --no-fund --silent
	@touch $@

contract-envs: $(CLIENTS:%=.venv-client-%/.made) .venv-client-javascript/.made ## the SWF service's clients, each in its own environment

setup: .venv/.dev ## make .venv with everything that tests need
setup-all: setup .venv-sam/.made .venv-3.13/.dev ## ... and what `make check` needs

# ---------------------------------------------------------------------------------- running
demo: .venv/.runtime ## 500 invoices, four workers, one killed: works them and recounts
	$(BIN)/python samples/demo.py

serve: .venv/.runtime ## the whole system on this machine, on one SQLite file
	$(BIN)/workledger serve

# ---------------------------------------------------------------------------------- checking
test: setup ## the tests (TESTS=tests/unit to choose)
	$(BIN)/pytest -n auto --dist loadgroup $(TESTS)

test-3.13: .venv-3.13/.dev ## the tests on Lambda's Python
	.venv-3.13/bin/pytest -n auto --dist loadgroup $(TESTS)

check: lock-check format-check lint types imports rules openapi-check template ## all that CI checks besides the tests

lock-check: $(UV)
	$(UV) lock --check --quiet

format: setup ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only --quiet .

format-check: setup
	$(BIN)/ruff format --check --quiet .

lint: setup ## ruff, complexity included
	$(BIN)/ruff check --quiet .

types: setup ## pyright, strict
	$(BIN)/basedpyright

imports: setup ## who may import what
	$(BIN)/lint-imports --no-logo

rules: setup ## every rule, and every row of a table, has its test
	$(BIN)/python tools/rules.py --check

openapi: setup ## write docs/openapi.json
	$(BIN)/python -m workledger.api.openapi docs/openapi.json

openapi-check: setup
	@mkdir -p build
	$(BIN)/python -m workledger.api.openapi build/openapi.json
	@diff -u docs/openapi.json build/openapi.json || { echo "run: make openapi" >&2; exit 1; }

template: .venv-sam/.made .venv-3.13/.made ## sam validate and sam build
	.venv-sam/bin/sam validate --lint
	PATH="$(PY313):$$PATH" .venv-sam/bin/sam build

# ---------------------------------------------------------------------------------- packaging
layer: ## the Lambda layer alone, in build/layer
	rm -rf build/layer
	@$(MAKE) --no-print-directory build-SharedLayer ARTIFACTS_DIR=$(CURDIR)/build/layer

# Called by `sam build`. Only what handlers need: the group `lambda`, and the package without the
# parts that run on users' machines. Checked .pyc would be stale after zipping: unchecked.
.PHONY: build-SharedLayer
build-SharedLayer: .venv-3.13/.made
	mkdir -p build $(ARTIFACTS_DIR)/python
	$(UV) export --quiet --frozen --only-group lambda --no-emit-project --output-file build/layer-requirements.txt
	$(UV) pip install --quiet --target $(ARTIFACTS_DIR)/python --python $(PY313)/python --no-build \
		--python-platform aarch64-manylinux2014 --require-hashes --requirements build/layer-requirements.txt
	cp -R shared/workledger $(ARTIFACTS_DIR)/python/
	cd $(ARTIFACTS_DIR)/python && rm -rf bin .lock workledger/cli workledger/client workledger/local */tests */benchmarks
	find $(ARTIFACTS_DIR)/python -name __pycache__ -prune -exec rm -rf {} +
	$(PY313)/python -m compileall -q -j 0 --invalidation-mode unchecked-hash $(ARTIFACTS_DIR)/python

wheel: $(UV) ## the wheel that users install, in dist/
	$(UV) build --quiet --wheel

# ---------------------------------------------------------------------------------- measuring
bench: setup ## speed and cost, as a table
	$(BIN)/python -m tests.bench

bench-peers: setup .venv-peers/.made ## ... beside other queues (PostgreSQL must be installed)
	$(BIN)/python -m tests.bench.peers

fidelity: setup .venv-fidelity/.made ## write units on a second DynamoDB engine
	$(BIN)/python -m tests.bench.fidelity

recordings: setup ## replay recordings of Amazon SWF (DIR=folder), tell what differs
	$(BIN)/python -m tools.recordings $(DIR)

clean: ## remove environments and builds
	rm -rf .venv .venv-* .aws-sam build dist
