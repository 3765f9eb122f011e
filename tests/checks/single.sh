#!/bin/sh
# SPDX-License-Identifier: MIT
#
# single.sh: checks that the single header of `sh packaging/single.sh` is equivalent to the two headers. After
# preprocessing it must have the same tokens for every instruction set, in C and C++, with SLEEF and without. A program
# must have the same bits with it. If a file includes it twice, or with the two headers, it must be compiled only once.
set -u
. tests/tools/lib.sh
WORK=$BUILD/single
rm -rf "$WORK"
mkdir -p "$WORK/alone"

# The header is made in a directory without pe_simd.h, with the name that users know.
single=$WORK/alone/pe_single.h
check "sh packaging/single.sh" sh packaging/single.sh "$single"
check "its lines are those of pe.h and pe_simd.h, but for the include" sh -c \
    "cat pe.h pe_simd.h | grep -v -x '#include \"pe_simd.h\"' | sort >'$WORK/two' &&
    sort '$single' | cmp - '$WORK/two'"

# tokens COMPILER FLAGS...: compares what the preprocessor makes of both, without the marks of lines and files.
tokens() { # COMPILER FLAGS...
    echo '#include <pe.h>' | "$@" -I. -E -P - >"$WORK/two.i" &&
        echo '#include <pe_single.h>' | "$@" -I"$WORK/alone" -E -P - >"$WORK/one.i" &&
        test -s "$WORK/one.i" && cmp "$WORK/one.i" "$WORK/two.i"
}
sleefs="0 1"
[ "$SLEEF" != 0 ] && have_library sleef "$CC" || { sleefs=0 && skipping "libsleef is missing or off: the tokens with it"; }
for language in "c -std=c99" "c++ -std=c++11"; do
    compiler=$CC
    [ "${language%% *}" = c ] || compiler=$GXX
    if ! have "$compiler"; then
        skipping "the single header in C++: $compiler is missing"
        continue
    fi
    for isa in $(cpu_isas); do
        for sleef in $sleefs; do
            # shellcheck disable=SC2046,SC2086
            check "the same tokens: $isa, $language, PE_SLEEF=$sleef" tokens "$compiler" -x $language \
                -DPE_SLEEF=$sleef $EXTRA_CFLAGS $(isa_flags "$isa")
        done
    done
done
if cpu_has neon; then
    true
elif ! have "$ARM64_GCC"; then
    skipping "the tokens for AArch64: $ARM64_GCC is missing"
else
    check "the same tokens: neon" tokens "$ARM64_GCC" -x c -std=c99 -DPE_SLEEF=0
fi

# The client is compiled with each header and with both in each order, and must print the same bits. The include guards
# must make the header that is included second empty.
compile() { # OUT INCLUDES
    rm -f "$WORK/$1"
    printf '%s\n' "$2" >"$WORK/$1.c"
    sed 's/#include <pe\.h>.*//' tests/checks/package/client.c >>"$WORK/$1.c"
    # shellcheck disable=SC2086
    "$cc" -x $language -O0 $WARNINGS $EXTRA_CFLAGS $flags -DPE_SLEEF=0 "$WORK/$1.c" -o "$WORK/$1" -lm
}
bits() {
    "$WORK/$1" >"$WORK/$1.out" || { cat "$WORK/$1.out" && return 1; }
    if [ "$1" = two ]; then
        mv "$WORK/$1.out" "$WORK/want"
        grep -c . "$WORK/want"
    else
        cmp "$WORK/$1.out" "$WORK/want"
    fi
}
two='#include "pe.h"'
one='#include "pe_single.h"'
try() { # NAME INCLUDES
    check "$1 builds: $isa, $language" compile "$1" "$2"
    check "$1, the same bits: $isa, $language" bits "$1"
}
for language in "c -std=c99" "c++ -std=c++11"; do
    cc=$CC isa=$(best_isa)
    [ "${language%% *}" = c ] || cc=$GXX isa=scalar
    have "$cc" || { skipping "$cc is missing: pe_single.h as ${language%% *}" && continue; }
    flags="$(isa_flags "$isa") -I."
    try two "$two"
    flags="$(isa_flags "$isa") -I$WORK/alone"
    try one "$one
$one"
    flags="$(isa_flags "$isa") -I. -I$WORK/alone"
    try one-two "$one
$two"
    try two-one "$two
$one"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
