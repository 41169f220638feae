# make run      build Mapscope and open its window (make run FILE=some.pfmap opens a file)
# make test     all checks that a change must pass
# make quick    only the tests of formats and scenes, without building wgpu and egui
# make sweep    sweep tests at every position of a file; make test samples positions
# make soak     long test of a window in use (make soak ROUNDS=200)
# make bench    measure reading and drawing
# make performance  update the figures of docs/performance.md; run it on an idle machine
# make package  build a .deb and a tarball with an installer in target/package (PUBLISH=1: for publication)
# make lint     only formatting and lints
# make docs     build the library's documentation
# make generators  check the generators of assets/ and that their output matches the files there
# make fuzz     run a fuzz target (make fuzz TARGET=pfmap SECONDS=60); see CONTRIBUTING.md

CARGO ?= cargo
# The scripts use these variables too.
export CARGO PUBLISH
# Without a display, `make run` renders an image of the demo to this file.
PICTURE := mapscope-demo.png

comma := ,
# Resources whose absence fails tests instead of skipping them; the corpus only if it exists.
REQUIRE := display,gpu$(if $(wildcard $(or $(MAPSCOPE_SHARED),../shared)/corpus),$(comma)corpus)
# List of tests that were skipped anyway.
SKIPPED := $(CURDIR)/target/skipped.txt

.PHONY: run test quick sweep soak bench performance package lint docs generators fuzz

run:
	@scripts/install-packages.sh run
	$(CARGO) build --release --locked
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname -s)" != Linux ]; then \
		$(CARGO) run --quiet --release --locked -- $(if $(FILE),"$(FILE)"); \
	else \
		echo "No display found: rendering an image instead."; \
		$(CARGO) run --quiet --release --locked -- \
			render $(if $(FILE),"$(FILE)",demo:) -o $(PICTURE) --size 1280x720 && \
		echo "The image is in $(CURDIR)/$(PICTURE)"; \
	fi

# Lints and documentation share one check of the dependencies, and tests build them once, all in
# the same profile.
test: lint docs
	@scripts/install-packages.sh test
	@mkdir -p $(dir $(SKIPPED)) && rm -f $(SKIPPED)
	MAPSCOPE_REQUIRE=$(REQUIRE) MAPSCOPE_SKIPPED=$(SKIPPED) $(CARGO) test --workspace --locked --no-fail-fast
	@if [ -s $(SKIPPED) ]; then sort $(SKIPPED) | uniq -c; else echo "No test was skipped."; fi

quick:
	$(CARGO) test --locked -p mapscope-formats -p mapscope-scene

sweep:
	@scripts/install-packages.sh test
	MAPSCOPE_SWEEP=full $(CARGO) test --locked -p mapscope-formats -p mapscope-scene -p mapscope-export \
		-p mapscope-render
	MAPSCOPE_SWEEP=full $(CARGO) test --locked --test bombs

soak:
	@scripts/install-packages.sh test
	MAPSCOPE_REQUIRE=display,gpu MAPSCOPE_SOAK=$(or $(ROUNDS),200) \
		$(CARGO) test --locked --test program -- soak --ignored --nocapture

bench:
	@scripts/install-packages.sh run
	$(CARGO) bench --workspace --benches --locked
	$(CARGO) run --quiet --release --locked -- bench demo:

performance:
	@scripts/install-packages.sh run
	$(CARGO) build --release --locked
	mkdir -p docs/performance
	target/release/mapscope bench --suite -o docs/performance/report.json
	target/release/mapscope bench --plot docs/performance/report.json -o docs/performance
	scripts/compare.py > target/others.md
	mv target/others.md docs/performance/others.md

package:
	@scripts/install-packages.sh run
	@scripts/package.sh

lint:
	@scripts/install-packages.sh run
	$(CARGO) fmt --check
	# cargo fmt does not find modules that are declared by a macro.
	@rustfmt --check --edition 2024 src/viewer/panels/*.rs
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) clippy --no-default-features --locked -- -D warnings

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

# The generators have their own workspace.
generators:
	cd generators && $(CARGO) fmt --check
	cd generators && $(CARGO) clippy --all-targets --locked -- -D warnings
	cd generators && $(CARGO) test --locked

# Needs a nightly toolchain and cargo-fuzz; the script reports missing tools.
fuzz:
	@scripts/fuzz.sh $(TARGET) $(if $(TARGET),$(or $(SECONDS),60))
