#!/bin/sh
# Feeds a fuzz target with whatever makes it do something new, for so many seconds.
#
#   scripts/fuzz.sh                     the targets
#   scripts/fuzz.sh TARGET SECONDS      runs one; other arguments are options of libFuzzer
#
# What it finds lies in fuzz/artifacts/TARGET; `cargo +nightly fuzz tmin -s none TARGET FILE` makes it
# smaller. Inputs that did something new are kept in fuzz/corpus/TARGET, from which the next run goes on.
set -eu
cd "$(dirname "$0")/../fuzz"

if [ $# -lt 2 ]; then
    echo "make fuzz TARGET=... SECONDS=...; targets:"
    for file in targets/*.rs; do
        basename "$file" .rs
    done
    exit 2
fi
target=$1 seconds=$2
shift 2

missing=
cargo +nightly --version >/dev/null 2>&1 || missing="$missing
  a nightly toolchain: rustup toolchain install nightly --profile minimal"
cargo fuzz --version >/dev/null 2>&1 || missing="$missing
  cargo-fuzz: cargo install cargo-fuzz --locked"
command -v c++ >/dev/null 2>&1 || missing="$missing
  a C++ compiler, which libFuzzer is built with: apt install g++"
if [ -n "$missing" ]; then
    echo "Fuzzing takes what is missing here:$missing" >&2
    exit 1
fi
if [ ! -e "targets/$target.rs" ]; then
    echo "There is no fuzz target $target; those that are there: $(cd targets && echo *.rs | sed 's/\.rs//g')" >&2
    exit 2
fi

# Words of all formats for targets that are for all.
mkdir -p "corpus/$target" "seeds/$target"
words=seeds/$target.dict
case $target in
pmf_sections) cat dictionaries/pmf.dict >"$words" ;;
repeated | document | diff | export | convert) cat dictionaries/*.dict >"$words" ;;
*) cat "dictionaries/$target.dict" >"$words" ;;
esac

# No sanitizer: they find what unsafe code does wrong, and readers have none. Time and memory are bounded by
# the target itself (src/bounds.rs), in time of the processor; libFuzzer's own limits are for what never ends,
# and count the clock on the wall, so that they are long.
MAPSCOPE_FUZZ_SEEDS=$(pwd)/seeds/$target
export MAPSCOPE_FUZZ_SEEDS
exec cargo +nightly fuzz run -s none "$target" "corpus/$target" "seeds/$target" -- \
    -dict="$words" -max_len=8192 -timeout=600 -rss_limit_mb=2048 -max_total_time="$seconds" \
    -print_final_stats=1 "$@"
