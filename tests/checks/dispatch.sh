#!/bin/sh
# SPDX-License-Identifier: MIT
#
# dispatch.sh: several instruction sets in one program, as examples/dispatch.c shows it.
#
#   symbols   the object of an instruction set defines its table for the linker and nothing else,
#             weak symbols included, in C and in C++, optimised and not: no function compiled with
#             the flags of one can be taken for that of another
#   bits      all instruction sets of this CPU, called from one program, agree
set -u
. tests/tools/lib.sh
WORK=$BUILD/dispatches
rm -rf "$WORK"
mkdir -p "$WORK"
have nm || skip "nm is missing"
skipped=0

# What the linker sees of an object, Darwin's underscore taken away.
symbols() { nm -g "$1" | awk '$(NF - 1) != "U" { print $NF }' | sed 's/^_\(kernels\)/\1/'; }
exports() { # OBJECT NAME: that alone
    symbols "$1" >"$WORK/symbols"
    echo "$2" | diff - "$WORK/symbols"
}

case $(uname -m) in
x86_64 | amd64) isas="scalar avx2 avx512" ;;
aarch64 | arm64) isas="scalar neon" ;;
*) isas=scalar ;;
esac
here=$(cpu_isas | wc -w | tr -d ' ')
runner=

program() { # COMPILER LANGUAGE LEVEL SLEEF
    cc=$1 language=$2 level=$3 sleef=$4
    name="$cc, ${language#* }, $level, PE_SLEEF=$sleef"
    objects=
    rm -f "$WORK/program"
    flags="-x $language $level $WARNINGS $EXTRA_CFLAGS -I."
    for isa in $isas; do
        use=$sleef
        [ "$isa" != scalar ] || use=0
        # shellcheck disable=SC2046,SC2086
        check "$isa: $name" "$cc" $flags $(isa_flags $isa) -DPE_SLEEF=$use \
            -DKERNELS=kernels_$isa -c examples/dispatch_isa.c -o "$WORK/$isa.o"
        check "$isa exports kernels_$isa alone: $name" exports "$WORK/$isa.o" "kernels_$isa"
        objects="$objects $WORK/$isa.o"
    done
    # shellcheck disable=SC2046,SC2086
    check "the program: $name" "$cc" $flags $(isa_flags scalar) -DPE_SLEEF=0 examples/dispatch.c \
        -x none $objects -o "$WORK/program" $([ $sleef = 0 ] || echo -lsleef) -lm
    check "the same bits: $name" runs
}
runs() {
    $runner "$WORK/program" >"$WORK/out" || { cat "$WORK/out" && return 1; }
    cat "$WORK/out"
    grep -q "^the same bits from $here instruction set" "$WORK/out"
}

with_sleef=0
if [ "$SLEEF" != 0 ] && have_library sleef "$CC"; then
    with_sleef=1
else
    echo "SKIP: dispatch with SLEEF: it is missing or off"
    skipped=$((skipped + 1))
fi
program "$CC" "c -std=c99" -O2 $with_sleef
# Without optimisation every inline function that is used has a body: what could leak, does.
for compiler in "$GXX -O0 $with_sleef" "$CLANGXX -O0 0"; do
    # shellcheck disable=SC2086
    set -- $compiler
    if have "$1"; then
        program "$1" "c++ -std=c++11" "$2" "$3"
    else
        echo "SKIP: dispatch in C++: $1 is missing"
        skipped=$((skipped + 1))
    fi
done
if ! cpu_has neon && have_arm64; then
    isas="scalar neon" here=2 runner=arm64_run
    program "$ARM64_GCC" "c -std=c99" -O1 0
    runner=
fi

# Does the look at the symbols see what it is there for?
if have "$GXX"; then
    printf '%s\n' 'inline double leak(double x) { return x * x; }' \
        'double (*volatile use)(double) = leak;' >"$WORK/leak.h"
    # shellcheck disable=SC2046,SC2086
    check "an object with an inline C++ function" "$GXX" -x c++ -O0 -I. $(isa_flags scalar) \
        -DPE_SLEEF=0 -DKERNELS=kernels_scalar -include "$WORK/leak.h" -c examples/dispatch_isa.c \
        -o "$WORK/leak.o"
    check "... is told from one without" sh -c "nm -g '$WORK/leak.o' | grep -q ' W .*leak'"
    if exports "$WORK/leak.o" kernels_scalar >/dev/null; then
        echo "FAIL an inline C++ function is not noticed"
        failed=$((failed + 1))
    else
        echo "ok   an inline C++ function is noticed"
        passed=$((passed + 1))
    fi
fi

if [ $skipped -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]
