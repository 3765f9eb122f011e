#!/bin/sh
# SPDX-License-Identifier: MIT
#
# unfused.sh: checks that no compiler fuses the products of rotations, shifts and sums, even if its flags allow that.
# With FMA, -ffp-contract=fast and -ffast-math, unfused.c has the hashes that it has without FMA, and pe_selftest()
# succeeds. According to objdump, the loops have no fused instruction. Each run also shows that the check can fail: if
# PE__PRODUCT does not hide the products, clang fuses them.
#
# A compiler without extensions of GNU C has no reliable pragma. So pe.h refuses it if the CPU has FMA, until the
# compiler's options forbid fusing and PE_UNFUSED says so.
#
# A build takes half a minute, so not all combinations are built. Each instruction set has one build, and each compiler
# uses both sets of flags. With EVERY=1, which runs once a week, each compiler builds each instruction set with both.
set -u
. tests/tools/lib.sh
WORK=$BUILD/unfused
mkdir -p "$WORK/shown"

have objdump || skip "objdump is missing"
cpu_has avx2 || skip "this CPU has no FMA"
sed '/^#define PE__PRODUCT(p) PE__OPAQUE(p)$/s/PE__OPAQUE(p)/(void)(p)/' pe_simd.h >"$WORK/shown/pe_simd.h"
cp pe.h "$WORK/shown/"

# shellcheck disable=SC2086
build() { # NAME HEADERS COMPILER FLAGS...
    name=$1 headers=$2 && shift 2
    "$@" -std=gnu99 -DPE_SLEEF=0 $EXTRA_CFLAGS -I"$headers" -o "$WORK/$name" tests/checks/unfused.c -lm
}
# fused NAME: prints the number of functions that rotate or add, and the number of their fused instructions.
fused() {
    objdump -d --no-show-raw-insn "$WORK/$1" | awk '
        /^[0-9a-f]+ <.*>:$/ { name = ($2 ~ /pe__(rotate_heads|shift_columns_f64|add_four_|add_some_)/) ? $2 : "" }
        name != "" { seen[name] += 0 }
        name != "" && /vfn?m(add|sub)/ { seen[name]++ }
        END { for (name in seen) { functions++; n += seen[name] } print functions + 0, n + 0 }'
}

check "without an FMA" build plain . "$CC" -O1 -ffp-contract=off -DPE_ISA=PE_ISA_SCALAR
"$WORK/plain" >"$WORK/want" || exit 1
number=0
for isa in "-mfma -DPE_ISA=PE_ISA_SCALAR" "-mfma -DPE_ISA=PE_ISA_SSE2" "-mavx2 -mfma" "-mfma -mavx512f"; do
    number=$((number + 1)) turn=0
    case $isa in *avx512f) cpu_has avx512 || { skipping "this CPU has no AVX-512" && continue; } ;; esac
    for cc in "$GCC" "$CLANG"; do
        for how in "-O2 -ffast-math" "-O3 -ffp-contract=fast"; do
            turn=$((turn + 1))
            [ "${EVERY:-}" = 1 ] || [ $turn -eq $number ] || continue
            have "$cc" || { skipping "$cc is missing: $how $isa" && continue; }
            # shellcheck disable=SC2086
            check "$cc $how $isa" build fast . "$cc" $how $isa
            "$WORK/fast" >"$WORK/got"
            check "the same numbers: $cc $how $isa" diff "$WORK/want" "$WORK/got"
            counts=$(fused fast)
            check "no fused products: $cc $how $isa, $counts" test "${counts#* }" = 0 -a "${counts% *}" -ge 11
        done
    done
done
if have "$CLANG"; then
    check "a copy that shows its products" build seen "$WORK/shown" "$CLANG" -O3 -ffp-contract=fast -mavx2 -mfma
    "$WORK/seen" >"$WORK/got"
    check "has other numbers" not diff -q "$WORK/want" "$WORK/got"
    check "and fused products" not test "$(fused seen | cut -d' ' -f2)" = 0
    check "which pe_selftest() tells" grep -q "pe_selftest: wrong bits" "$WORK/got"
fi
if have "$GCC"; then
    no_gnu="$GCC -O2 -mfma -include tests/checks/no_gnu.h -Wno-unknown-pragmas"
    # shellcheck disable=SC2086
    {
        check "a compiler of which nothing is known is refused" not build refused . $no_gnu -ffp-contract=fast
        check "... with the remedy" grep -q 'error: .*define PE_UNFUSED' "$WORK/log.before"
        # gcc's vectoriser makes fmaddsub of products that it must not fuse; see src/simd/compiler.h.
        check "... but not with PE_UNFUSED" build unfused . $no_gnu -ffp-contract=off -fno-tree-slp-vectorize -DPE_UNFUSED
        "$WORK/unfused" >"$WORK/got"
        check "which has the same numbers" diff "$WORK/want" "$WORK/got"
        check "where PE_UNFUSED is not true" build untrue . $no_gnu -ffp-contract=fast -DPE_UNFUSED
        "$WORK/untrue" >"$WORK/got"
        check "pe_selftest() tells" grep -q "pe_selftest: wrong bits" "$WORK/got"
        check "without an FMA it is not refused" build spare . $GCC -O2 -include tests/checks/no_gnu.h -Wno-unknown-pragmas
        "$WORK/spare" >"$WORK/got"
        check "and has the same numbers" diff "$WORK/want" "$WORK/got"
    }
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
