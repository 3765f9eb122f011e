#!/bin/sh
# SPDX-License-Identifier: MIT
#
# headers.sh: checks that the generated headers and docs/names.md are what `make headers` makes. The headers must
# contain every file of src/, and pe_fixed.h may have at most 450 lines. The table of generate/README.md and
# .gitattributes must list the same generated files. Every file that says "made from ... by" in its first eight lines
# must be among them.
set -u
. tests/tools/lib.sh
WORK=$BUILD/headers
rm -rf "$WORK"
mkdir -p "$WORK/made"
find src -name '*.h' | LC_ALL=C sort >"$WORK/files"
[ "$(wc -l <"$WORK/files")" -gt 40 ] || { echo "hardly a file in src/" && exit 1; }

verdict() { # WHAT FILE: fails unless the file, which lists what is wrong, is empty
    check "$1" awk '{ print } END { exit NR > 0 }' "$2"
}

have python3 || skip "python3 is missing, which generate/headers.sh needs"
check "headers.sh makes them" sh generate/headers.sh "$WORK/made"
for header in pe.h pe_simd.h pe_fixed.h pe_fixed.wgsl examples/gpu/pe_fixed.glsl python/posenc/_fixed.py; do
    check "$header is made from src/ as it is: \`make headers\`" diff "$header" "$WORK/made/$header"
done
while read -r file; do
    grep -qxF "/* ==== $file ==== */" "$WORK/made/pe.h" "$WORK/made/pe_simd.h" "$WORK/made/pe_fixed.h" ||
        echo "$file is in none"
done <"$WORK/files" >"$WORK/forgotten"
verdict "every file of src/ is in one of them" "$WORK/forgotten"
check "generate/names.py finds the names" sh -c "python3 generate/names.py >$WORK/names.md"
check "docs/names.md has them: \`make headers\`" diff docs/names.md "$WORK/names.md"
check "pe_fixed.h has at most 450 lines" test "$(wc -l <pe_fixed.h)" -le 450

# Prints the files that git tracks, or all files if this is not a checkout.
tracked() {
    [ -e .git ] && git ls-files 2>/dev/null || find . -name build -prune -o -type f -print | sed 's,^\./,,'
}
sed -n 's/^| \([a-z][^ ]*\.[a-z]*\) |.*/\1/p' generate/README.md | LC_ALL=C sort >"$WORK/listed"
sed -n 's,^/\([^ ]*\) linguist-generated.*,\1,p' .gitattributes | LC_ALL=C sort >"$WORK/attributes"
[ "$(wc -l <"$WORK/listed")" -gt 10 ] || echo "hardly a file" >>"$WORK/listed"
check ".gitattributes marks the generated files that generate/README.md lists" diff "$WORK/listed" "$WORK/attributes"
tracked | grep -vE '^tests/fuzz/corpus/|\.png$' | xargs grep -nE '^.{0,5}[Mm]ade from .* by |[.] Made from .* by ' /dev/null |
    awk -F : '$2 <= 8 { print $1 }' | LC_ALL=C sort -u >"$WORK/marked"
[ "$(wc -l <"$WORK/marked")" -gt 10 ] || echo "hardly a file" >>"$WORK/marked"
LC_ALL=C comm -23 "$WORK/marked" "$WORK/listed" >"$WORK/unlisted"
verdict "it lists every file that says \"made from ... by\"" "$WORK/unlisted"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
