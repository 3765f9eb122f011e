#!/bin/sh
# SPDX-License-Identifier: MIT
#
# demo.sh: checks that the demo and the other examples build without a warning and print what they must. The demo is
# built with SLEEF and without. If gnuplot is missing, examples/draw.sh must say so; otherwise it draws their files.
set -u
. tests/tools/lib.sh
WORK=$BUILD/demo.check
rm -rf "$WORK"
mkdir -p "$WORK"

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

# says_table: succeeds if the output has rows 1 and 3 of the 4 x 8 table, which are printed in the literature, the
# length of a row, and a speed.
says_table() {
    grep -q '1:  0.8415  0.5403  0.0998  0.9950  0.0100 .* length 2.000000' "$WORK/out" &&
        grep -q '3:  0.1411 -0.9900  0.2955  0.9553  0.0300 .* length 2.000000' "$WORK/out" &&
        grep -q 'GB/s .* ns per pair' "$WORK/out"
}
is_png() { [ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] && [ "$(wc -c <"$1")" -gt 20000 ]; }
pictures() { # NAME...
    if ! have gnuplot; then
        skipping "gnuplot is missing: $*"
        return
    fi
    for picture in "$@"; do
        quiet() { sh examples/draw.sh "$WORK" "$picture" && ! grep -i warning "$WORK/log"; }
        check "draws $picture.png" quiet
        check "... which is one" is_png "$WORK/$picture.png"
    done
}

check "the demo builds" build "$WORK/plain" -DPE_SLEEF=0
check "runs" run "$WORK/plain" "$WORK"
check "prints the table" says_table
check "prints a heat map" grep -q '^     0  .*@@' "$WORK/out"
pictures heatmap clocks
mkdir -p "$WORK/bare"
for tool in sh grep; do ln -sf "$(command -v $tool)" "$WORK/bare/$tool"; done
without() { PATH=$WORK/bare sh examples/draw.sh "$WORK" heatmap >"$WORK/out" && grep -q "NO PICTURES: gnuplot" "$WORK/out"; }
check "says what is missing where there is no gnuplot" without
if [ "$SLEEF" != 0 ] && have_library sleef "$CC"; then
    # shellcheck disable=SC2046
    check "builds with SLEEF" build "$WORK/full" -DPE_SLEEF=1 $(isa_flags "$(best_isa)") -lsleef
    check "runs" run "$WORK/full" "$WORK"
    check "prints the table" says_table
fi

# shellcheck disable=SC2046
check "rope_decoder builds" build_example rope_decoder "$WORK/decoder" -DPE_SLEEF=0 $(isa_flags "$(best_isa)")
check "rope_decoder runs" run "$WORK/decoder"
check "rope_decoder checks three things" test "$(grep -c '^ok ' "$WORK/out")" = 3

example() { # NAME PATTERN...: checks that the example builds and runs, and that its output matches each pattern
    example=$1
    shift
    # shellcheck disable=SC2046
    check "$example builds" build_example "$example" "$WORK/$example" -DPE_SLEEF=0 $(isa_flags "$(best_isa)")
    check "$example runs" run "$WORK/$example" "$WORK"
    for pattern in "$@"; do
        check "$example says $pattern" grep -q "$pattern" "$WORK/out"
    done
}
example attention 'no positions .* 0.0000   cannot tell' 'sinusoid.*   can tell' \
    'learned.*   can tell' 'ALiBi.*   can tell' 'RoPE.*   can tell'
example train_learned 'step 2000 ' 'the first place was found'
example dots ' 5    6 .* 7.4852 (from the distance: 7.4852)' \
    '105  106 .* 7.4852 (from the distance: 7.4852)' ' 5   10 .* 6.1370' 'on the distance alone'
example regression ' 10     0.2956 .* 1.0000   0.5403  0.8415    0.5403  0.8415' \
    ' 16     0.0007 ' 'Two columns: R^2 = 1'
example table 'length 16' ' 128   103.9083'
example angles ' 1024   sinf(p \* w) 4.*e-05   theta \*= scale 3.*e-04   pe 3.0e-08' \
    "Position 131071, pair .* in float32 "
example noise ' 131072 .* 2.[0-9]e-03       [23].[0-9]e-04$'
# answers.c is built with the sanitizers, if the compiler has them, since answers.py also gives it bad files.
sanitizers=-fsanitize=address,undefined
echo 'int main(void) { return 0; }' | links "$CC" $sanitizers || sanitizers=
numpy=
for candidate in python3 /usr/bin/python3; do
    ! "$candidate" -c 'import numpy' 2>/dev/null || numpy=${numpy:-$candidate}
done
check "answers builds" build_example answers "$WORK/answers" -O1 $sanitizers -DPE_SLEEF=0
if [ -n "$numpy" ]; then
    mkdir -p "$WORK/models"
    said_of_models() { "$numpy" tests/checks/answers.py "$WORK/answers" "$WORK/models"; }
    check "answers says what numpy says of random models, and refuses other files" said_of_models
    cp "$WORK/models/answers.dat" "$WORK"
    pictures answers
else
    skipping "numpy is missing: answers"
fi
pictures angles angle noise regression dots table curve preview
have gnuplot || echo "SKIP: pictures: gnuplot is missing"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
