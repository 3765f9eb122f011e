#!/bin/sh
# SPDX-License-Identifier: MIT
#
# format.sh [write]: checks that each file of C and C++ has the format of .clang-format, with the version of
# clang-format that tests/requirements/format.txt pins. With `write`, it formats the files instead. Generated headers
# are left out, since they get their format from src/ or from their generator.
set -u
. tests/tools/lib.sh
environment format
WORK=$BUILD/format-check
mkdir -p "$WORK"
format=$BUILD/format/bin/clang-format

# find lists the files, not git, because the check also runs in an archive without git.
find bench examples generate packaging src tests tool -name '*.[ch]' -o -name '*.[ch]pp' | LC_ALL=C sort |
    grep -vx -e 'packaging/functions.h' -e 'tool/model/transformers.h' >"$WORK/files"
[ "$(wc -l <"$WORK/files")" -gt 200 ] || { echo "hardly a file of C" && exit 1; }
# shellcheck disable=SC2046
[ "${1:-}" != write ] || exec "$format" -i $(cat "$WORK/files")
while read -r file; do
    "$format" "$file" | diff -u "$file" - || echo "FAIL $file: make format"
done <"$WORK/files" >"$WORK/diff"
cat "$WORK/diff"
failed=$(grep -c '^FAIL ' "$WORK/diff")
echo "$(($(wc -l <"$WORK/files") - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
