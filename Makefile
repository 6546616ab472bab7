# Everything one does here. `make help` lists it.
.DEFAULT_GOAL := help
.PHONY: help run test check fmt generate lock audit bench storm screenshots reset

# The first Python that we are tested on; name another with PYTHON=….
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	command -v $$name >/dev/null 2>&1 && \
	$$name -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' && \
	echo $$name && exit; done; echo python3)


help: ## Say what there is
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' Makefile

run: ## Serve the portal, its worker, its schedule and the sandbox; Ctrl-C stops them
	@exec $(PYTHON) dev/run.py

test: ## Run every test: Python, PostgreSQL and Redis where they answer, frontend, browser journeys
	@exec $(PYTHON) dev/test.py

check: ## Run linters, type checkers, import rules, deployment checks, freshness of what is generated
	@exec $(PYTHON) dev/check.py

fmt: ## Format and mend what can be mended by itself
	@exec $(PYTHON) dev/check.py fmt

generate: ## Write docs/openapi.json, the app's types and the tables of docs/ anew
	@exec $(PYTHON) dev/check.py generate

lock: ## Compile requirements*.txt from requirements*.in
	@exec $(PYTHON) dev/check.py lock

audit: ## Ask PyPI and npm whether what is locked has known holes
	@exec $(PYTHON) dev/audit.py

bench: ## Say what the portal costs against doing the same plainly; ROWS="sdk invoices" for some rows
	@exec $(PYTHON) dev/bench.py

storm: ## Search for what people, faults, kills and time break between them; SECONDS=1800 SEQUENCES=50 SEED=7
	@exec $(PYTHON) dev/storm.py

screenshots: ## Take pictures of every screen, wide and narrow, light and dark, into var/screenshots
	@exec $(PYTHON) dev/screenshots.py

reset: ## Forget the demo's data
	@exec $(PYTHON) dev/reset.py
