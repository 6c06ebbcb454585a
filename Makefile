# Both `make demo` and `make test` do all the set-up by themselves, in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What is installed outside must not matter.
export PYTHONPATH :=
export PYTHONNOUSERSITE := 1
unexport VIRTUAL_ENV PYTHONHOME PIP_TARGET PIP_USER
# Without its bytecode, each of the many processes of the tests compiles the whole library anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo versions test quick sizes fuzz lint format bench docs clean

demo: $(VENV)/.installed
	$(BIN)/python examples/demo.py

# On all processors, in an order that is drawn: `make test ORDER=5` repeats one. What compares times
# comes after, alone.
ORDER ?= $(shell date +%s)
test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n auto -m "not timing" --shuffle $(ORDER)
	$(BIN)/python -m pytest -m timing

# A cut through everything, in about a minute.
quick: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n auto --quick

# The oldest and the newest of what is needed, and each Python that is there.
versions: $(VENV)/.installed-dev
	$(BIN)/python tools/versions.py

# Random programs in every mode, beside TensorFlow where it is installed: CONTRIBUTING.md.
SECONDS ?= 60
fuzz: $(VENV)/.installed-dev
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS) $(FUZZ_ARGS)

# How large the package is, by folder.
sizes: $(VENV)/.installed-dev
	$(BIN)/python tools/sizes.py

lint: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "The site is in build/site: open build/site/index.html."

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

# The machine in C is compiled along, where there is a compiler.
$(VENV)/.installed: pyproject.toml hatch_build.py tools/compile_machine.py wengert/core/machine.c
	@echo "Setting up $(VENV) (only the first time) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Wengert needs Python 3.10 or newer; try: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,libraries]'
	@touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@
