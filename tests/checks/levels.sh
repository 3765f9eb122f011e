#!/bin/sh
# SPDX-License-Identifier: MIT
#
# levels.sh: tests the exact level alone. In a copy of pe.h, neither double nor double-double arithmetic decides
# anything. This copy must give the numbers of pe.h itself, and MPFR's RoPE frequencies. So all of the exact level runs,
# also for the columns of pe_sinusoidal_f32() after the first tile, which never need it otherwise. The exact level
# exists for inputs that are built to defeat rounding. ordinary.c checks that ordinary tables do not need it.
set -u
. tests/tools/lib.sh
WORK=$BUILD/levels
mkdir -p "$WORK"

have_library mpfr "$CC" && have_library cmocka "$CC" || skip "libmpfr or libcmocka is missing: make deps"

# undecided SED: applies the command to the copy of pe.h, and fails if it changes nothing.
cp pe.h pe_simd.h "$WORK/"
undecided() {
    sed "$1" "$WORK/pe.h" >"$WORK/pe.h.new"
    ! cmp -s "$WORK/pe.h" "$WORK/pe.h.new" || { echo "no place in pe.h for: $1" && exit 1; }
    mv "$WORK/pe.h.new" "$WORK/pe.h"
}
undecided 's/return angle > pe__exp2i(-800) ?.*/return 2;/'
undecided 's/(plan->error + pe__exp2i(-97))/2/'
undecided 's/return size > pe__exp2i(127) ? INT32_MAX : guard;/return size < 0 ? guard : INT32_MAX;/'
undecided 's|{((units) + 2.5) / 9007199254740992.0|{2.0 + 0 * (units)|'
undecided 's|pe__bound_short_poly = {6.875 / 9007199254740992.0|pe__bound_short_poly = {2.0|'
undecided 's|scale \* (pe__exp2i(-76) +|scale * (4.0 +|'
undecided 's/if (size < pe__exp2i(-87) || size > pe__exp2i(90)) return FLT_MAX;.*/if (size >= 0) return FLT_MAX;/'
undecided 's/if (h == pe__to_16(type, y - e) && /&y > y \&\& /'
undecided 's/if (by_integers || hi_y + (lo_y + e) == hi_y + (lo_y - e))/if (by_integers)/'
undecided 's/out\[index\] = above == below ? /out[index] = above > below ? /'
undecided 's/e = pe__splat(pe__exp2i(-99));.*/e = pe__splat(2.0);/'
undecided 's/return (pe__double_bits(hi) & 0x1fffffffu) == 0x10000000u .*/return hi != 0 || lo + e > 0;/'
undecided 's/const double error = pe__exp2i(-90) .*/const double error = 2;/'
undecided 's/pe__round_rational_angle(plan,/0 \&\& &/'
undecided 's/pe__round_tiny_angle(plan,/0 \&\& &/'
undecided 's/const int fine = .*/const int fine = plan->error > 2;/'
# The copy counts what its exact level computes. Each of its loops begins at PE__LIMBS_FIRST, except for the loop of
# pe_dot_f64().
undecided 's/^enum { PE__LIMBS_FIRST = .*/&\
#define LEVELS_COUNTED\
static unsigned long levels_exact;/'
undecided 's/for (int n = PE__LIMBS_FIRST;/for (int n = (levels_exact++, PE__LIMBS_FIRST);/'
undecided 's/if (by_integers) pe__sincos_exact/if (by_integers) levels_exact++, pe__sincos_exact/'

isa=$(best_isa)
flags="-std=c99 -O1 $(isa_flags "$isa") -DPE_SLEEF=0 $EXTRA_CFLAGS"
for headers in . "$WORK"; do
    # shellcheck disable=SC2086
    check "levels.c compiles with $headers/pe.h" "$CC" $flags -I"$headers" -o "$WORK/levels" \
        tests/checks/levels.c -lm
    check "it runs" "$WORK/levels" "$WORK/counts"
    [ "$headers" = . ] && cp "$WORK/log" "$WORK/usual"
done
check "the same numbers, $(wc -l <"$WORK/usual" | tr -d ' ') of them" diff "$WORK/usual" "$WORK/log.before"
# shellcheck disable=SC2086
check "test_rope_frequencies.c compiles with it" "$CC" $flags -I"$WORK" -o "$WORK/rope" \
    tests/unit/rope/test_rope_frequencies.c -lcmocka -lmpfr -lgmp -lm
check "RoPE's frequencies" env PE_QUICK=9 "$WORK/rope"

# If the copy still decided calls without the exact level, the comparison above would prove nothing about it.
reached() {
    awk '$3 < $2 { print "a call of kind " $1 ": the exact level must compute " $2 " results, not " $3; wrong = 1 }
        { needed += $2 } END { exit wrong || NR < 1000 || needed < 40000 }' "$1"
}
check "each of $(wc -l <"$WORK/counts" | tr -d ' ') calls reaches the exact level" reached "$WORK/counts"
sed 's/^\(wide [0-9]*\) .*/\1 0/' "$WORK/counts" >"$WORK/fewer"
check "... and one that does not is refused" not reached "$WORK/fewer"

# In this copy of pe.h, the exact level ends the program.
mkdir -p "$WORK/none"
cp pe.h pe_simd.h "$WORK/none/"
awk '{ print } /^PE__COLD double pe__round_quantity\(/ { here = 1 } here && /^{/ { print "    abort();"; here = 0; n++ }
    END { exit n != 1 }' pe.h >"$WORK/none/pe.h" || { echo "no pe__round_quantity() in pe.h" && exit 1; }
# shellcheck disable=SC2086
check "ordinary.c compiles without an exact level" "$CC" $flags -include stdlib.h -I"$WORK/none" \
    -o "$WORK/ordinary" tests/checks/ordinary.c -lm
check "what people make does not need it" "$WORK/ordinary"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
