#!/bin/sh
# SPDX-License-Identifier: MIT
#
# long_tests.sh: checks that a function of tests/unit has at most 60 lines, so that one reading is enough to see what it
# proves. The longer ones are listed in tests/checks/long_tests.txt, each with its number of lines and a reason. None
# may grow, and the list may only become shorter: MOST_LONG is its number of entries.
set -u
. tests/tools/lib.sh
WORK=$BUILD/long-tests
rm -rf "$WORK"
mkdir -p "$WORK"
MOST_LINES=60
MOST_LONG=31 # functions with more; lower it when you have split one
LIST=tests/checks/long_tests.txt

# functions FILE...: prints "file function lines" for every function that begins in the first column and ends with a }
# there. Macros are left out.
functions() {
    awk '
        FNR == 1 { name = "" }
        /^(static|int) [^=;]*\(/ && !/;$/ {
            name = $0
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
            first = FNR
        }
        /^}$/ && name != "" { print FILENAME, name, FNR - first + 1; name = "" }' "$@"
}
find tests/unit -name '*.[ch]' -o -name '*.cpp' | LC_ALL=C sort >"$WORK/files"
[ "$(wc -l <"$WORK/files")" -gt 25 ] || { echo "hardly a file in tests/unit" && exit 1; }
# shellcheck disable=SC2046
functions $(cat "$WORK/files") >"$WORK/functions"
[ "$(wc -l <"$WORK/functions")" -gt 500 ] || { echo "hardly a function in tests/unit" && exit 1; }
judged() { # FILE: the functions, in the form of functions()
    awk -v most=$MOST_LINES '
        FNR == NR {
            if (/^#/ || /^$/) next
            if (NF < 5) print "no reason: " $0
            allowed[$1 " " $2] = $3
            next
        }
        {
            name = $1 " " $2
            if ($3 > most && !(name in allowed)) print name " has " $3 " lines: split it"
            else if ($3 > most && $3 > allowed[name]) print name " has grown from " allowed[name] " to " $3 " lines"
            if ($3 > most) long[name] = 1
        }
        END { for (name in allowed) if (!(name in long)) print name " need not stand in the list" }' $LIST "$1" >"$WORK/wrong"
    cat "$WORK/wrong"
    [ ! -s "$WORK/wrong" ]
}
check "a test function has at most $MOST_LINES lines, or is in $LIST with a reason" judged "$WORK/functions"
check "... which has at most $MOST_LONG entries" test "$(grep -cv '^#\|^$' $LIST)" -le $MOST_LONG
# One more long function, and one that grows, must be found.
{
    cat "$WORK/functions"
    echo "tests/unit/common.h another_function 61"
} >"$WORK/more"
check "... and one more is refused" not judged "$WORK/more"
awk '{ $3 += $3 > 60; print }' "$WORK/functions" >"$WORK/longer"
check "... and one that has grown" not judged "$WORK/longer"
awk '$3 <= 60' "$WORK/functions" >"$WORK/shorter"
check "... and an entry without need" not judged "$WORK/shorter"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
