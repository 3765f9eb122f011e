#!/bin/sh
# SPDX-License-Identifier: MIT
#
# transformers.sh: checks that posenc reads each config.json as transformers does. The table of model types must be what
# generate/model_lines.py makes of the record in tests/models/. tests/checks/transformers_parity.py compares posenc with
# this record, which needs no package. In the environment of test peers, generate/model_truth.py then compares the
# record with the library itself, using one style of files. There, changed_keys.py compares posenc with the library for
# files in which one or two keys have changed, for every tenth type. With EVERY=1 the two use all styles, all types and
# the random variants.
#
# transformers_parity.py documents the classes of entries that it counts. "unmeasured" means that the library was not
# seen to rotate with these numbers, so that nothing is claimed about them.
set -u
. tests/tools/lib.sh
WORK=$BUILD/transformers
mkdir -p "$WORK"
have python3 || skip "transformers: python3 is missing"
have_library json-c "$CC" || skip "transformers: json-c is missing, so posenc cannot be built"
# shellcheck disable=SC2086
"$CC" -std=c99 -O1 $WARNINGS $EXTRA_CFLAGS -I. -DPE_SLEEF=0 tool/posenc.c -o "$WORK/posenc" -ljson-c -lm || exit 1
style=no_rope_keys types=10
[ "${EVERY:-0}" = 1 ] && style=all types=1
{
    python3 generate/model_lines.py --check || echo "FAIL model_lines.py: status $?"
    python3 tests/checks/transformers_parity.py "$WORK/posenc" "$WORK" || echo "FAIL transformers_parity.py: status $?"
    if cmp -s tests/requirements/peers.txt "$BUILD/peers/requirements.txt"; then
        "$BUILD/peers/bin/python" generate/model_truth.py --check $style || echo "FAIL model_truth.py: status $?"
        "$BUILD/peers/bin/python" tests/checks/changed_keys.py "$WORK/posenc" "$WORK" --every "$types" --pairs 40 ||
            echo "FAIL changed_keys.py: status $?"
        [ $style != all ] || "$BUILD/peers/bin/python" generate/model_tree.py --check || echo "FAIL model_tree.py: status $?"
    else
        echo "SKIP: build/peers is missing, so the record is not compared with transformers: make deps"
        echo "0 passed, 0 failed, 1 skipped"
    fi
} | awk '
    /passed, [0-9]+ failed/ {
        for (i = 2; i <= NF; i++) {
            if ($i ~ /^passed/) passed += $(i - 1)
            if ($i ~ /^failed/) failed += $(i - 1)
            if ($i ~ /^skipped/) skipped += $(i - 1)
        }
        next
    }
    /^FAIL .*: status/ { failed += failed == 0 }
    { print }
    END { print passed + 0 " passed, " failed + 0 " failed, " skipped + 0 " skipped"; exit failed > 0 }'
