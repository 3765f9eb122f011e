#!/bin/sh
# SPDX-License-Identifier: MIT
#
# enums.sh: checks that every text that lists the RoPE types or the presets lists all of them. The lists are
# PE__ROPE_TYPES in src/rope/contract_config.h and PE__PRESETS in src/api/types.h. The compiler compares what repeats
# them in C. This script compares comments, pages, messages and the tests of names. CONTRIBUTING.md says what to add in
# each place.
set -u
. tests/tools/lib.sh
WORK=$BUILD/enums
rm -rf "$WORK"
mkdir -p "$WORK"

# listed MACRO FILE: prints the entries of an X-macro, one per line: the constant, then the texts that it has in quotes.
listed() {
    sed -n "/^#define $1(X)/,/[^\\\\]\$/s/^    X(\(PE_[A-Z0-9_]*\),\(.*\)).*/\1\2/p" "$2" | sed 's/"//g; s/, */ /g'
}
listed PE__ROPE_TYPES src/rope/contract_config.h >"$WORK/types"
listed PE__PRESETS src/api/types.h >"$WORK/presets"
# value CONSTANT: prints its value in tests/layout.txt, which `tests/run layout` compares with the compiler's.
value() { sed -n "s/^$1 //p" tests/layout.txt; }
types=$(value PE_ROPE_TYPE_COUNT)
check "PE__ROPE_TYPES has the number of types of tests/layout.txt, $types" test "$(wc -l <"$WORK/types")" = "$types"
check "PE__PRESETS has the number of presets there, $(value PE_PRESET_COUNT)" \
    test "$(wc -l <"$WORK/presets")" = "$(value PE_PRESET_COUNT)"

# has_all WHAT FILE: checks that a line of FILE matches each extended regular expression in $WORK/patterns.
has_all() {
    while read -r pattern; do
        grep -qE -- "$pattern" "$2" || echo "$2 has no line with $pattern"
    done <"$WORK/patterns" >"$WORK/missing"
    [ -s "$WORK/patterns" ] || echo "hardly a pattern" >>"$WORK/missing"
    check "$1" diff /dev/null "$WORK/missing"
}
# patterns types|presets PATTERN: writes the pattern to $WORK/patterns once for each constant of the list. The constant,
# without the prefix PE_PRESET_, replaces the word CONSTANT.
#
# patterns names PATTERN: writes the pattern once for each name of a RoPE type. The name replaces the word NAME, and the
# type's constant replaces TYPE.
patterns() {
    case $1 in
    names) awk -v p="$2" '{ for (i = 2; i <= NF; i++) { q = p; sub("NAME", $i, q); sub("TYPE", $1, q); print q } }' "$WORK/types" ;;
    *) sed 's/ .*//; s/^PE_PRESET_//' "$WORK/$1" | awk -v p="$2" '{ q = p; sub("CONSTANT", $1, q); print q }' ;;
    esac >"$WORK/patterns"
}

patterns types '^ [*]     CONSTANT '
has_all "each type has its formula in the comment above the list" src/rope/contract_config.h
patterns types '^[|].*`CONSTANT`'
has_all "each type has a row in docs/rope.md" docs/rope.md
patterns names '^[|].*`"NAME"`'
has_all "docs/rope.md has each name that config files have for a type" docs/rope.md
patterns names '[{]"NAME", TYPE[}]'
has_all "each name is tested" tests/unit/rope/test_rope_frequencies.c
patterns presets '^ [*]   CONSTANT '
has_all "each preset has a row in the comment of pe_config_preset()" src/plan/contract.h
patterns presets '^[|] `CONSTANT` [|]'
has_all "each preset has a row in docs/conventions.md" docs/conventions.md

# These lists do not contain the constants' names, so only the number of their entries is compared.
reported=$(sed -n 's/^| `rope_type` | //p' docs/tool.md | grep -o '`[^`]*`' | wc -l)
check "docs/tool.md lists $types types, as posenc show calls them" test "$reported" -eq "$types"
explored=$(sed -n 's/^const TYPES = \[\(.*\)\];/\1/p' generate/explorer/explorer.html | grep -o '"[^"]*"' | wc -l)
check "the explorer lists $types types" test "$explored" -eq "$types"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
