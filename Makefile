# `make help` lists the targets.
.DEFAULT_GOAL := help
.PHONY: help run test rehearse check fmt generate lock audit bench scale storm screenshots reset

# The first supported Python on PATH; PYTHON=… names another.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	command -v $$name >/dev/null 2>&1 && \
	$$name -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' && \
	echo $$name && exit; done; echo python3)


help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' Makefile

run: ## Run the portal, its workers, its scheduler and the sandbox; Ctrl-C stops them
	@exec $(PYTHON) dev/run.py

test: ## Run all tests: Python, PostgreSQL and Redis, faults, a rehearsal, the app, the browser
	@exec $(PYTHON) dev/test.py

rehearse: ## Rehearse production on this machine: TLS, PostgreSQL, Redis, the proxy, the units' commands
	@exec $(PYTHON) dev/rehearse.py

check: ## Run linters, type checkers, import and migration rules, deployment checks; compare generated files
	@exec $(PYTHON) dev/check.py

fmt: ## Format the sources and fix what the linters can fix
	@exec $(PYTHON) dev/check.py fmt

generate: ## Write docs/openapi.json and the app's types
	@exec $(PYTHON) dev/check.py generate

lock: ## Compile requirements*.txt from requirements*.in
	@exec $(PYTHON) dev/check.py lock

audit: ## Ask PyPI and npm for known vulnerabilities of the locked packages
	@exec $(PYTHON) dev/audit.py

bench: ## Measure the portal against plain implementations of the same; ROWS="sdk invoices" for some rows
	@exec $(PYTHON) dev/bench.py

scale: ## Measure how costs grow with the number of accounts, on PostgreSQL; N=100000
	@exec $(PYTHON) dev/scale.py

storm: ## Search for sequences of actions, faults and kills that break a rule; SECONDS=1800 SEQUENCES=50 SEED=7
	@exec $(PYTHON) dev/storm.py

screenshots: ## Take pictures of every screen, wide and narrow, light and dark, into var/screenshots
	@exec $(PYTHON) dev/screenshots.py

reset: ## Delete the demo's data
	@exec $(PYTHON) dev/reset.py
