#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cpus.sh: code that is compiled for a CPU does with memory what is best there: the choices of
# pe_simd.h by the names and features that compilers know, and by what -march=native says here.
set -u
. tests/tools/lib.sh
WORK=$BUILD/cpus
rm -rf "$WORK"
mkdir -p "$WORK"
case $(uname -m) in x86_64 | amd64) ;; *) skip "this is no x86-64" ;; esac

# right: asks for PE__ZEN, PE__FORESEES, PE__WAITS and PE__HOLDS_BLOCK as the macro WANT has them.
cat >"$WORK/right.c" <<'X2'
#include "pe.h"
typedef char right[PE__ZEN * 1000 + PE__FORESEES * 100 + PE__WAITS * 10 + PE__HOLDS_BLOCK == WANT - 10000 ? 1 : -1];
X2

# chooses COMPILER WANT FLAGS...: 1, then the four numbers. $unknown has flags that no compiler knew yet.
unknown="znver4 znver5"
chooses() {
    compiler=$1 want=$2
    shift 2
    echo 'int x;' | $compiler "$@" -fsyntax-only -x c - 2>"$WORK/log" || return
    unknown=$(echo "$unknown" | sed "s/${1#-march=}//")
    check "$compiler $*: $want" "$compiler" -std=c99 "$@" -DWANT="$want" -I. -fsyntax-only "$WORK/right.c"
}

for compiler in $GCC $CLANG $MATRIX_COMPILERS gcc-16; do
    have "$compiler" || continue
    chooses "$compiler" 10000 -msse2
    chooses "$compiler" 10010 -mavx2 -mfma
    chooses "$compiler" 10010 -march=haswell
    chooses "$compiler" 10001 -mavx512f
    chooses "$compiler" 10001 -march=skylake-avx512
    chooses "$compiler" 10001 -march=tigerlake # it has the intersection, too
    chooses "$compiler" 10010 -march=znver3
    chooses "$compiler" 14100 -march=znver4
    chooses "$compiler" 14100 -march=znver4 -DPE_ISA=PE_ISA_AVX2
    chooses "$compiler" 14100 -march=znver3 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx512bf16
    chooses "$compiler" 15001 -march=znver5
    chooses "$compiler" 15001 -march=znver5 -DPE_ISA=PE_ISA_AVX2
    chooses "$compiler" 15001 -march=znver3 -mavx512f -mavx512bf16 -mavx512vp2intersect # gcc 12, native on a Zen 5
    chooses "$compiler" 15001 -msse4a -mavx512f -mavx512bf16 -mavx512vp2intersect       # clang 14, likewise
    # The CPU of this machine by its family: 25 is Zen 3 and, with AVX-512, Zen 4; 26 is Zen 5.
    if ! grep -q AuthenticAMD /proc/cpuinfo 2>/dev/null || ! cpu_has avx512; then continue; fi
    case $(sed -n 's/^cpu family[^:]*: *//p' /proc/cpuinfo | head -n 1) in
    25) chooses "$compiler" 14100 -march=native ;;
    26) chooses "$compiler" 15001 -march=native ;;
    esac
done
skipped=0
for cpu in $unknown; do
    echo "SKIP: no compiler here knows -march=$cpu"
    skipped=$((skipped + 1))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
