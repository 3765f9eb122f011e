#!/bin/sh
# SPDX-License-Identifier: MIT
#
# names.sh: checks that a program that includes pe.h gets the documented names and no others.
#
#   symbols   The object of a program that uses every function needs only libm and SLEEF: no malloc, no printf, no
#             errno, and no vector-libm names (_ZGV*).
#   exports   The object defines no name that another object could see.
#   data      The object has no writable global, so a signal handler or a thread never sees a half-finished state.
#   macros    Only PE_* macros are defined after pe.h.
#   others    The program may define macros with short and common names such as S, near or unused, and with words of GNU
#             C that pe.h uses, such as __noinline__, and also functions with such names. pe.h still compiles, and these
#             macros are defined again after it. No word of pe.h except PE_* begins with a capital letter. The short
#             names are also tested with pe_fixed.h.
#
# The checks are made in C and C++, with gcc and clang, for every ISA, with SLEEF and without. The objects are compiled
# with -O0, which keeps every call that is in the source. Since the optimiser may add calls, tests/tools/linked.sh
# examines optimised objects. With EVERY=1, all of them are also examined here.
set -u
. tests/tools/lib.sh
WORK=$BUILD/names

verdict() { # NAME FILE: fails unless the file, which lists what should not be there, is empty
    if [ -s "$2" ]; then
        echo "FAIL $1"
        sed 's/^/    /' "$2" | head -n 20
    else
        echo "ok   $1"
    fi
}

compiler() { # CC LANGUAGE
    case $1:$2 in
    gcc:c) echo "$GCC -std=c99" ;;
    gcc:c++) echo "$GXX -std=c++11 -x c++" ;;
    clang:c) echo "$CLANG -std=c99" ;;
    clang:c++) echo "$CLANGXX -std=c++11 -x c++" ;;
    esac
}

symbols() { # CC LANGUAGE ISA SLEEF LEVEL
    name="$1, $2, $3, PE_SLEEF=$4, $5"
    out=$(mktemp "$WORK/object.XXXXXX")
    # shellcheck disable=SC2046
    if ! $(compiler "$1" "$2") "$5" $(isa_flags "$3") -DPE_SLEEF="$4" -I. $EXTRA_CFLAGS -w -fno-pie \
        -c -o "$out" "$WORK/all.c" >"$out.log" 2>&1; then
        [ -s "$out.log" ] || echo "exit status not 0" >"$out.log"
        verdict "symbols: $name: compiles" "$out.log"
        return
    fi
    strays nm "$out" >"$out.undefined"
    nm "$out" >"$out.all"
    # If the object had few functions, the check would prove little.
    [ "$(grep -c '[tT] .*pe_' "$out.all")" -gt 100 ] || echo "hardly a function in it" >>"$out.undefined"
    verdict "symbols: $name" "$out.undefined"
    awk '$(NF - 1) ~ /^[dDbBcCgGsS]$/ && $NF !~ /^_?keep$/ { print }' "$out.all" >"$out.data"
    verdict "writable data: $name" "$out.data"
    awk '$(NF - 1) ~ /^[A-TV-Zuvw]$/ && $NF !~ /^_?keep$/ { print }' "$out.all" >"$out.exports"
    verdict "exports: $name" "$out.exports"
}

# macros: checks the macros that are defined after pe.h, except those of the system headers that it includes.
macros() { # CC LANGUAGE ISA SLEEF
    out=$(mktemp "$WORK/macros.XXXXXX")
    name="macros: $1, $2, $3, PE_SLEEF=$4" sleef=$4 language=$2
    # shellcheck disable=SC2046,SC2086
    set -- $(compiler "$1" "$2") $(isa_flags "$3") -DPE_SLEEF="$4" -I. $EXTRA_CFLAGS -dM -E
    [ "$language" = c++ ] || set -- "$@" -x c
    {
        grep -h -o '# *include *<[^>]*>' pe.h pe_simd.h | sort -u |
            if [ "$sleef" = 1 ]; then cat; else grep -v sleef; fi |
            sed 's/# *include *<\(.*\)>/#if __has_include(<\1>)\n#include <\1>\n#endif/'
    } >"$out.c"
    "$@" "$out.c" 2>/dev/null | awk '{ print $2 }' | sed 's/(.*//' | sort -u >"$out.before"
    echo '#include "pe.h"' >"$out.c"
    "$@" "$out.c" | awk '{ print $2 }' | sed 's/(.*//' | sort -u >"$out.after"
    comm -13 "$out.before" "$out.after" >"$out.new"
    grep -v '^PE_' "$out.new" >"$out.leaked"
    grep '^PE__' "$out.new" | grep -v -E '_H_?$|_SIMD_H' >>"$out.leaked"
    grep -q -x PE_VERSION_HEX "$out.new" || echo "no PE_VERSION_HEX: nothing was compared" >>"$out.leaked"
    verdict "$name" "$out.leaked"
}

