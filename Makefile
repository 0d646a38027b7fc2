# Every chore of this repository; `make help` lists them, and CI calls the same targets.

TARGET ?= $(or $(CARGO_TARGET_DIR),target)
KILLS ?= 1000
BENCH ?= long

.DEFAULT_GOAL := help
FUZZ ?= 300
.PHONY: help run test conformance interop tidy lint bench bench-short fuzz fuzz-short torture torture-short deny docs requirements clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

run: ## build the daemon and start it on its defaults
	cargo build --release -p app
	exec $(TARGET)/release/outfitter serve

test: ## everything CI runs: format, lints, tests, API conformance
	@cargo run --quiet --profile ci -p xtask -- test

conformance: ## run the official MCP conformance suite
	cargo build --profile ci -p mcp --example conformance
	@cargo run --quiet --profile ci -p xtask -- conformance

interop: ## run the tests against other people's MCP clients and servers
	@cargo run --quiet --profile ci -p xtask -- interop

tidy: ## check the tree's invariants
	@cargo run --quiet --profile ci -p xtask -- tidy

lint: ## format check and clippy
	cargo fmt --all --check
	cargo clippy --profile ci --workspace --all-targets -- -D warnings

bench: ## measure the release build against this machine; BENCH=short for a quick look
	cargo build --release -p app -p testkit
	cargo build --release -p fga --example figures
	cargo build --release -p mcp --example wire_figures
	$(TARGET)/release/testkit bench $(if $(filter short,$(BENCH)),--short)
	$(TARGET)/release/examples/figures $(if $(filter short,$(BENCH)),--short)
	$(TARGET)/release/examples/wire_figures $(if $(filter short,$(BENCH)),--short)

bench-short: ## show that the benchmark runs, with the build of the tests
	cargo build --profile ci -p app -p testkit
	cargo build --profile ci -p fga --example figures
	cargo build --profile ci -p mcp --example wire_figures
	$(TARGET)/ci/testkit bench --short
	$(TARGET)/ci/examples/figures --short
	$(TARGET)/ci/examples/wire_figures --short

fuzz: ## throw mutated models, conditions and messages at the parsers for FUZZ seconds (300) per crate
	cargo build --profile ci -p fga --example fuzz
	cargo build --profile ci -p mcp --example wire_fuzz
	$(TARGET)/ci/examples/fuzz $(FUZZ)
	$(TARGET)/ci/examples/wire_fuzz $(FUZZ)

fuzz-short: ## the same for 10 seconds
	cargo build --profile ci -p fga --example fuzz
	cargo build --profile ci -p mcp --example wire_fuzz
	$(TARGET)/ci/examples/fuzz 10
	$(TARGET)/ci/examples/wire_fuzz 10

torture: ## kill the release build KILLS times (1000) and look for lost writes
	cargo build --release -p app -p testkit
	$(TARGET)/release/testkit torture --kills $(KILLS)

torture-short: ## 200 kills with the build of the tests
	cargo build --profile ci -p app -p testkit
	$(TARGET)/ci/testkit torture --kills 200

deny: ## check licences, bans and sources of the dependencies
	@command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	cargo deny check licenses bans sources

docs: ## write the references in docs/reference from the built binary
	cargo build --profile ci -p app
	@cargo run --quiet --profile ci -p xtask -- docs

requirements: ## lock the Python tools and the MCP peers of the tests anew
	python3 -m venv $(TARGET)/pip-tools
	$(TARGET)/pip-tools/bin/pip install --quiet pip-tools
	cd tests && for name in requirements peers/python peers/python-old; do \
		$(abspath $(TARGET))/pip-tools/bin/pip-compile --quiet --generate-hashes --no-strip-extras --no-header \
			--no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-annotate \
			-o $$name.lock $$name.txt || exit 1; \
	done
	cd tests/peers/node && npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts \
		--engine-strict=false --no-audit --no-fund --loglevel error

clean: ## remove everything that was built
	cargo clean
