#!/bin/sh
# SPDX-License-Identifier: MIT
#
# analyze.sh [TOOL...]: runs static analysis on tests/unit/hash.c, which calls all functions of the headers. They are
# analysed as C and as C++, as scalar code and with the widest vectors. No finding is allowed.
#
#   TOOL   is gcc (-fanalyzer), clang (--analyze), tidy (.clang-tidy lists the checks) or cppcheck
set -u
. tests/tools/lib.sh
WORK=$BUILD/analyze
PROGRAM=${ANALYZE_PROGRAM:-tests/unit/hash.c}
WIDE=avx512
case $(uname -m) in aarch64 | arm64) WIDE=neon ;; esac

# The arguments `job TOOL ISA LANGUAGE` run one job. No program runs, so the CPU does not matter.
if [ "${1:-}" = job ]; then
    tool=$2 isa=$3 language=$4
    log=$WORK/$tool.$isa.$language
    standard=c99
    [ "$language" = c ] || standard=c++11
    flags="$(isa_flags "$isa") -DPE_SLEEF=0 -I. -x $language -std=$standard"
    start=$(date +%s)
    # The code is not optimised. Otherwise, inlined functions would be analysed again at each call, which takes ten
    # times as long.
    # shellcheck disable=SC2086
    case $tool in
    gcc) timeout 540 "$GCC" $flags -O0 -fanalyzer -Wall -Wextra -Werror -c -o "$log.o" "$PROGRAM" ;;
    clang) # analyses each function of the headers also on its own; for vectors, that would take many minutes
        deep=
        [ "$isa.$language" != scalar.c ] || deep="-Xclang -analyzer-opt-analyze-headers"
        timeout 540 "$CLANG" --analyze --analyzer-output text -Xclang -analyzer-werror $deep \
            $flags "$PROGRAM" ;;
    tidy) timeout 540 clang-tidy --quiet "$PROGRAM" -- $flags ;;
    cppcheck) # the group `performance` advises C++ to use references, which C does not have
        enable=warning,portability
        [ "$language" != c ] || enable=$enable,performance
        timeout 540 cppcheck --quiet --enable=$enable --inline-suppr \
        --suppress=missingIncludeSystem --error-exitcode=1 --language="$language" --std=$standard \
        -D__GNUC__=12 -D__x86_64__=1 -D__SSE2__=1 -D__AVX512F__=1 -D__AVX512DQ__=1 -D__AVX512BW__=1 \
        "-DPE_ISA=$([ "$isa" = scalar ] && echo 1 || echo 4)" -DPE_SLEEF=0 -I. "$PROGRAM" ;;
    esac >"$log.log" 2>&1
    status=$?
    # On standard error, clang-tidy counts the warnings that it suppressed; that is no finding.
    if [ $status -eq 0 ] && ! grep -q -E '(warning|error|portability|performance):' "$log.log"; then
        echo "ok   $(($(date +%s) - start)) s  $tool $isa $language"
    else
        [ $status -ne 124 ] || echo "no end after 540 s" >>"$log.log"
        {
            echo "FAIL $tool $isa $language: $log.log"
            head -n 40 "$log.log"
        } >"$log.failed"
        cat "$log.failed"
    fi
    exit 0
fi

rm -rf "$WORK"
mkdir -p "$WORK"
skipped=0
for tool in ${*:-gcc clang tidy cppcheck}; do
    case $tool in gcc) command=$GCC ;; clang) command=$CLANG ;; tidy) command=clang-tidy ;; *) command=$tool ;; esac
    if ! have "$command"; then
        echo "SKIP: $command is missing: tests/run deps-tools" >&2
        continue
    fi
    for isa in scalar $WIDE; do
        echo "$tool $isa c"
        # gcc says about its analyser that it does not support C++.
        [ $tool = gcc ] || echo "$tool $isa c++"
    done
done >"$WORK/jobs" 2>"$WORK/skips"
cat "$WORK/skips"
skipped=$(wc -l <"$WORK/skips")
xargs -P "$JOBS" -n 3 sh tests/tools/analyze.sh job <"$WORK/jobs"
total=$(wc -l <"$WORK/jobs")
failed=$(find "$WORK" -name '*.failed' | wc -l)
if [ "$total" -eq 0 ]; then
    exit 77
fi
echo "$((total - failed)) passed, $((failed)) failed, $((skipped)) skipped"
[ "$failed" -eq 0 ]