# A program may define these words before pe.h, as macros or as functions. Some headers also define macros with the
# names of C library functions and operators. Lower-case words that are common as names of parameters or variables are
# left out, unless a known header defines them.
letters="A B C D E F G H I J K L M N O P Q R S T U V W X Y Z"
windows="min max near far small hyper interface pascal cdecl IN OUT OPTIONAL ERROR MIN MAX VOID CONST
    BOOL TRUE FALSE DELETE STRICT OVERFLOW UNDERFLOW ABSOLUTE RELATIVE TRANSPARENT THIS"
boards="PI HALF_PI TWO_PI EULER LOW HIGH INPUT OUTPUT DEFAULT CHANGE BIT LSBFIRST F1 B0 B1 B10 SERIAL"
kernels="likely unlikely packed unused noinline always_inline cold target vector_size no_sanitize barrier
    current __unused __packed __cold __noinline __always_inline __aligned __force __user __init"
types="f16 f32 f64 bf16 i8 i16 i32 i64 u8 u16 u32 u64 s8 s16 s32 s64 int8 uint8 byte uint ushort ulong uchar"
# These are all words of attributes, in every branch of the headers, and the words that introduce attributes.
attributes=$(grep -h -o -E '__attribute__.*|__asm__' pe.h pe_simd.h | grep -o -w '__[a-z_]*__' | sort -u)
words="pi eps bool true false restrict complex imaginary noreturn thread_local alignas alignof static_assert
    errno assert unix linux i386 sun vax mips None Status Success Always Bool True False Above Below"
usual="ABS SQR SQUARE EPS EPSILON INF INFINITY NAN BIT BITS MASK SHIFT ALIGN ALIGNED PACKED RESTRICT INLINE
    FORCE_INLINE NOINLINE COLD HOT LIKELY UNLIKELY EXPORT IMPORT API DIGIT DIGITS CHUNK CHUNKS BLOCK TILE ROW ROWS
    COLUMN COLUMNS STEP STEPS STRIDE SIZE LENGTH LEN COUNT HEAD HEADS TAIL PAIR PAIRS TOKEN TOKENS BYTE BYTES ELEMENT
    ELEMENTS FEW SOME MOST FOUR WIDE AHEAD PADDED TOGETHER VECTOR VECTORS LANES FLOATS AXES SUM SWAP CARE FAST SLOW
    ON OFF OK DONE FIRST LAST NONE ALL ANY SINE COSINE F16 F32 F64 BF16 SSE2 AVX2 AVX512 NEON SCALAR SLEEF"
calls="min max swap abs sq bit word half minor major makedev round radians degrees constrain clamp
    container_of likely unlikely lowByte highByte x y z a b c d e f g h i j k m n o p q r s t u v w row even odd
    step run next hash digit sum sums set get put add sub mul load store $letters $usual"
