# Everything the project does, by name. `make help` lists the targets.
#
# Needs only python3 (3.11 or later) and make: uv is brought into .venv-tools, everything else,
# in the versions of uv.lock, into .venv. Tools that pin what others need in other versions
# have environments of their own (.venv-sam, .venv-fidelity).

PYTHON ?= python3
UV_VERSION := 0.13.9
UV := .venv-tools/bin/uv
BIN := .venv/bin
export PYTHONPATH := $(CURDIR)

.DEFAULT_GOAL := help
.PHONY: help setup
help: ## show this list
	@awk -F ':.*## ' '/^[a-zA-Z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv .venv-tools || \
		{ echo "python3 has no venv module (Debian: apt-get install python3-venv)" >&2; exit 1; }
	.venv-tools/bin/pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

# What users get: enough to serve and to run the demo.
.venv/.runtime: pyproject.toml uv.lock | $(UV)
	$(UV) sync --quiet --frozen --inexact --no-default-groups --python $(PYTHON)
	@touch $@

# ... and what developers need on top.
.venv/.dev: pyproject.toml uv.lock | $(UV)
	$(UV) sync --quiet --frozen --python $(PYTHON)
	@touch .venv/.runtime $@

setup: .venv/.dev ## make .venv with everything that tests and checks need
