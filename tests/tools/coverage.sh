#!/bin/sh
# SPDX-License-Identifier: MIT
#
# coverage.sh [ISA...]: measures how much of pe.h and pe_simd.h the unit programs reach, on each ISA.
#
# coverage.sh table: writes the figures of the last run into docs/accuracy.md.
#
# The programs are built without optimisation, so that nothing is inlined and every line has its own code. They run with
# PE_QUICK=1, except those that are quick anyway. tests/tools/coverage.py merges the reports of gcov. Each line, each
# part of a line and each function must be reached, unless tests/tools/coverage.txt says why it is not.
set -u
. tests/tools/lib.sh
WORK=$BUILD/coverage
[ "${1:-}" != table ] || exec python3 tests/tools/coverage.py "$WORK" --table docs/accuracy.md

# Each entry is PROGRAM[.stream0][.full]. A program that streams (stream0) is a separate build. One that is `full` runs
# without PE_QUICK.
PROGRAMS="exact bounds.stream0 conventions conventions.stream0 alibi alibi.stream0 learned algebra rope_rotate.full
rope_call.full rope_refused.full rope_plan.full rope_tokens.full rope_table.full rope_ggml.full rope_frequencies.full errors types seeds splits.stream0 budget memory selftest at repeats models lists tables theorem"

# The arguments `job ISA PROGRAM` run one job.
if [ "${1:-}" = job ]; then
    isa=$2 name=$3
    program=${name%%.*}
    flags="$(isa_flags "$isa") -DPE_SLEEF=$([ "$isa" = scalar ] && echo 0 || echo "$HAVE_SLEEF")"
    case $name in *.stream0*) flags="$flags -DPE_STREAM_BYTES=0" ;; esac
    libraries="-lcmocka -lmpfr -lgmp -lpthread -lm"
    [ "$HAVE_SLEEF" = 0 ] || libraries="-lsleef $libraries"
    mkdir -p "$WORK/$isa"
    out=$WORK/$isa/$name
    quick=1
    case $name in *.full*) quick=0 ;; esac
    # shellcheck disable=SC2086
    if $GCC -std=c99 -O0 -g --coverage -fkeep-inline-functions -fkeep-static-functions $flags -I. \
        $EXTRA_CFLAGS -o "$out" "$(unit_source "$program")" $libraries >"$out.log" 2>&1 &&
        PE_QUICK=$quick "$out" >>"$out.log" 2>&1; then
        rm -f "$out.failed"
    else
        mv "$out.log" "$out.failed"
    fi
    exit 0
fi

have "$GCC" || skip "$GCC is missing: its gcov counts the lines"
have gcov || skip "gcov is missing"
have python3 || skip "python3 is missing"
for library in cmocka mpfr; do
    have_library $library "$GCC" || skip "lib$library is missing: make deps"
done
HAVE_SLEEF=0
[ "$SLEEF" = 0 ] || ! have_library sleef "$GCC" || HAVE_SLEEF=1
export HAVE_SLEEF
isas=${*:-$(cpu_isas)}
rm -rf "$WORK"
mkdir -p "$WORK"
# The slow programs begin first.
for program in $PROGRAMS; do
    for isa in $isas; do
        echo "$isa $program"
    done
done | xargs -P "$JOBS" -n 2 sh tests/tools/coverage.sh job
failed=$(find "$WORK" -name '*.failed')
for log in $failed; do
    echo "FAIL $log"
    tail -n 20 "$log"
done
# shellcheck disable=SC2086
python3 tests/tools/coverage.py "$WORK" $isas || exit 1
[ -z "$failed" ]
