#!/bin/sh
# SPDX-License-Identifier: MIT
#
# gappa.sh: bounds of the fast path that the comment "Rounding test" of pe.h counts on, proven by Gappa
# for every argument, over the constants that stand in pe.h. A constant that changes makes it red, or
# has a proof.
#
#   sine, cosine   the polynomials of the direct kernel: their roundings, and what they lack of the
#                  Taylor series of sin(pi z) and cos(pi z), whose tail is below 2^-70
#   turn           one rotation of it, and of a run
#   grid           the products of f64 rows that are exact
set -u
. tests/tools/lib.sh
WORK=$BUILD/gappa
mkdir -p "$WORK"
have gappa || skip "gappa is missing: apt-get install gappa"

# The numbers in pe__splat() of a function, in their order.
numbers_of() {
    awk -v name="void $1(" 'index($0, name) { here = 1 } here { print } here && /^}/ { exit }' pe.h |
        grep -o 'pe__splat([-0-9.e]*)' | sed 's/pe__splat(//; s/)//'
}
# shellcheck disable=SC2046
set -- $(numbers_of pe__direct)
[ $# -eq 11 ] || { echo "pe__direct() has $# numbers, not the 11 of its two polynomials" && exit 1; }
s4=$1 s3=$2 c5=$3 c4=$4 s2=$5 c3=$6 s1=$7 c2=$8 s0=$9
shift 9
c1=$1 c0=$2

# ideal KIND: the coefficients of the Taylor series, +-pi^n / n!, to 40 digits.
ideal() {
    case $1 in
    sine)
        echo "t0 = 3.14159265358979323846264338327950288419717;"
        echo "t1 = -5.16771278004997002924605251118356586703755;"
        echo "t2 = 2.55016403987734544385617758369529672066917;"
        echo "t3 = -0.599264529320792076887739383546040046015364;"
        echo "t4 = 0.0821458866111282287988023655236983448078375;"
        echo "t5 = -0.00737043094571435077725908995729078150121164;"
        echo "t6 = 0.000466302805767612564420628914470271743828200;"
        ;;
    cosine)
        echo "t0 = 1;"
        echo "t1 = -4.93480220054467930941724549993807556765685;"
        echo "t2 = 4.05871212641676821818501386202937963540532;"
        echo "t3 = -1.33526276885458949587530478285058319287114;"
        echo "t4 = 0.235330630358893204541879352775465421545069;"
        echo "t5 = -0.0258068913900140600125982942528988496571864;"
        echo "t6 = 0.00192957430940392304790334556368595764016847;"
        ;;
    esac
}

# a * b + c as the operations have it.
fma() { if [ "$fused" = 1 ]; then echo "rnd($1 * $2 + $3)"; else echo "rnd(rnd($1 * $2) + $3)"; fi; }

header() {
    echo "@rnd = float<ieee_64, ne>;"
    echo "Z = rnd(Zin);"
}

# rounding KIND: |computed - the polynomial| <= $2 units of 2^-60.
rounding() {
    header
    echo "zz rnd= Z * Z; ZZ = Z * Z;"
    if [ "$1" = sine ]; then
        echo "a4 = rnd($s4); a3 = rnd($s3); a2 = rnd($s2); a1 = rnd($s1); a0 = rnd($s0);"
        echo "p3 = $(fma a4 zz a3); p2 = $(fma p3 zz a2); p1 = $(fma p2 zz a1); p0 = $(fma p1 zz a0);"
        echo "y rnd= p0 * Z;"
        echo "P = ((((a4 * ZZ + a3) * ZZ + a2) * ZZ + a1) * ZZ + a0) * Z;"
    else
        echo "a5 = rnd($c5); a4 = rnd($c4); a3 = rnd($c3); a2 = rnd($c2); a1 = rnd($c1); a0 = rnd($c0);"
        echo "p4 = $(fma a5 zz a4); p3 = $(fma p4 zz a3); p2 = $(fma p3 zz a2); p1 = $(fma p2 zz a1);"
        echo "y = $(fma p1 zz a0);"
        echo "P = ((((a5 * ZZ + a4) * ZZ + a3) * ZZ + a2) * ZZ + a1) * ZZ + a0;"
    fi
    echo "{ |Z| <= 0.0625152587890625 -> |y - P| <= $2b-60 }"
}

# method KIND: |the polynomial - Taylor's| <= $2 units of 2^-60; Q is ZZ, by itself.
method() {
    echo "@rnd = float<ieee_64, ne>;"
    ideal "$1"
    if [ "$1" = sine ]; then
        echo "d0 = rnd($s0) - t0; d1 = rnd($s1) - t1; d2 = rnd($s2) - t2; d3 = rnd($s3) - t3;"
        echo "d4 = rnd($s4) - t4; d5 = -t5; d6 = -t6;"
        by="* 0.0625152587890625"
    else
        echo "d0 = rnd($c0) - t0; d1 = rnd($c1) - t1; d2 = rnd($c2) - t2; d3 = rnd($c3) - t3;"
        echo "d4 = rnd($c4) - t4; d5 = rnd($c5) - t5; d6 = -t6;"
        by=
    fi
    echo "E = ((((((d6 * Q + d5) * Q + d4) * Q + d3) * Q + d2) * Q + d1) * Q + d0) $by;"
    echo "{ Q in [0, 0.00390815758146345615386962890625] -> |E| <= $2b-60 }"
    echo "\$ Q in 4096;"
}

# The direct kernel's rotation, S C + C S, of a sine up to sin(pi (1/16 + 2^-16)).
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
    proof "sine-rounding-$how" rounding sine 33
    proof "cosine-rounding-$how" rounding cosine 72
    proof "turn-direct-$how" turn 0.1964 "$([ $fused = 1 ] && echo 154 || echo 218)"
    proof "turn-run-$how" turn 1 "$([ $fused = 1 ] && echo 192 || echo 256)"
    proof "grid-$how" grid
done
proof sine-method method sine 10
proof cosine-method method cosine 2
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
