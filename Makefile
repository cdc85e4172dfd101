# `make demo` and `make test` do all the set-up; `make help` lists the rest.
.POSIX:

PYTHON = python3
# TORCH=no leaves torch and transformers out; llama.cpp alone answers questions.
TORCH = yes
BIN = .venv/bin
# What `make packages` builds llama.cpp for, and which ways; all of them where none is named.
GPU = none
CPU = native
# Kinds of GPU that `make wheels` builds for; where none is named, all whose compiler kit is here.
GPUS =
WAYS =
TEST_MODELS = smollm2-135m-instruct-q4_1 all-minilm-l6-v2
# What is compiled as it is imported, by path: tests, and most of the models that transformers knows.
SELDOM = /tests?/|/transformers/models/(?!__init__|auto|bert|encoder_decoder|llama|qwen2)
INSTALLED = .venv/.installed-$(TORCH)
MODELS_DIR = $${ASKANCE_MODELS_DIR:-$${XDG_DATA_HOME:-$$HOME/.local/share}/askance/models}

.PHONY: help install demo test prove check clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

install: $(INSTALLED) ## make .venv and install the project with everything it can use

demo: $(INSTALLED) ## install, fetch the starter models, ask three questions about sample files
	@$(BIN)/askance models pull --starter
	@$(BIN)/askance demo

# Tests give their programs a home of their own, so they are told where the models are. Most of
# those that load a model take a third, smaller one, and an encoder. They start a program some
# hundred times; it is compiled once, whatever the machine says.
test: $(INSTALLED) ## install, fetch the models that tests load, run every test
	@$(BIN)/askance models pull --starter $(TEST_MODELS)
	@PYTHONDONTWRITEBYTECODE= ASKANCE_MODELS_DIR="$(MODELS_DIR)" $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

prove: $(INSTALLED) ## the long proofs: privacy over every format, command and ending; soaks; a Ray cluster
	@$(BIN)/askance models pull --starter $(TEST_MODELS)
	@$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[cluster]'
	@CI=true ASKANCE_MODELS_DIR="$(MODELS_DIR)" $(BIN)/python -m pytest -m prove

check: $(INSTALLED) ## lint, format, types, direction of imports
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

.PHONY: docs packages wheels
docs: $(INSTALLED) ## write the reference from the code, make a site of docs/ in dist/site
	@$(BIN)/python -m pip install --quiet -c constraints.txt --group docs
	@$(BIN)/python packaging/reference.py
	@$(BIN)/python -m sphinx -q -W --keep-going -c packaging/site docs dist/site
	@echo "Open dist/site/index.html"

packages: $(INSTALLED) ## build and try every way to install, in dist (root and debootstrap for clean tries)
	@$(BIN)/python -m pip install --quiet -c constraints.txt --group packages
	@$(BIN)/python packaging/licences.py
	@$(BIN)/python packaging/matrix.py --gpu $(GPU) --cpu $(CPU) $(WAYS)

wheels: $(INSTALLED) ## build wheels of llama.cpp that need no compiler, try each, in dist/wheels
	@$(BIN)/askance models pull smollm2-135m-instruct-q4_1
	@$(BIN)/python packaging/wheels.py dist/wheels $(GPUS) --model "$(MODELS_DIR)/smollm2-135m-instruct-q4_1/SmolLM2-135M-Instruct.Q4_1.gguf"

.PHONY: gpu
gpu: $(INSTALLED) ## on a machine with a GPU: compile, prove, measure; goes on when called again
	@$(BIN)/python packaging/gpu.py dist/gpu $(if $(DATA),--data $(DATA))

clean: ## remove .venv and caches, keep the models
	@rm -rf engine/retrieval/scan-*.so .venv .make .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@echo "Removed .venv and caches. The models stay; before the next clean, 'askance models rm' removes them."

$(INSTALLED): pyproject.toml constraints.txt packaging/before_install.py packaging/compile_flags.py packaging/compile_scan.py engine/retrieval/scan.c
	@$(PYTHON) packaging/before_install.py
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --upgrade -c constraints.txt 'pip>=25.1'
	@case "$(TORCH)" in \
	    no) extra= ;; \
	    *) extra='[torch]'; $(BIN)/python packaging/before_torch.py ;; \
	esac; \
	$(BIN)/python packaging/compile_flags.py \
	    $(BIN)/python -m pip install --no-compile -c constraints.txt -e ".$$extra" --group dev
	@$(BIN)/python -m compileall -qq -j 0 -x '$(SELDOM)' .venv/lib || : # on all cores, unlike pip
	@ls engine/retrieval/scan-*.so >/dev/null 2>&1 || echo "No C compiler that works: ranking is not compiled, and takes three times as long."
	@rm -f .venv/.installed-*
	@touch $@
