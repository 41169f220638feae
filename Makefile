# make run      build Mapscope and open its window (make run FILE=some.pfmap opens a file)
# make test     everything that is checked before a change is taken
# make bench    how fast it reads and draws
# make lint     format and lints alone
# make docs     the library's documentation

CARGO ?= cargo
# Where there is no display, the demo's picture comes here instead of a window.
PICTURE := mapscope-demo.png

.PHONY: run test bench lint docs

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
	MAPSCOPE_REQUIRE=display,gpu $(CARGO) test --workspace --locked

bench:
	@scripts/install-packages.sh run
	$(CARGO) bench --workspace --benches --locked
	$(CARGO) run --quiet --release --locked -- bench demo:

lint:
	@scripts/install-packages.sh run
	$(CARGO) fmt --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked
