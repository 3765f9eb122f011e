#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh: builds and runs the harnesses of tests/fuzz. They are api, simd, rope, tables, gguf, npy and compare; without
# NAME all of them are used.
#
#   run.sh fuzz [NAME...]      runs each with $FUZZ_ENGINE for its share of $FUZZ_SECONDS (`tests/run fuzz`). libFuzzer
#                              keeps new inputs in build/fuzz/corpus.NAME
#   run.sh replay [NAME...]    replays tests/fuzz/corpus/NAME with gcc, and with clang and its sanitizers; simd has no
#                              sanitizers (`tests/run fuzz-replay`)
#   run.sh minimise [NAME...]  makes tests/fuzz/corpus/NAME anew from the inputs that cover most
#
# Variables: FUZZ_SECONDS=60   the time for all harnesses together
#            FUZZ_ENGINE       libfuzzer, afl or random; the default is libfuzzer if clang has it, otherwise random
#            FUZZ_SANITIZE=1   builds libfuzzer's program with AddressSanitizer and UndefinedBehaviorSanitizer
#            FUZZ_SEED=1       the seed of the random numbers
#            FUZZ_FLAGS        more flags for libFuzzer. "-len_control=0 -reduce_inputs=0" gives long inputs, of which
#                              fewer are needed; use it before minimise
#            FUZZ_REPLAY="gcc clang"  the compilers of a replay
#
# If a harness crashes, the script fails and prints how to replay the input. New inputs are left in build/fuzz.
set -u
. tests/tools/lib.sh
FUZZ_SECONDS=${FUZZ_SECONDS:-60}
FUZZ_SANITIZE=${FUZZ_SANITIZE:-0}
FUZZ_SEED=${FUZZ_SEED:-1}
FUZZ_FLAGS=${FUZZ_FLAGS:-}
FUZZ_REPLAY=${FUZZ_REPLAY:-gcc clang}
OUT=$BUILD/fuzz
CORPUS=tests/fuzz/corpus
BASE="-std=c99 -g1 -I. -Itests/fuzz $EXTRA_CFLAGS"
LIBFUZZER="-O2 -fsanitize=fuzzer -fno-sanitize-coverage=trace-cmp"
SANITIZERS="-fsanitize=address,undefined -fno-sanitize-recover=all"
# These sanitizers take 25 % of the build time of SANITIZERS, so that a replay can be part of `make test`.
FEWER="-fsanitize=address,signed-integer-overflow,shift,bounds,float-cast-overflow\
,integer-divide-by-zero,pointer-overflow -fno-sanitize-recover=all"
mkdir -p "$OUT"

have_libfuzzer() {
    have "$CLANG" || return 1
    echo '#include <stddef.h>
        int LLVMFuzzerTestOneInput(const unsigned char *d, size_t n) { return !d && n; }' |
        $CLANG -x c -fsanitize=fuzzer - -o "$OUT/probe" >/dev/null 2>&1
}

# build NAME COMPILER FLAGS...: builds a harness as $OUT/$program. $main is the file with main(), or empty for
# libFuzzer, which has its own.
build() {
    build_name=$1 build_cc=$2
    shift 2
    build_isa=$(isa_flags "$(best_isa)")
    if [ "$build_name" != simd ]; then
        # shellcheck disable=SC2086
        $build_cc $BASE $build_isa -DPE_SLEEF=0 "$@" "tests/fuzz/$build_name.c" $main \
            -o "$OUT/$program" -lm
        return
    fi
    build_objects= build_codes= build_libs=
    for isa in $(cpu_isas); do # the scalar one first, with hardware FMA: more inputs a second
        code=$isa
        [ "$isa" != scalar ] || ! cpu_has avx2 || code=scalarfma
        # All but the scalar code use SLEEF, so that SLEEF is compared with pe's own sines.
        sleef=0
        if [ "$isa" != scalar ] && [ "$SLEEF" != 0 ] && have_library sleef "$build_cc"; then
            sleef=1 build_libs=-lsleef
        fi
        # shellcheck disable=SC2046,SC2086
        $build_cc $BASE $(isa_flags "$code") -DPE_SLEEF=$sleef "$@" -DFUZZ_CODE=code_$isa \
            -c tests/fuzz/simd_code.c -o "$OUT/$program.$isa.o" || return 1
        build_objects="$build_objects $OUT/$program.$isa.o"
        build_codes="$build_codes${build_codes:+,}&code_$isa"
    done
    # shellcheck disable=SC2086
    $build_cc $BASE -DPE_ISA=PE_ISA_SCALAR -DPE_SLEEF=0 "$@" "-DFUZZ_CODES=$build_codes" \
        tests/fuzz/simd.c $main $build_objects -o "$OUT/$program" $build_libs -lm
}

no_build() {
    echo "FAIL: $1 does not build"
    failed=$((failed + 1))
}

# crashed NAME INPUT: reports a crash, with the command that replays the input.
crashed() {
    echo "CRASH of $1, input $2; to replay it: $OUT/$program $2"
    failed=1
}

fuzz_libfuzzer() {
    program=$1.libfuzzer main=
    flags=$LIBFUZZER
    if [ "$FUZZ_SANITIZE" = 1 ]; then
        program=$1.libfuzzer.asan
        flags="$LIBFUZZER $SANITIZERS -O1"
    fi
    # shellcheck disable=SC2086
    build "$1" "$CLANG" $flags || { no_build "$1" && return; }
    mkdir -p "$OUT/corpus.$1"
    log=$OUT/$program.log
    # With libFuzzer's default schedule, entropic=1, choosing an input takes ten times as long as running it.
    # shellcheck disable=SC2086
    "$OUT/$program" -max_total_time="$2" -max_len=160 -entropic=0 -reload=0 -timeout=20 \
        -print_final_stats=1 -seed="$FUZZ_SEED" -artifact_prefix="$OUT/$1." $FUZZ_FLAGS \
        "$OUT/corpus.$1" "$CORPUS/$1" >"$log" 2>&1
    status=$?
    awk -v name="$1" '
        $2 ~ /^[A-Z]/ && / cov: / {
            for (i = 1; i < NF; i++) {
                if ($i == "cov:") cov = $(i + 1)
                if ($i == "ft:") ft = $(i + 1)
            }
        }
        $2 == "INITED" { cov0 = cov; ft0 = ft }
        /number_of_executed_units/ { n = $2 }
        /average_exec_per_sec/ { rate = $2 }
        END {
            printf "%-8s %d executions, %d a second, coverage %d -> %d, features %d -> %d\n", name,
                n, rate, cov0, cov, ft0, ft
        }' "$log"
    if [ $status -ne 0 ]; then
        grep -h '^FUZZ\|ERROR\|runtime error' "$log"
        input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
        crashed "$1" "${input:-none}"
    fi
}

fuzz_afl() {
    have afl-clang-fast || skip "afl-clang-fast is missing: sh tests/tools/deps.sh fuzz"
    program=$1.afl main=tests/fuzz/main.c
    AFL_QUIET=1 build "$1" afl-clang-fast -O2 || { no_build "$1" && return; }
    rm -rf "$OUT/afl.$1"
    log=$OUT/$program.log
    AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 \
        afl-fuzz -V "$2" -i "$CORPUS/$1" -o "$OUT/afl.$1" -- "$OUT/$program" >"$log" 2>&1
    awk -v name="$1" '
        { gsub(/[ %]/, "", $3); v[$1] = $3 }
        END {
            printf "%-8s %d executions, %d a second, %d inputs found, coverage %s%% of the map\n",
                name, v["execs_done"], v["execs_per_sec"], v["corpus_found"], v["bitmap_cvg"]
        }' "$OUT/afl.$1/default/fuzzer_stats" || { cat "$log" && failed=1; }
    for input in "$OUT/afl.$1"/default/crashes/id* "$OUT/afl.$1"/default/hangs/id*; do
        [ ! -f "$input" ] || crashed "$1" "$input"
    done
}

