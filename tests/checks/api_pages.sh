#!/bin/sh
# SPDX-License-Identifier: MIT
#
# api_pages.sh: checks that docs/api.md is what `make headers` makes, and that `make docs` makes its pages without a
# warning. Both list every public function that `tests/run api` counts. The pages also have every type and every
# constant of an enum.
set -u
. tests/tools/lib.sh
WORK=$BUILD/api_pages
rm -rf "$WORK"
mkdir -p "$WORK"
have python3 || skip "python3 is missing"
public_functions >"$WORK/public"

python3 generate/api.py index >"$WORK/api.md"
check "docs/api.md is made from pe.h as it is: \`make headers\`" diff docs/api.md "$WORK/api.md"
tr '\n' ' ' <docs/api.md | sed 's/ \* `/\n* `/g' | grep -o '^\* `[^:]*' | grep -o '\<pe_[a-z0-9_]*' | sort >"$WORK/listed"
sed '/^\/\*  PRIVATE/q' pe.h | grep -o '^\(typedef.*\)\{0,1\}} pe_[a-z0-9_]*;\|typedef .*} pe_[a-z0-9]*;' | sed 's/.*} //; s/;//' | sort -u >"$WORK/types"
[ "$(wc -l <"$WORK/types")" -gt 15 ] || { echo "hardly a type in pe.h" && exit 1; }
check "... and lists every function" sh -c "grep -vxFf '$WORK/types' '$WORK/listed' | diff '$WORK/public' -"

if have doxygen; then
    check "make docs, without a warning" sh docs/api/make.sh "$WORK/pages"
    # members KIND: prints the names of this kind in the index of the pages, where a reader searches for a name.
    members() { sed -n "/<member kind=\"$1\">/,/<\/member>/s/^ *<name>\(.*\)<.*/\1/p" "$WORK/pages/posenc.tag" | sort -u; }
    members function >"$WORK/paged"
    check "... the pages have every function: $(wc -l <"$WORK/public" | tr -d ' ')" diff "$WORK/public" "$WORK/paged"
    { sed -n '/<compound kind="struct">/,/<\/compound>/s/^    <name>\(pe_.*\)<.*/\1/p' "$WORK/pages/posenc.tag" && members enumeration; } |
        grep . | sort -u >"$WORK/paged.types"
    check "... and every type" sh -c "grep -vxF pe__axis '$WORK/types' | comm -23 - '$WORK/paged.types' | { ! grep .; }"
    grep -oE '^(PE_[A-Z0-9_]+) -?[0-9]+$' tests/layout.txt | sed 's/ .*//' | sort -u >"$WORK/constants"
    members enumvalue >"$WORK/paged.constants"
    check "... and every status, preset and other constant" sh -c "comm -23 '$WORK/constants' '$WORK/paged.constants' | { ! grep .; }"
    searched() { cat "$WORK"/pages/search/*.js >"$WORK/search" && while read -r name; do grep -q "'$name'" "$WORK/search" || echo "no $name"; done <"$WORK/public" | not grep .; }
    check "... which the search finds" searched
else
    skipping "doxygen is missing"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
