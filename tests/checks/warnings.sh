#!/bin/sh
# SPDX-License-Identifier: MIT
#
# warnings.sh: checks that there are no warnings. A program that only includes pe.h, and one that calls all of it, are
# compiled with every flag of lib.sh as an error. The compilers are gcc and clang, the languages C99 to C17 and C++11 to
# C++20, and every ISA is built. Some of these builds use SLEEF, the others do not; with EVERY=1, each is made with and
# without it. A compiler that knows -Wnrvo reports where C++ would copy what a function returns. No program runs, so the
# CPU does not matter.
#
# pe.h alone is also compiled with further warnings that careful projects turn on, without exceptions and RTTI in C++,
# and with clang's -Weverything.
set -u
. tests/tools/lib.sh
WORK=$BUILD/warnings

# pe.h has none of these warnings either. -Wduplicated-branches is left out, since two cases may be equal on some
# instruction sets.
STRICT_GCC="-pedantic-errors -Wcast-align=strict -Wnull-dereference -Wmissing-declarations \
-Wredundant-decls -Wwrite-strings -Wpointer-arith -Wvla -Walloca -Wlogical-op -Wduplicated-cond \
-Wformat=2 -Winit-self -Wunused-macros"
STRICT_GXX="$STRICT_GCC -Wuseless-cast"
STRICT_GCC_C="-Wstrict-prototypes -Wold-style-definition -Wmissing-prototypes -Wnested-externs"
# These warnings of -Weverything are left out:
#
# * declaration-after-statement and bad-function-cast contradict C99 as it is meant to be written.
# * Others report what is not a defect: padded, comma, and float-equal, since zeros and infinities are compared exactly.
#   A program that uses some of the functions gets used-but-marked-unused. A switch with all cases and a default gets
#   switch-enum and covered-switch-default.
# * Others are for C++ alone, but the text is C: old-style-cast, zero-as-null-pointer-constant, c++98-compat, and those
#   about reserved names such as pe__x.
# * Some warnings of later versions are left out for the same reasons.
NOT_CLANG="-Weverything -Wno-declaration-after-statement -Wno-bad-function-cast -Wno-padded \
-Wno-float-equal -Wno-comma -Wno-used-but-marked-unused -Wno-switch-enum \
-Wno-covered-switch-default -Wno-old-style-cast \
-Wno-zero-as-null-pointer-constant -Wno-c++98-compat -Wno-c++98-compat-pedantic \
-Wno-reserved-identifier -Wno-reserved-macro-identifier -Wno-unknown-warning-option \
-Wno-unsafe-buffer-usage -Wno-pre-c11-compat -Wno-switch-default"

# The arguments `job COMPILER STD ISA SLEEF` run one job, which prints nothing if there is no warning.
if [ "${1:-}" = job ]; then
    cc=$2 std=$3 isa=$4 sleef=$5
    language=c
    case $std in c++*) language=c++ ;; esac
    case $cc:$language in
    gcc:c) cc=$GCC ;;
    gcc:c++) cc=$GXX ;;
    clang:c) cc=$CLANG ;;
    clang:c++) cc=$CLANGXX ;;
    arm64:c) cc="$ARM64_GCC $(arm64_cflags)" ;;
    nrvo:*) cc=$(nrvo_compiler) ;;
    esac
    log=$(mktemp "$WORK/log.XXXXXX")
    flags="-std=$std $WARNINGS $EXTRA_CFLAGS $(isa_flags "$isa") -DPE_SLEEF=$sleef -I. -x $language"
    case $2:$language in
    clang:*) strict=$NOT_CLANG ;;
    arm64:*) strict= ;;
    nrvo:*) strict=-Wnrvo ;;
    *:c) strict="$STRICT_GCC $STRICT_GCC_C" ;;
    *) strict=$STRICT_GXX ;;
    esac
    case $language in c++) strict="$strict -fno-exceptions -fno-rtti" ;; esac
    # shellcheck disable=SC2086
    if { echo '#include "pe.h"' | $cc $flags $strict -fsyntax-only - &&
        # Some of gcc's warnings need the optimiser. They hardly depend on the standard, SLEEF and the ISA, so a few
        # optimised builds are enough.
        case $2:$std:$isa:$sleef in
        nrvo:*) ;;
        clang:c99:* | clang:c++17:*) $cc $flags -fsyntax-only tests/unit/hash.c ;;
        *:c99:avx512:1 | *:c++17:avx512:* | *:c99:scalar:0 | *:c99:avx2:0 | gcc:c99:neon:* | arm64:c99:neon:0)
            $cc $flags -O2 -c -o "$log.o" tests/unit/hash.c
            ;;
        esac; } >"$log" 2>&1; then
        rm -f "$log" "$log.o"
    else
        {
            echo "FAIL $cc $flags"
            head -n 20 "$log"
        } >"$log.failed"
    fi
    exit 0
fi
rm -rf "$WORK"
mkdir -p "$WORK"
sleefs="0 1"
have_library sleef "$CC" && [ "$SLEEF" != 0 ] || {
    skipping "libsleef is missing or off: its half of the warnings"
    sleefs=0
}
compilers=
if have "$GCC" && have "$GXX"; then compilers=gcc; else skipping "$GCC or $GXX is missing: its half of the warnings"; fi
if have "$CLANG" && have "$CLANGXX"; then
    compilers="$compilers clang"
else
    skipping "$CLANG or $CLANGXX is missing: its half of the warnings"
fi
isas="scalar sse2 avx2 avx512 avx512f" arm64=
case $(uname -m) in
aarch64 | arm64) isas="scalar neon" ;;
*)
    if have "$ARM64_GCC"; then arm64=0; else skipping "$ARM64_GCC is missing: the warnings for AArch64"; fi
    if [ -d "$ARM64_SYSROOT/usr" ]; then
        [ -z "$arm64" ] || arm64="0 1"
    else
        skipping "no libraries in $ARM64_SYSROOT: the warnings for AArch64 with SLEEF"
    fi
    ;;
esac
nrvo=$(nrvo_compiler)
[ -n "$nrvo" ] || skipping "no gcc from 14 on, no clang from 21 on: -Wnrvo"
{
    for cc in $compilers; do
        for std in c99 c11 c17 c++11 c++14 c++17 c++20; do
            for isa in $isas; do
                dealt=$((1 - ${dealt:-1}))
                for sleef in $sleefs; do
                    [ "${EVERY:-}:$sleefs" = ":0 1" ] && [ "$sleef" != $dealt ] || echo "$cc $std $isa $sleef"
                done
            done
        done
    done
    case $isas in
    *avx*) for cc in $compilers; do
        echo "$cc c99 avx2attr 0"
        echo "$cc c++17 avx512attr 0"
    done ;;
    esac
    if [ -n "$nrvo" ]; then
        echo "nrvo c99 scalar 0"
        echo "nrvo c++17 ${isas##* } 0"
    fi
    for sleef in $arm64; do
        echo "arm64 c99 neon $sleef"
        echo "arm64 c17 neon $sleef"
    done
} >"$WORK/jobs"
xargs -P "$JOBS" -n 4 sh tests/checks/warnings.sh job <"$WORK/jobs"
total=$(wc -l <"$WORK/jobs")
failed=$(find "$WORK" -name '*.failed' | wc -l)
cat "$WORK"/*.failed 2>/dev/null
echo "$((total - failed)) passed, $((failed)) failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$total" -gt 0 ]