fuzz_random() {
    program=$1.random main=tests/fuzz/main.c
    build "$1" "$CC" -O2 || { no_build "$1" && return; }
    printf '%-8s ' "$1"
    FUZZ_CRASH=$OUT/$1.crash "$OUT/$program" -random "$2" "$FUZZ_SEED" "$CORPUS/$1" ||
        crashed "$1" "$OUT/$1.crash"
}

replay() {
    for with in $FUZZ_REPLAY; do
        program=$1.replay.$with main=tests/fuzz/main.c
        if [ "$with" = gcc ]; then
            have "$GCC" || { echo "SKIP: $GCC is missing" && continue; }
            # shellcheck disable=SC2086
            build "$1" "$GCC" -O1 $WARNINGS || { no_build "$1" && continue; }
        else
            have "$CLANG" || { echo "SKIP: $CLANG is missing" && continue; }
            if [ "$1" = simd ]; then FEWER=; fi # three libraries in one program
            # shellcheck disable=SC2086
            build "$1" "$CLANG" -O1 $FEWER || { no_build "$1" && continue; }
        fi
        printf '%s, %s: ' "$1" "$with"
        if ASAN_OPTIONS=detect_leaks=0 "$OUT/$program" "$CORPUS/$1"; then
            passed=$((passed + 1))
        else
            echo "FAIL: to see it again: $OUT/$program FILE"
            failed=$((failed + 1))
        fi
    done
}

# minimise NAME: replaces the kept inputs by few that together reach every edge that any kept or new input reaches. If
# there are more than MOST, those that add least are left out, so that a checkout stays small.
MOST=180
minimise() {
    have_libfuzzer || skip "clang's libFuzzer is missing"
    program=$1.libfuzzer main=
    # shellcheck disable=SC2086
    build "$1" "$CLANG" $LIBFUZZER || exit 1
    rm -rf "$OUT/min.$1"
    mkdir -p "$OUT/min.$1" "$OUT/corpus.$1" "$CORPUS/$1"
    "$OUT/$program" -set_cover_merge=1 -use_counters=0 -max_len=160 "$OUT/min.$1" "$CORPUS/$1" \
        "$OUT/corpus.$1" >"$OUT/$program.log" 2>&1 || {
        cat "$OUT/$program.log"
        exit 1
    }
    # The files planted-* were added by hand and stay. tests/tools/selfcheck.sh needs them to find the defects that it
    # plants.
    find "$CORPUS/$1" -type f ! -name 'planted-*' -exec rm -f {} +
    # libFuzzer writes first the inputs that add most, so the oldest files come first.
    # shellcheck disable=SC2012
    ls -tr "$OUT/min.$1" | head -n $MOST | while read -r input; do
        cp "$OUT/min.$1/$input" "$CORPUS/$1/"
    done
    echo "$1: $(find "$CORPUS/$1" -type f | wc -l) files, $(cat "$CORPUS/$1"/* | wc -c) bytes"
}

what=${1:-fuzz}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- api simd rope tables gguf npy compare
passed=0 failed=0
case $what in
fuzz)
    engine=${FUZZ_ENGINE:-}
    if [ -z "$engine" ]; then
        if have_libfuzzer; then engine=libfuzzer; else engine=random; fi
    fi
    case $engine in
    libfuzzer) have_libfuzzer || skip "libFuzzer is missing: FUZZ_ENGINE=random needs none" ;;
    afl | random) ;;
    *) echo "FUZZ_ENGINE=$engine is not one of libfuzzer afl random" && exit 1 ;;
    esac
    share=$((FUZZ_SECONDS / $#))
    [ $share -gt 0 ] || share=1
    echo "$engine, $share s each"
    for name in "$@"; do
        fuzz_$engine "$name" $share
    done
    ;;
replay)
    for name in "$@"; do
        replay "$name"
    done
    echo "$passed passed, $failed failed"
    [ $((passed + failed)) -gt 0 ] || skip "neither $GCC nor $CLANG is here"
    ;;
minimise)
    for name in "$@"; do
        minimise "$name"
    done
    ;;
*) echo "run.sh: unknown command $what" && exit 1 ;;
esac
[ $failed -eq 0 ]
