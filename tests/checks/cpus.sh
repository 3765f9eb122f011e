#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cpus.sh: checks that code compiled for a CPU uses memory in the way that is best on it. For every CPU name that the
# compilers here know, src/simd/choice.h must choose what tests/checks/cpus.txt lists for the name. It must also choose
# rightly for the flags that older compilers set for newer CPUs, and for -march=native. The library, which asks CPUID,
# must make the choice that the header makes from flags.
set -u
. tests/tools/lib.sh
WORK=$BUILD/cpus TABLE=tests/checks/cpus.txt
rm -rf "$WORK"
mkdir -p "$WORK"

# choice COMPILER FLAGS...: prints the three values at the beginning of a line of the table, or nothing if the compiler
# does not know a flag.
choice() {
    printf '#include "src/simd/choice.h"\nCHOSEN PE_ISA PE_PREFETCH_HEADS PE_LOADS_WAIT\n' |
        "$@" -std=c99 -I. -E -P -x c - 2>"$WORK/log" |
        awk '$1 == "CHOSEN" { split("scalar neon avx2 avx512 sse2", isa); print isa[$2], $3, $4 }'
}
# wanted NAME: prints the values that the table has for this name.
wanted() { sed -n "/^[^#]*:.* $1\( .*\)\{0,1\}\$/s/:.*//p" "$TABLE"; }
# names OPTION COMPILER FLAGS...: prints all names that the compiler lists for the option.
names() {
    option=$1
    shift
    {
        echo | "$@" "$option=none-such" -E -x c - 2>&1
        case $option in -mcpu) "$@" -print-supported-cpus 2>&1 | sed -n 's/^\t/known values are: /p' ;; esac
    } | sed -n 's/.*\(values\|arguments\).* are: //p' | sed 's/;.*//' | tr -s ', ' '\n' | grep -v -x 'native\|' | sort -u
}
# each OPTION FILE ENTRY COMPILER FLAGS...: prints the names in FILE for which the choice differs from the table's. The
# table is searched for ENTRY, or, if that is empty, for the name. Names that clang lists but rejects are skipped.
each() {
    option=$1 file=$2 entry=$3
    shift 3
    while read -r name; do
        is=$(choice "$@" "$option=$name") should=$(wanted "${entry:-$name}")
        [ -n "$is" ] || echo | "$@" "$option=$name" -E -x c - >"$WORK/log" 2>&1 || continue
        [ "$is" = "$should" ] || echo "$name: '$is', $TABLE has '$should'"
    done <"$file"
}
# all LEAST OPTION ENTRY COMPILER FLAGS...: checks all names of a compiler with each(), and that there are at least
# LEAST.
all() {
    least=$1 option=$2 entry=$3
    shift 3
    have "$1" || { skipping "$1 is missing: its names of CPUs" && return; }
    names "$option" "$@" >"$WORK/names"
    each "$option" "$WORK/names" "$entry" "$@" >"$WORK/wrong"
    check "$*: $(wc -l <"$WORK/names") names, at least $least" test "$(wc -l <"$WORK/names")" -ge "$least"
    check "$*: each chooses as in the table" awk '{ print } END { exit NR > 0 }' "$WORK/wrong"
}
# flags WANT COMPILER FLAGS...: checks the choice for flags that a compiler sets for a CPU whose name it does not know.
flags() {
    want=$1
    shift
    is=$(choice "$@")
    [ -n "$is" ] && check "$*: $want" test "$is" = "$want"
}

compilers="$GCC $CLANG $MATRIX_COMPILERS"
! have gcc-16 || compilers="$compilers gcc-16" # is here if modules.sh has downloaded it
case $(uname -m) in x86_64 | amd64) ;; *) compilers= ;; esac
for compiler in $compilers; do
    have "$compiler" || { skipping "$compiler is missing: its names of CPUs" && continue; }
    all 50 -march "" "$compiler"
    wide="-mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512bf16"
    # shellcheck disable=SC2086
    {
        flags "avx512 1 0" "$compiler" -mavx512f
        flags "avx2 0 0" "$compiler" -march=znver4 -DPE_ISA=PE_ISA_AVX2
        flags "avx2 1 0" "$compiler" -march=znver5 -DPE_ISA=PE_ISA_AVX2
        flags "avx512 0 0" "$compiler" -march=znver3 $wide                      # gcc 12, clang 14 on a Zen 4
        flags "avx512 1 0" "$compiler" -march=znver3 $wide -mavx512vp2intersect # gcc 12 on a Zen 5
        flags "avx512 1 0" "$compiler" -msse4a $wide -mavx512vp2intersect       # clang 14 on a Zen 5
        flags "avx512 0 1" "$compiler" -mavx512f -DPE_PREFETCH_HEADS=0 -DPE_LOADS_WAIT=1
    }
    # If the flags lack only VL, pe's functions get a target attribute that has it.
    lacking_vl() { "$compiler" -mavx512f -mavx512dq -mavx512bw -mno-avx512vl -E -I. pe.h | grep -q 'avx512bw,avx512vl,fma,f16c'; }
    check "$compiler: AVX-512 without VL in the flags" lacking_vl
    # The family of this machine's CPU tells what it is: 25 with AVX-512 is a Zen 4, 26 is a Zen 5.
    if ! grep -q AuthenticAMD /proc/cpuinfo 2>/dev/null || ! cpu_has avx512; then continue; fi
    case $(sed -n 's/^cpu family[^:]*: *//p' /proc/cpuinfo | head -n 1) in
    25) flags "avx512 0 0" "$compiler" -march=native ;;
    26) flags "avx512 1 0" "$compiler" -march=native ;;
    esac
done
[ "$(uname -m)" = aarch64 ] || all 40 -mcpu aarch64 "$ARM64_GCC"
newest=$(echo "$MATRIX_COMPILERS" | tr ' ' '\n' | grep clang | tail -n 1)
for compiler in $CLANG $newest; do all 40 -mcpu aarch64 "$compiler" --target=aarch64-linux-gnu; done

# The library's choice, with has_avx512() and CPUID replaced by functions that describe eight CPUs.
cat >"$WORK/chosen.c" <<'X2'
#include <cpuid.h>
#include <stdio.h>
static unsigned sse4a, wide, pair;
static int get(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d)
{
    *a = *d = 0;
    *b = leaf == 7 && wide ? 1u << 5 | 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31 : 0;
    *c = leaf == 1 ? 1u << 27 | 1u << 12 | 1u << 29 : leaf == 0x80000001 ? sse4a << 6 : 0;
    if (leaf == 7) *d = pair << 8;
    return 1;
}
#define __get_cpuid(leaf, a, b, c, d) get(leaf, a, b, c, d)
#define __get_cpuid_count(leaf, n, a, b, c, d) get(leaf, a, b, c, d)
#include "packaging/pe_lib.c"
int main(void)
{
    for (unsigned cpu = 0; cpu < 8; cpu++) {
        sse4a = cpu >> 2, wide = cpu >> 1 & 1, pair = cpu & 1;
        choose_memory();
        printf("%d", pe__HEADS);
    }
    return puts("") < 0;
}
X2
if cpu_has avx512; then
    check "the library builds for CPUs that are not here" \
        "$GCC" -std=c99 -O2 -ffunction-sections -Wl,--gc-sections -Wl,--unresolved-symbols=ignore-all \
        -I. "$WORK/chosen.c" -o "$WORK/chosen"
    check "the library: SSE4a, AVX-512, no intersection, as a Zen 4: heads are not asked for; else they are" \
        test "$("$WORK/chosen")" = 11111101
else
    skipping "a CPU with AVX-512 is needed for what the library chooses"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
