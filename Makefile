# Everything runs in .venv, which is built on first use. PYTHON may name another interpreter of version 3.11 or newer.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test fuzz bench lint docs studies clean

demo: .venv
	$(BIN)/yawara demo --out out/demo

test: .venv/.with-test
	$(BIN)/python -m pytest -n 2 --dist worksteal

fuzz: .venv
	$(BIN)/python -m fuzz
	$(BIN)/python -m fuzz.balances

bench: .venv
	$(BIN)/yawara bench
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/contact_growth.py
	$(BIN)/python benchmarks/elements.py
	$(BIN)/python benchmarks/elements.py --growth
	$(BIN)/python benchmarks/real_time.py
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/calibration.py
	$(BIN)/python benchmarks/slider.py
	$(BIN)/python benchmarks/touch.py --seconds 20
	$(BIN)/python benchmarks/touch.py --seconds 20 --haptics --cells 5,5,5

studies: .venv
	$(BIN)/yawara study all

lint: .venv/.with-lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: .venv/.with-docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going -b doctest docs docs/_build/doctest

.venv: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "yawara needs Python 3.11 or newer (got %s); set PYTHON=python3.12" % sys.version.split()[0])'
	$(PYTHON) -m venv .venv
	$(PIP) --editable .
	@touch .venv

.venv/.with-%: .venv
	$(PIP) --editable '.[$*]'
	@touch $@

clean:
	rm -rf .venv out docs/_build
