#!/bin/sh
# SPDX-License-Identifier: MIT
#
# readme.sh: every ```c block of README.md is a complete program: it compiles without a warning
# as C and as C++, with SLEEF and without, runs, and says the same each time.
set -u
. tests/tools/lib.sh
WORK=$BUILD/readme
rm -rf "$WORK"
mkdir -p "$WORK"
readme=${README:-README.md}
[ -f "$readme" ] || { echo "there is no $readme" && exit 1; }
awk -v work="$WORK" '/^```c$/ { on = 1; n++; next } /^```/ { on = 0 } on { print >(work "/" n ".c") }' "$readme"
[ -s "$WORK/1.c" ] || { echo "$readme has no \`\`\`c block" && exit 1; }
passed=0 failed=0 skipped=0
reference=

run() { # NAME RUNNER COMPILER FLAGS...
    name=$1 runner=$2
    shift 2
    if ! have "$1"; then
        echo "SKIP: README program as $name: $1 is missing"
        skipped=$((skipped + 1))
        return
    fi
    rm -f "$WORK/program"
    if "$@" >"$WORK/log" 2>&1 && $runner "$WORK/program" >"$WORK/out" 2>&1 && [ -s "$WORK/out" ] &&
        { [ -z "$reference" ] || cmp -s "$reference" "$WORK/out"; }; then
        echo "ok   $name"
        passed=$((passed + 1))
        [ -n "$reference" ] || { reference=$WORK/reference && cp "$WORK/out" "$reference" && cat "$reference"; }
    else
        echo "FAIL $name: $*"
        cat "$WORK/log" "$WORK/out" 2>/dev/null
        failed=$((failed + 1))
    fi
}

out="-I. -o $WORK/program"
for source in "$WORK"/*.c; do
    echo "$source"
    reference=
    # shellcheck disable=SC2086
    {
        run "C99, no SLEEF" "" "$CC" -std=c99 -O2 $WARNINGS $out -DPE_SLEEF=0 "$source" -lm
        run "C++11, no SLEEF" "" "$GXX" -x c++ -std=c++11 -O2 $WARNINGS $out -DPE_SLEEF=0 "$source" -lm
        run "clang, C17" "" "$CLANG" -std=c17 -O2 $WARNINGS $out -DPE_SLEEF=0 "$source" -lm
        if [ "$SLEEF" != 0 ] && have_library sleef "$CC"; then
            run "C99, SLEEF, best ISA" "" "$CC" -std=c99 -O2 $WARNINGS $EXTRA_CFLAGS $(isa_flags "$(best_isa)") \
                $out "$source" -lsleef -lm
        else
            echo "SKIP: README program with SLEEF: libsleef is missing or off"
            skipped=$((skipped + 1))
        fi
        if ! cpu_has neon && have_arm64; then
            run "AArch64" arm64_run "$ARM64_GCC" -std=c99 -O2 $WARNINGS $out -DPE_SLEEF=0 "$source" -lm
        fi
    }
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
