# Needs python3 (3.11 or newer), pip and make; everything else goes into .venv.
PYTHON ?= python3
JOBS ?= 2
VENV := .venv
PY := $(VENV)/bin/python
# One stamp a checkout path: an environment copied along with the tree would point at the old tree.
STAMP := $(VENV)/.ready-$(shell pwd | cksum | cut -d' ' -f1)
PIP := $(PY) -m pip --disable-pip-version-check --quiet

.PHONY: help setup demo test test-all test-ecosystem test-suites check docs bench bench-full bench-peers clean

help:
	@echo "make setup        the environment in .venv: weft, its extras, the test tools"
	@echo "make demo         handwritten digits: five files as one tensor, class means, a classifier"
	@echo "make test         the quick tests"
	@echo "make test-all     the quick and the exhaustive tests"
	@echo "make test-ecosystem  tests beside pandas, dask, torch and others, which it first adds"
	@echo "make test-suites     the tests that ship with einops, xarray, scikit-learn and SciPy, on weft's tensors"
	@echo "make check        format, lint, types, layers"
	@echo "make docs         the generated pages of docs/, and the stubs of the public names"
	@echo "make bench        measurements beside other libraries, a part of the rows: a quarter of an hour"
	@echo "make bench-full   all rows (make bench-peers first adds numexpr, Numba, torch, jax and TensorStore)"

setup: $(STAMP)

# Modules are compiled when first imported: most are not, and pip compiles with one processor.
$(STAMP): pyproject.toml constraints.txt constraints-build.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "weft needs Python 3.11 or newer, found " + sys.version.split()[0] + "; set PYTHON=")'
	@echo "making $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV) || $(PYTHON) -m venv --clear --without-pip $(VENV)
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m pip --python $(PY) install --quiet -c constraints-build.txt pip
	@$(PIP) install --no-compile -r constraints-build.txt
	@$(PIP) install --no-compile --no-build-isolation -c constraints.txt -e '.[all,test]'
	@touch $@

demo: $(STAMP)
	@$(PY) -m weft demo

test: $(STAMP)
	$(PY) -m pytest -q -n $(JOBS) --dist worksteal -m "not slow" --ignore=tests/ecosystem

test-all: $(STAMP)
	$(PY) -m pytest -q -n $(JOBS) --dist worksteal --ignore=tests/ecosystem

test-ecosystem: $(STAMP)
	$(PIP) install --no-build-isolation -c constraints.txt -c constraints-ecosystem.txt -e '.[ecosystem]'
	$(PY) -m pytest -q -n $(JOBS) tests/ecosystem

test-suites: $(STAMP)
	$(PIP) install --no-build-isolation -c constraints.txt -c constraints-ecosystem.txt -e '.[ecosystem]'
	$(PY) tests/ecosystem/suites.py

check: $(STAMP)
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(PY) -m pytest -q tests/test_layers.py

docs: $(STAMP)
	$(PY) docs/op_table.py
	$(PY) docs/stubs.py
	$(PY) docs/rule_table.py

bench: $(STAMP)
	$(PY) -m benchmarks

bench-full: $(STAMP)
	$(PY) -m benchmarks --full

bench-peers: $(STAMP)
	$(PIP) install --no-build-isolation -c constraints.txt -c constraints-bench.txt -e '.[bench]'

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache .hypothesis
