PYTHON ?= python3
BIN := .venv/bin
# Which of the long tests `make crash` runs.
CRASH ?= tests
# Isolation, crashes, memory and tools: what `make postgresql` runs.
ON_BOTH ?= tests/test_isolation.py tests/test_memory_*.py tests/test_tool_*.py tests/e2e/test_memory_*.py \
	tests/e2e/test_closed_memory.py tests/e2e/test_long_conversation.py tests/e2e/test_tool*.py \
	tests/e2e/test_scripted_ollama.py tests/e2e/test_approvals.py tests/e2e/test_*crash.py \
	tests/e2e/test_killed_jobs.py tests/abilities/reminders/test_*kills.py
AXE := axe-core@4.14.1
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: run check install format bench bench-model nightly crash postgresql browser conformance servers smoke migrate clean

run: .venv/local .venv/documents .venv/pictures .venv/voice .venv/charts ## start the service; without WhatsApp credentials, with the simulator
	@command -v espeak-ng >/dev/null || echo "Answers are not spoken: there is no program espeak-ng (apt install espeak-ng, brew install espeak-ng)."
	$(BIN)/wasap serve

install: .venv/dev

check: .venv/dev ## format, lint, types, import contract, tests
	$(BIN)/ruff format --check app tests
	$(BIN)/ruff check app tests
	$(BIN)/mypy app tests
	$(BIN)/lint-imports
	$(BIN)/pytest --forked 4 # on two cores: each of them waits for a quarter of its time

nightly: .venv/dev ## the tests with many more examples of the property-based ones
	HYPOTHESIS_PROFILE=nightly $(BIN)/pytest -n 2 --timeout 3600

format: .venv/dev
	$(BIN)/ruff format app tests
	$(BIN)/ruff check --fix app tests

bench: .venv/dev ## speed against in-process fakes, each next to its baseline
	$(BIN)/python -m tests.bench

bench-model: .venv/dev .venv/local ## the same conversation on the real model
	$(BIN)/python -m tests.bench_model
	$(BIN)/python -m tests.bench_model.everyday

crash: .venv/dev ## the long tests: SIGKILL at random moments, servers that misbehave
	$(BIN)/pytest -m long $(CRASH)

postgresql: .venv/dev .venv/postgres ## the suites of isolation, crashes, memory and tools on a real PostgreSQL; with LONG=1 their long tests, too
	WASAP_TEST_DATABASE=postgresql $(BIN)/pytest -n $(if $(LONG),0,2) -rs $(if $(LONG),-m long) $(ON_BOTH)

browser: .venv/dev .venv/browser ## the simulator's page and the home in Debian's Chromium; makes the screenshots in docs/
	npm install --silent --no-save --ignore-scripts --no-audit --no-fund --prefix .cache/axe $(AXE) || echo "no axe-core: that part is skipped"
	$(BIN)/pytest -m "browser and not live" -rs --tb=native tests/e2e/test_browser.py tests/e2e/test_browser_home.py tests/e2e/test_browser_widths.py

conformance: .venv/dev ## the official MCP conformance suite, as a client; fetches it through npm
	$(BIN)/python -m tests.conformance

servers: .venv/dev ## real MCP servers of npm and PyPI, installed by message, used and removed
	$(BIN)/pytest -m live_servers

smoke: ## a fresh clone, the real model, kill -9 in the middle
	bash tests/smoke.sh

migrate: .venv/dev
	$(BIN)/python -m app migrate

# A stamp per set of extras, so that nothing is installed twice.
.venv/dev .venv/local .venv/browser .venv/documents .venv/pictures .venv/voice .venv/charts .venv/postgres: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) -e ".[$(@F)]"
	$(if $(filter dev local,$(@F)),$(BIN)/wasap compile)
	touch $@

clean:
	rm -rf .venv
