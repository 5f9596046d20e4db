# Every target sets itself up in .venv first; the second time that costs nothing.
# Another interpreter: make test PYTHON=python3.13

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
BASE   := $(VENV)/base
READY  := $(VENV)/ready
DEMO   := src/roget/data/demo
NODE   := node_modules/.package-lock.json
TOOLS  := node_modules/.bin

# What is imported is compiled once and kept, also where the environment asks for the opposite: nothing
# was compiled when it was installed, so every process would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow faults fuzz differential mutants versions bench audit lint lint-js format docs check-docs clean

help:
	@echo "make demo    score the bundled example, build a thesaurus of the bundled counts, draw its page"
	@echo "make test    run the tests and the examples in the docstrings"
	@echo "make test-slow   run the slow tests: paper experiments, stability over seeds, commands of the docs, long browser sessions"
	@echo "make lint    ruff, mypy, the import rules, and the pages' scripts"
	@echo "make format  let ruff put the code in order"
	@echo "make docs    refresh what the documentation takes from the program, and build the site (DOCS=--all: with what learns, DOCS=--site: build only)"
	@echo "make check-docs  run every command whose output the documentation shows, also those that learn, and compare"
	@echo "make faults  kill commands at random moments, fill disks and so on, and see what is left (FAULTS=--long for the long run)"
	@echo "make fuzz    damaged and hostile inputs for all that reads (FUZZ='--inputs 10000000 --seed 1' for a long run)"
	@echo "make differential    compare 100,000 scores of random tables with naive implementations (DIFFERENTIAL='--comparisons 1000000')"
	@echo "make versions    run the wheel with the lowest and the newest versions of its dependencies (VERSIONS=--quick for the lowest only, fewer commands)"
	@echo "make mutants  put small faults into the code and list those that no test finds (MUTANTS='--only learn/* --slow')"
	@echo "make bench   compare speed and memory with other libraries and the record (BENCH=--quick for a short run, BENCH=--docs writes the pages)"
	@echo "make audit   look for known faults in the pinned versions (AUDIT='--advisories all.zip' where there is no network)"
	@echo "make clean   remove .venv and everything generated"

demo: $(BASE)
	$(BIN)/roget score $(DEMO)/gold.tsv $(DEMO)/system.tsv
	$(BIN)/roget count --show verb_object
	$(BIN)/roget build sample -o demo.thesaurus
	$(BIN)/roget neighbours demo.thesaurus disease -n 5
	$(BIN)/roget explore demo.thesaurus --static demo.html
	@echo
	@echo "open in a browser: $(CURDIR)/demo.html"

# A process for each core: threads of linear algebra beside them would only wait for each other.
test: $(READY)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile $(PYTEST)

test-slow: $(READY)
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile -m slow $(PYTEST)

faults: $(READY)
	PYTHONPATH=benchmarks $(BIN)/python -m campaigns.faults $(FAULTS)

fuzz: $(READY)
	PYTHONPATH=benchmarks $(BIN)/python -m campaigns.fuzz $(FUZZ)

differential: $(READY)
	PYTHONPATH=benchmarks $(BIN)/python -m campaigns.differential $(DIFFERENTIAL)

versions: $(READY)
	PYTHONPATH=benchmarks $(BIN)/python -m campaigns.versions $(VERSIONS)

mutants: $(READY)
	PYTHONPATH=benchmarks $(BIN)/python -m campaigns.mutants $(MUTANTS)

bench: $(READY)
	$(BIN)/python -m benchmarks $(BENCH)

audit: $(READY)
	$(BIN)/python .ci/audit.py $(AUDIT)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python .ci/structure.py
	$(BIN)/python .ci/words.py src docs campaigns benchmarks README.md CONTRIBUTING.md SECURITY.md
	@$(MAKE) --no-print-directory lint-js

# The scripts of the pages; node is needed for this only.
lint-js: $(NODE)
	$(TOOLS)/biome lint --error-on-warnings src/roget/web/js
	$(TOOLS)/biome format src/roget/web/js
	$(TOOLS)/tsc

# Not by npm ci, which asks for packages of other systems too.
$(NODE): package.json package-lock.json
	@command -v npm >/dev/null || { echo "make lint checks scripts with npm: on Debian or Ubuntu, apt install npm" >&2; exit 1; }
	@echo "Adding what checks the scripts (once) ..."
	@npm install --no-save --silent --no-audit --no-fund
	@touch $@

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)
	$(BIN)/python docs/build.py $(DOCS)

check-docs: $(READY)
	$(BIN)/python docs/build.py --check --all

clean:
	rm -rf $(VENV) node_modules build dist site demo.html demo.thesaurus .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The version file is listed because the installed metadata repeats it.
$(BASE): pyproject.toml constraints.txt src/roget/_version.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "roget needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version 2>&1 || echo missing)." >&2; \
	  echo "Name another one: make $(or $(MAKECMDGOALS),test) PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up $(VENV) (once) ..."
	@$(PYTHON) -m venv --clear $(VENV) || { \
	  echo "$(PYTHON) cannot make a virtual environment; on Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[explore,learn]'
	@touch $@

$(READY): $(BASE)
	@echo "Adding what the tests need (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[dev]'
	@touch $@
