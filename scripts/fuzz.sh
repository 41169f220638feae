#!/bin/sh
# Runs a fuzz target for the given number of seconds.
#
#   scripts/fuzz.sh                     lists the targets
#   scripts/fuzz.sh TARGET SECONDS      runs one; other arguments are options of libFuzzer
#
# Failing inputs are written to fuzz/artifacts/TARGET; `cargo +nightly fuzz tmin -s none TARGET FILE`
# minimizes them. Inputs with new coverage are kept in fuzz/corpus/TARGET, where the next run continues.
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
  a C++ compiler to build libFuzzer: apt install g++"
if [ -n "$missing" ]; then
    echo "Fuzzing needs these missing tools:$missing" >&2
    exit 1
fi
if [ ! -e "targets/$target.rs" ]; then
    echo "Fuzz target $target not found; expected one of: $(cd targets && echo *.rs | sed 's/\.rs//g')" >&2
    exit 2
fi

# Targets that cover all formats get the dictionaries of all formats.
mkdir -p "corpus/$target" "seeds/$target"
words=seeds/$target.dict
case $target in
pmf_sections) cat dictionaries/pmf.dict >"$words" ;;
repeated | document | diff | export | convert) cat dictionaries/*.dict >"$words" ;;
*) cat "dictionaries/$target.dict" >"$words" ;;
esac

# No sanitizer: sanitizers find errors of unsafe code, and the readers have none. The target itself limits
# CPU time and memory (src/bounds.rs). libFuzzer's own limits catch endless loops; they are long because they
# count wall-clock time.
MAPSCOPE_FUZZ_SEEDS=$(pwd)/seeds/$target
export MAPSCOPE_FUZZ_SEEDS
exec cargo +nightly fuzz run -s none "$target" "corpus/$target" "seeds/$target" -- \
    -dict="$words" -max_len=8192 -timeout=600 -rss_limit_mb=2048 -max_total_time="$seconds" \
    -print_final_stats=1 "$@"
