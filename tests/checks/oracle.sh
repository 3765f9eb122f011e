#!/bin/sh
# SPDX-License-Identifier: MIT
#
# oracle.sh: checks the JSON files of packaging/oracle.txt. The cosines and sines in a file are those of its own
# frequencies and positions, rounded once. tests/checks/tool.py compares the frequencies of each kind of scaling with 70
# digits. The tests of examples/oracle pass with these files, and fail with each mistake that can be built in.
set -u
. tests/tools/lib.sh
WORK=$BUILD/oracle
rm -rf "$WORK"
mkdir -p "$WORK"
have_library json-c "$CC" || skip "the tool: json-c is missing"
have python3 || skip "python3 is missing"
# shellcheck disable=SC2086
"$CC" -std=c99 -O1 $WARNINGS $EXTRA_CFLAGS -I. -DPE_SLEEF=0 tool/posenc.c -o "$WORK/posenc" -ljson-c -lm || exit 1
check "a file for each model" sh packaging/oracle.sh "$WORK/posenc" "$WORK/files"
models=$(grep -vc '^#' packaging/oracle.txt)
check "... $models of them, at least ten" test "$(find "$WORK/files" -name '*.json' | wc -l)" = "$models" -a "$models" -ge 10
# scaled NAME SETTING...: writes a file for a scaling that none of the models in packaging/oracle.txt has.
scaled() { # NAME SETTING...
    name=$1
    shift
    "$WORK/posenc" table head_dim=16 rope_theta=10000 "$@" "$WORK/files/$name.json"
}
check "dynamic" scaled dynamic rope_type=dynamic factor=4 max_position_embeddings=2048 sequence_length=8192
check "longrope" scaled longrope rope_type=longrope max_position_embeddings=8192 original_max_position_embeddings=2048 \
    'short_factor=[1,1,1.1,1.2,1.3,1.4,1.5,1.6]' 'long_factor=[1,1.5,2,4,8,16,32,64]'
check "ntk" scaled ntk rope_type=ntk factor=4
check "proportional" scaled proportional rope_type=proportional rotary_dim=8
kinds() {
    sed -n 's/.*"rope_type": "\(.*\)",/\1/p' "$WORK"/files/*.json | sort -u
}
types=$(sed -n 's/^PE_ROPE_TYPE_COUNT //p' tests/layout.txt)
check "of every type but ntk-aware" test "$(kinds | wc -l)" -eq $((types - 1))
cat >"$WORK/exact.py" <<'X'
import json, sys
from decimal import Decimal as D, getcontext
getcontext().prec = 70
PI = D("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")
checked = 0

def sincos(x):
    x = x.remainder_near(2 * PI)
    sums, term = [D(0), D(0)], D(1)
    for n in range(1, 90):
        sums[n % 2] += term if n % 4 in (1, 2) else -term  # cosines at odd n, sines at even n
        term = term * x / n
    return sums[0], sums[1]

for path in sys.argv[1:]:
    table = json.load(open(path))
    factor = D(table["attention_factor"])
    pairs = range(0, len(table["frequencies"]), 7)
    for p, cosines, sines in zip(table["positions"], table["cos"], table["sin"]):
        for i in pairs:
            s, c = sincos(D(p) * D(table["frequencies"][i]))
            assert (float(c * factor), float(s * factor)) == (cosines[i], sines[i]), (path, p, i)
            checked += 1
print(f"{checked} pairs")
sys.exit(checked < 500)
X
exact() { python3 "$WORK/exact.py" "$WORK"/files/*.json; }
check "cosines and sines are those of 70 digits, rounded to double" exact
refused() { "$WORK/posenc" table "$@" "$WORK/refused.json" >"$WORK/said" 2>&1; [ $? -eq 1 ] && [ ! -e "$WORK/refused.json" ] && cat "$WORK/said"; }
check "no rotation is refused" refused preset=t2t d_model=8
check "several coordinates are refused" refused head_dim=128 'rope_scaling.mrope_section=[16,24,24]'
check "positions of two coordinates are refused" refused head_dim=8 --positions 2x2
check "an odd config is refused" refused head_dim=8 rope_theta=x
unwritable() { ! "$WORK/posenc" table head_dim=8 "$WORK/nowhere/a.json" 2>"$WORK/said" && grep 'cannot be written' "$WORK/said"; }
check "a file that cannot be written is" unwritable

if have "${CXX:-c++}"; then
    cpp() { # DEFECT
        "${CXX:-c++}" -std=c++11 -O2 -Wall -Wextra -Wpedantic -Werror -DDEFECT="$1" examples/oracle/test_rope.cpp -o "$WORK/rope$1" &&
            "$WORK/rope$1" "$WORK"/files/*.json
    }
    check "test_rope.cpp" cpp 0
    check "... fails with another base" not cpp 1
    check "... fails with the attention factor squared" not cpp 2
    check "... fails without a table" not "$WORK/rope0" "$WORK/posenc"
    check "... has at most 100 lines" test "$(wc -l <examples/oracle/test_rope.cpp)" -le 100
else
    skipping "a C++ compiler is missing: test_rope.cpp"
fi
numpy=
for candidate in python3 /usr/bin/python3; do
    ! "$candidate" -c 'import numpy' 2>/dev/null || numpy=${numpy:-$candidate}
done
if [ -n "$numpy" ]; then
    echo '{}' >"$WORK/files/posenc-layout.json" # a release has such files beside its oracles
    rotary() { ORACLE=$WORK/files DEFECT=$1 "$numpy" examples/oracle/test_rotary.py; }
    check "test_rotary.py" rotary ''
    check "... fails with another base" not rotary base
    check "... fails with frequencies in bfloat16" not rotary bf16
    nothing() { ORACLE=$WORK/nothing "$numpy" examples/oracle/test_rotary.py; }
    check "... fails without files" not nothing
    if "$numpy" -c 'import pytest' 2>/dev/null; then
        by_pytest() { ORACLE=$WORK/files "$numpy" -m pytest -q -p no:cacheprovider examples/oracle/test_rotary.py; }
        check "... by pytest" by_pytest
    else
        skipping "pytest is missing: test_rotary.py is run without it"
    fi
else
    skipping "numpy is missing: test_rotary.py"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
