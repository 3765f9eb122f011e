#!/bin/sh
# SPDX-License-Identifier: MIT
#
# names.sh: what a program gets by including pe.h, and nothing more.
#
#   macros    only PE_* (and the include guards of its own) stay defined
#   symbols   the object of a program that calls everything asks for libm and SLEEF alone: no
#             malloc, no printf, no errno, no vector-libm names (_ZGV*)
#   data      no writable global
set -u
. tests/lib.sh
WORK=$BUILD/names
rm -rf "$WORK"
mkdir -p "$WORK"
have nm || skip "nm is missing"
passed=0 failed=0

verdict() { # NAME FILE: the file lists what should not be there
    if [ -s "$2" ]; then
        echo "FAIL $1"
        sed 's/^/    /' "$2" | head -n 20
        failed=$((failed + 1))
    else
        echo "ok   $1"
        passed=$((passed + 1))
    fi
}

# Everything the headers define as functions is called or has its address taken: static inline
# functions that nobody uses leave no trace in an object file.
sed -n 's/^static inline [a-z_0-9 *]*[ *]\(pe_[a-z0-9_]*\)(.*/\1/p' pe.h | sort -u >"$WORK/functions"
{
    echo '#include "pe.h"'
    echo 'typedef void (*any)(void);'
    echo 'extern const any keep[];'
    echo 'const any keep[] = {'
    sed 's/.*/    (any)&,/' "$WORK/functions"
    echo '};'
} >"$WORK/all.c"
[ -s "$WORK/functions" ] || { echo "no public function found in pe.h" && exit 1; }

compilers=
have "$GCC" && compilers=$GCC
have "$CLANG" && compilers="$compilers $CLANG"
for cc in $compilers; do
    for isa in $(cpu_isas); do
        for sleef in 0 1; do
            case $cc:$isa:$sleef in *:scalar:1 | "$CLANG":*:0) continue ;; esac
            [ $sleef = 0 ] || { [ "$SLEEF" != 0 ] && have_library sleef "$cc"; } || {
                echo "SKIP: libsleef is missing or off: names with it"
                continue
            }
            name="$cc $isa PE_SLEEF=$sleef"
            # every function at once takes a compiler a while: one level for each way of sines
            [ $sleef = 0 ] && levels=-O1 || levels=-O2
            for level in $levels; do
                # shellcheck disable=SC2046
                if ! "$cc" -std=c99 $level $(isa_flags "$isa") -DPE_SLEEF=$sleef -I. -w -fno-pie -c \
                    -o "$WORK/all.o" "$WORK/all.c" >"$WORK/log" 2>&1; then
                    verdict "symbols: $name $level compiles" "$WORK/log"
                    continue
                fi
                nm -u "$WORK/all.o" | awk '{ print $NF }' | sed 's/^_//' |
                    grep -v -x -E 'Sleef_[a-z0-9_]*|_?GLOBAL_OFFSET_TABLE_|__stack_chk_fail' |
                    grep -v -x -E '(fmal?|sinl?|cosl?|sincosl?|powl?|expl?|logl?|exp2l?|log2l?|floorl?|rintl?|nearbyintl?|fabsl?|ldexpl?|sqrtl?|copysignl?|fmodl?|frexpl?|scalbnl?|roundl?|truncl?|ceill?)f?' |
                    grep -v -x -E 'memcpy|memset|memmove|memcmp' >"$WORK/undefined"
                verdict "symbols: $name $level" "$WORK/undefined"
                nm "$WORK/all.o" | awk '$(NF - 1) ~ /^[dDbBcCgGsS]$/ && $NF !~ /^_?keep$/ { print }' \
                    >"$WORK/data"
                verdict "writable data: $name $level" "$WORK/data"
            done
        done
    done
done

# Macros: after pe.h, less those that its own includes bring.
for cc in $compilers; do
    for isa in $(cpu_isas); do
        # shellcheck disable=SC2046
        flags="-std=c99 $(isa_flags "$isa") -DPE_SLEEF=0 -I."
        # shellcheck disable=SC2086
        {
            grep -h -o '# *include *<[^>]*>' pe.h pe_simd.h | grep -v sleef | sort -u |
                sed 's/# *include *<\(.*\)>/#if __has_include(<\1>)\n#include <\1>\n#endif/' |
                $cc $flags -dM -E - 2>/dev/null
        } | awk '{ print $2 }' | sed 's/(.*//' | sort -u >"$WORK/before"
        # shellcheck disable=SC2086
        echo '#include "pe.h"' | $cc $flags -dM -E - | awk '{ print $2 }' | sed 's/(.*//' |
            sort -u >"$WORK/after"
        comm -13 "$WORK/before" "$WORK/after" | grep -v '^PE_' >"$WORK/leaked"
        comm -13 "$WORK/before" "$WORK/after" | grep '^PE__' | grep -v -E '_H_?$|_SIMD_H' >>"$WORK/leaked"
        verdict "macros: $cc $isa" "$WORK/leaked"
    done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
