#!/bin/sh
# SPDX-License-Identifier: MIT
#
# text.sh: checks that comments and pages have no more hard sentences than tests/checks/text.txt allows. The program
# text.py counts them, and must find an example of each kind.
set -u
. tests/tools/lib.sh
WORK=$BUILD/text
mkdir -p "$WORK"
have python3 || skip "python3 is missing"
check "comments and pages have as many hard sentences as tests/checks/text.txt says" python3 tests/checks/text.py
sed 's/ [1-9][0-9]*$/ 0/' tests/checks/text.txt >"$WORK/text.txt"
sed "s,^BOUNDS = .*,BOUNDS = '$WORK/text.txt'," tests/checks/text.py >"$WORK/text.py"
check "... and a lower bound is refused" not python3 "$WORK/text.py"
echo
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
