#!/bin/sh
# SPDX-License-Identifier: MIT
#
# demo.sh: the demo builds without a warning and does its job, with everything (SLEEF, libpng) and
# with nothing; so do the other examples.
set -u
. tests/tools/lib.sh
WORK=$BUILD/demo-runs
rm -rf "$WORK"
mkdir -p "$WORK"
skipped=0

build() { # OUT FLAGS...
    build_example demo "$@"
}

build_example() { # NAME OUT FLAGS...
    source=examples/$1.c out=$2
    shift 2
    # shellcheck disable=SC2086
    "$CC" -std=c99 -O2 $WARNINGS $EXTRA_CFLAGS -I. "$source" -o "$out" "$@" -lm
}

run() { "$@" >"$WORK/out" 2>&1 || { cat "$WORK/out" && return 1; }; }

# Rows 1 and 3 of the 4 x 8 table, known from the literature, and the length of a row.
says_table() {
    grep -q '1:  0.8415  0.5403  0.0998  0.9950  0.0100 .* length 2.000000' "$WORK/out" &&
        grep -q '3:  0.1411 -0.9900  0.2955  0.9553  0.0300 .* length 2.000000' "$WORK/out" &&
        grep -q 'GB/s .* ns per pair' "$WORK/out"
}
is_png() { [ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]; }

check "builds with nothing" build "$WORK/plain" -DPE_SLEEF=0 -DDEMO_PNG=0
check "runs with nothing" run "$WORK/plain" "$WORK"
check "prints the table" says_table
check "says that there are no pictures" grep -q "NO PICTURES" "$WORK/out"

# shellcheck disable=SC2046
check "rope_decoder builds" build_example rope_decoder "$WORK/decoder" -DPE_SLEEF=0 $(isa_flags "$(best_isa)")
check "rope_decoder runs" run "$WORK/decoder"
check "rope_decoder checks three things" test "$(grep -c '^ok ' "$WORK/out")" = 3

# Examples that need no pictures, and those whose charts are SVG, and PNG as well if there is libpng.
is_svg() { grep -q '<svg xmlns' "$1" && grep -q '</svg>' "$1" && grep -q '<text' "$1"; }
example() { # NAME PATTERN...: builds, runs, prints each pattern
    example=$1
    shift
    # shellcheck disable=SC2046
    check "$example builds" build_example "$example" "$WORK/$example" -DPE_SLEEF=0 \
        $chart_flags $(isa_flags "$(best_isa)")
    check "$example runs" run "$WORK/$example" "$WORK"
    for pattern in "$@"; do
        check "$example says $pattern" grep -q "$pattern" "$WORK/out"
    done
}
charts() { # NAME...
    for chart in "$@"; do
        check "draws $chart.svg" is_svg "$WORK/$chart.svg"
        [ -z "$chart_flags" ] || check "draws $chart.png" is_png "$WORK/$chart.png"
    done
}
chart_flags=
example attention 'no positions .* 0.0000   cannot tell' 'sinusoid.*   can tell' \
    'learned.*   can tell' 'ALiBi.*   can tell' 'RoPE.*   can tell'
example train_learned 'step 2000 ' 'the first place was found'
example dots ' 5    6 .* 7.4852 (from the distance: 7.4852)' \
    '105  106 .* 7.4852 (from the distance: 7.4852)' ' 5   10 .* 6.1370' 'on the distance alone'
charts dots
have_library png "$CC" && chart_flags="-DDEMO_PNG=1 -lpng"
example regression ' 10     0.2956 .* 1.0000   0.5403  0.8415    0.5403  0.8415' \
    ' 16     0.0007 ' 'Two columns: R^2 = 1'
example table 'length 16' ' 128   103.9083'
example dots 'on the distance alone'
example angles ' 1024   sinf(p \* w) 4.*e-05   theta \*= scale 3.*e-04   pe 3.0e-08'
charts regression table curve preview dots angles

if have_library png "$CC"; then
    libs="-lpng"
    flags="-DDEMO_PNG=1 -DPE_SLEEF=0"
    if [ "$SLEEF" != 0 ] && have_library sleef "$CC"; then
        libs="$libs -lsleef"
        flags="-DDEMO_PNG=1 -DPE_SLEEF=1 $(isa_flags "$(best_isa)")"
    fi
    # shellcheck disable=SC2086
    check "builds with $flags" build "$WORK/full" $flags $libs
    check "runs" run "$WORK/full" "$WORK"
    check "prints the table" says_table
    check "draws heatmap.png" is_png "$WORK/heatmap.png"
    check "draws clocks.png" is_png "$WORK/clocks.png"
else
    echo "SKIP: the demo's pictures: libpng is missing"
    skipped=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
