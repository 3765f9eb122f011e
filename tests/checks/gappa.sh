#!/bin/sh
# SPDX-License-Identifier: MIT
#
# gappa.sh: bounds of the fast path that the comment "Rounding test" of src/sincos/bounds.h counts on, proven
# by Gappa for every argument, over the constants that stand in pe.h. A constant that changes makes it red, or
# has a proof.
#
#   sine, cosine   the roundings of the polynomials of the direct kernel, for a factor's mantissa
#                  within a range: where results lie in binades depends on it
#   short          the same of those for floats by themselves, relatively; of the sine's, before it is
#                  multiplied by z
#   method         what these polynomials lack of sin(pi z) and cos(pi z) (lacks.py, in rational
#                  numbers)
#   turn           one rotation of a run
#   grid           the products of f64 rows that are exact
set -u
. tests/tools/lib.sh
WORK=$BUILD/gappa
mkdir -p "$WORK"
have gappa || skip "gappa is missing: apt-get install gappa"

# The numbers of a polynomial, from the lowest power on.
numbers_of() {
    awk -v name="static const double $1[" 'index($0, name) { here = 1; next } /^}/ { here = 0 } here' \
        pe.h | tr -d ' \n' | tr ',' ' '
}
SINE=$(numbers_of pe__sine_poly) COSINE=$(numbers_of pe__cosine_poly)
SHORT_SINE=$(numbers_of pe__sine_poly_short) SHORT_COSINE=$(numbers_of pe__cosine_poly_short)
count=$(for numbers in "$SINE" "$COSINE" "$SHORT_SINE" "$SHORT_COSINE"; do echo "$numbers" | wc -w; done)
# shellcheck disable=SC2086
[ "$(echo $count)" = "7 8 6 6" ] ||
    { echo "the polynomials have other numbers than 7, 8, 6 and 6: $count" && exit 1; }
numbers() {
    case $1 in
    sine) echo "$SINE" ;;
    cosine) echo "$COSINE" ;;
    short-sine) echo "$SHORT_SINE" ;;
    *) echo "$SHORT_COSINE" ;;
    esac
}

# a * b + c as the operations have it.
fma() { if [ "$fused" = 1 ]; then echo "rnd($1 * $2 + $3)"; else echo "rnd(rnd($1 * $2) + $3)"; fi; }

header() {
    echo "@rnd = float<ieee_64, ne>;"
    echo "Z = rnd(Zin);"
}

# polynomial KIND: its values as computed, y, and without roundings, P, for a factor F and z = Z.
polynomial() {
    header
    echo "F = rnd(Fin); zz rnd= Z * Z; ZZ = Z * Z;"
    n=0
    for number in $(numbers "$1"); do
        echo "k$n = rnd($number); a$n = rnd(k$n * F);"
        n=$((n + 1))
    done
    n=$((n - 1))
    done="a$n" exact="k$n * F"
    while [ $n -gt 0 ]; do
        n=$((n - 1))
        echo "p$n = $(fma "$done" zz a$n);"
        done="p$n" exact="($exact * ZZ + k$n * F)"
    done
    if [ "$1" = sine ]; then echo "y rnd= p0 * Z; P = $exact * Z;"; else echo "y = p0; P = $exact;"; fi
}

# rounding KIND LOW HIGH UNITS: |y - P| <= that many units of 2^-60, for F within LOW ... HIGH.
rounding() {
    polynomial "$1"
    echo "{ |Z| <= 0.2500152587890625 /\\ F in [$2, $3] -> |y - P| <= $4b-60 }"
}

# relative KIND UNITS: |y / P - 1| <= that many units of 2^-53.
relative() {
    polynomial "$1"
    echo "{ |Z| <= 0.2500152587890625 /\\ F in [1, 2] -> y -/ P in [-$2b-53, $2b-53] }"
}

# The rotation S C + C S of a run, of a sine up to a bound.
turn() {
    echo "@rnd = float<ieee_64, ne>;"
    echo "S = rnd(Sin); C = rnd(Cin); s = rnd(sin_in); c = rnd(cos_in);"
    echo "q rnd= C * s; y = $(fma S c q);"
    echo "{ |S| <= 1 /\\ |C| <= 1 /\\ |s| <= $1 /\\ |c| <= 1 -> |y - (S * c + C * s)| <= $2b-60 }"
}

# f64: products of multiples of 2^-26, and their sums.
grid() {
    echo "@rnd = float<ieee_64, ne>; @cut = fixed<-26, dn>;"
    echo "s = cut(s_in); c = cut(c_in); S = cut(S_in); C = cut(C_in);"
    echo "q rnd= c * S; y = $(fma s C q);"
    echo "{ |s| <= 1 /\\ |c| <= 1 /\\ |S| <= 1 /\\ |C| <= 1 -> y - (s * C + c * S) in [0, 0] }"
}

proof() {
    what=$1
    shift
    "$@" >"$WORK/$what.g"
    check "$what" timeout 20 gappa "$WORK/$what.g"
}
for fused in 1 0; do
    [ $fused = 1 ] && how=fused || how=unfused
    unfused=$((1 - fused)) # units for factors up to 1.25, 1.5 and 2
    for range in "1 1.25 $((230 + 10 * unfused)) $((260 + 40 * unfused))" \
        "1.25 1.5 $((420 + 10 * unfused)) $((290 + 40 * unfused))" \
        "1.5 2 $((440 + 20 * unfused)) $((360 + 60 * unfused))"; do
        # shellcheck disable=SC2086
        set -- $range
        proof "sine-rounding-$how-$1" rounding sine "$1" "$2" "$3"
        proof "cosine-rounding-$how-$1" rounding cosine "$1" "$2" "$4"
    done
    proof "short-sine-$how" relative short-sine 4
    proof "short-cosine-$how" relative short-cosine 5
    proof "turn-run-$how" turn 1 "$([ $fused = 1 ] && echo 192 || echo 256)"
    proof "grid-$how" grid
done
check method python3 tests/tools/lacks.py
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
