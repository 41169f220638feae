# make run      build Mapscope and open its window (make run FILE=some.pfmap opens a file)
# make test     everything that is checked before a change is taken
# make quick    the tests of formats and scenes alone, which build no wgpu and no egui
# make sweep    sweeps over every position of files, of which make test takes every few
# make soak     a window that is used for long (make soak ROUNDS=200)
# make bench    how fast it reads and draws
# make performance  the figures of docs/performance.md, on a machine that does nothing else
# make package  a .deb and a tarball with an installer, in target/package (PUBLISH=1: for others to use)
# make lint     format and lints alone
# make docs     the library's documentation
# make generators  checks the generators of assets/ and that they make the files there
# make fuzz     feeds a reader with made-up files (make fuzz TARGET=pfmap SECONDS=60); see CONTRIBUTING.md

CARGO ?= cargo
# Also for the scripts.
export CARGO PUBLISH
# Where there is no display, the demo's picture comes here instead of a window.
PICTURE := mapscope-demo.png

comma := ,
# What tests must not be skipped for; the corpus where it is there.
REQUIRE := display,gpu$(if $(wildcard $(or $(MAPSCOPE_SHARED),../shared)/corpus),$(comma)corpus)
# What was skipped all the same.
SKIPPED := $(CURDIR)/target/skipped.txt

.PHONY: run test quick sweep soak bench performance package lint docs generators fuzz

run:
	@scripts/install-packages.sh run
	$(CARGO) build --release --locked
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname -s)" != Linux ]; then \
		$(CARGO) run --quiet --release --locked -- $(if $(FILE),"$(FILE)"); \
	else \
		echo "There is no display to open a window on: drawing a picture instead."; \
		$(CARGO) run --quiet --release --locked -- \
			render $(if $(FILE),"$(FILE)",demo:) -o $(PICTURE) --size 1280x720 && \
		echo "The picture is in $(CURDIR)/$(PICTURE)"; \
	fi

# The lints and the documentation check dependencies only once between them, and the tests build
# them once, all in the same profile.
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
	# Modules that a macro declares are unknown to cargo fmt.
	@rustfmt --check --edition 2024 src/viewer/panels/*.rs
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) clippy --no-default-features --locked -- -D warnings

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked

# A workspace of its own.
generators:
	cd generators && $(CARGO) fmt --check
	cd generators && $(CARGO) clippy --all-targets --locked -- -D warnings
	cd generators && $(CARGO) test --locked

# Takes a nightly toolchain and cargo-fuzz, and says so if they are missing.
fuzz:
	@scripts/fuzz.sh $(TARGET) $(if $(TARGET),$(or $(SECONDS),60))
