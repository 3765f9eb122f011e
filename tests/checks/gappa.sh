#!/bin/sh
# SPDX-License-Identifier: MIT
#
# gappa.sh: proves error bounds of the fast path with Gappa, for every argument. The comment "Rounding test" in
# src/sincos/bounds.h relies on these bounds. The constants are read from pe.h, so a changed constant either is proven
# again or fails.
#
#   sine, cosine   The rounding errors of the direct kernel's polynomials, separately for three ranges of the factor's
#                  mantissa, since the binade of a result depends on it.
#   short          The relative rounding errors of the polynomials that are used for floats alone. The sine's is proven
#                  before its multiplication with z.
#   method         How far these polynomials are from sin(pi z) and cos(pi z), which lacks.py proves with rationals.
#   turn           The rounding error of one rotation of a run.
#   grid           The products of f64 rows that must be exact.
set -u
. tests/tools/lib.sh
WORK=$BUILD/gappa
mkdir -p "$WORK"
have gappa || skip "gappa is missing: apt-get install gappa"

# numbers_of NAME: prints the coefficients of a polynomial in pe.h, beginning with the lowest power.
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

# fma A B C: prints a * b + c for Gappa, rounded once if $fused is 1, otherwise twice.
fma() { if [ "$fused" = 1 ]; then echo "rnd($1 * $2 + $3)"; else echo "rnd(rnd($1 * $2) + $3)"; fi; }

header() {
    echo "@rnd = float<ieee_64, ne>;"
    echo "Z = rnd(Zin);"
}

# polynomial KIND: prints the definitions of the polynomial's value at z = Z, multiplied by a factor F: y is the
# computed value, and P is the value without roundings.
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

# rounding KIND LOW HIGH UNITS: prints the claim |y - P| <= UNITS * 2^-60 for F between LOW and HIGH.
rounding() {
    polynomial "$1"
    echo "{ |Z| <= 0.2500152587890625 /\\ F in [$2, $3] -> |y - P| <= $4b-60 }"
}

# relative KIND UNITS: prints the claim |y / P - 1| <= UNITS * 2^-53.
relative() {
    polynomial "$1"
    echo "{ |Z| <= 0.2500152587890625 /\\ F in [1, 2] -> y -/ P in [-$2b-53, $2b-53] }"
}

# turn BOUND UNITS: prints the claim that the computed S c + C s of a rotation is wrong by at most UNITS * 2^-60 if
# |s| is at most BOUND.
turn() {
    echo "@rnd = float<ieee_64, ne>;"
    echo "S = rnd(Sin); C = rnd(Cin); s = rnd(sin_in); c = rnd(cos_in);"
    echo "q rnd= C * s; y = $(fma S c q);"
    echo "{ |S| <= 1 /\\ |C| <= 1 /\\ |s| <= $1 /\\ |c| <= 1 -> |y - (S * c + C * s)| <= $2b-60 }"
}

# grid: prints the claim that products of multiples of 2^-26, and their sums, are exact. Rows of f64 rely on it.
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
    unfused=$((1 - fused)) # without FMA, more units are allowed
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