others() { # CC LANGUAGE ISA SLEEF
    out=$(mktemp "$WORK/others.XXXXXX")
    for kind in names calls headers; do
        {
            grep -h -o '# *include *<[^>]*>' pe.h pe_simd.h | sort -u | grep -v -E 'sleef|wasm|neon' |
                sed 's/# *include *<\(.*\)>/#if __has_include(<\1>)\n#include <\1>\n#endif/'
            case $kind in
            names)
                for name in $letters $windows $boards $kernels $types $words $usual $attributes; do
                    printf '#undef %s\n#define %s ?!\n' "$name" "$name"
                done
                ;;
            calls) for name in $calls; do printf '#undef %s\n#define %s(x) ?!\n' "$name" "$name"; done ;;
            headers) printf '#include <%s>\n' iso646.h stdbool.h tgmath.h sys/param.h sys/types.h ;;
            esac
            echo '#include "pe.h"'
            [ $kind != names ] || for name in $attributes; do
                printf '#ifndef %s\n#error "the program'"'"'s %s is lost"\n#endif\n#undef %s\n' "$name" "$name" "$name"
            done
            echo '#include "pe_fixed.h"' # this header also supports compilers without push_macro
        } >"$out.c"
        # shellcheck disable=SC2046,SC2086
        $(compiler "$1" "$2") $(isa_flags "$3") -DPE_SLEEF=0 -I. $EXTRA_CFLAGS -w -fsyntax-only \
            $([ "$2" = c++ ] || echo "-x c") "$out.c" >"$out.errors" 2>&1
        [ $? -eq 0 ] || [ -s "$out.errors" ] || echo "exit status not 0" >"$out.errors"
        verdict "macros of the program, $kind: $1, $2, $3" "$out.errors"
    done
    # Macros usually begin with a capital letter, so pe.h may not use such words, apart from PE_*.
    # shellcheck disable=SC2046,SC2086
    echo '#include "pe.h"' | $(compiler "$1" "$2") -x "$2" $(isa_flags "$3") -DPE_SLEEF=0 -I. $EXTRA_CFLAGS -E - |
        from pe.h pe_simd.h | grep -v '^ *#pragma' >"$out.text"
    [ "$(wc -l <"$out.text")" -gt 3000 ] || echo "hardly a line of pe.h" >"$out.text"
    sed 's/"[^"]*"//g; s/[0-9][0-9a-fA-FxX.]*[pP][-+]*[0-9]*[a-zA-Z]*//g' "$out.text" |
        grep -o -w '[A-Z][A-Za-z0-9_]*' | grep -v '^PE_' | sort -u >"$out.capitals"
    verdict "capital letters: $1, $2, $3" "$out.capitals"
}

if [ "${1:-}" = job ]; then
    shift
    result=$(mktemp "$WORK/result.XXXXXX")
    "$@" >"$result" 2>&1
    exit 0
fi

rm -rf "$WORK"
mkdir -p "$WORK"
have nm || skip "nm is missing"
[ "$(echo "$attributes" | wc -l)" -ge 11 ] || { echo "hardly an attribute found in pe.h" && exit 1; }

# Unused static inline functions are not compiled into an object, so the program takes all their addresses.
public_functions >"$WORK/functions"
[ "$(wc -l <"$WORK/functions")" -gt 60 ] || { echo "hardly a function found in pe.h" && exit 1; }
{
    echo '#include "pe.h"'
    echo 'typedef void (*any)(void);'
    echo '#ifdef __cplusplus'
    echo 'extern "C" {'
    echo '#endif'
    echo 'extern const any keep[];'
    echo 'const any keep[] = {'
    sed 's/.*/    (any)&,/' "$WORK/functions"
    echo '};'
    echo '#ifdef __cplusplus'
    echo '}'
    echo '#endif'
} >"$WORK/all.c"

sleefs="0 1"
[ "$SLEEF" != 0 ] && have_library sleef "$CC" || {
    skipping "libsleef is missing or off: names with it"
    sleefs=0
}
compilers=
if have "$GCC" && have "$GXX"; then compilers=gcc; else skipping "$GCC or $GXX is missing"; fi
if have "$CLANG" && have "$CLANGXX"; then compilers="$compilers clang"; else skipping "$CLANG or $CLANGXX is missing"; fi
{
    for cc in $compilers; do
        for language in c c++; do
            for isa in $(cpu_isas); do
                for sleef in $sleefs; do
                    [ "$isa:$sleef" != scalar:1 ] || continue
                    [ "$language:$sleef:$sleefs" = "c++:0:0 1" ] && [ "$isa" != scalar ] ||
                        echo "symbols $cc $language $isa $sleef -O0"
                    [ "${EVERY:-}:$language" != 1:c ] || echo "symbols $cc c $isa $sleef -O2"
                    echo "macros $cc $language $isa $sleef -"
                    [ "$sleef" = 1 ] || echo "others $cc $language $isa $sleef -"
                done
            done
        done
    done
} >"$WORK/jobs"
xargs -P "$JOBS" -n 6 sh tests/checks/names.sh job <"$WORK/jobs"
cat "$WORK"/result.* >"$WORK/results"
grep '^ok ' "$WORK/results" | sort
grep -v '^ok ' "$WORK/results"
passed=$(grep -c '^ok ' "$WORK/results")
failed=$(grep -c '^FAIL' "$WORK/results")
[ "$(find "$WORK" -name 'result.*' | wc -l)" -eq "$(wc -l <"$WORK/jobs")" ] || failed=$((failed + 1))
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
