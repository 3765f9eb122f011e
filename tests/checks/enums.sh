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


# same WHAT A B: checks that the files A and B in $WORK are equal.
same() { check "$1" diff "$WORK/$2" "$WORK/$3"; }

# The lists of presets' names: each is the constant in lower case, in the order of the enum.
sed 's/^PE_PRESET_\([A-Z0-9_]*\).*/\1/' "$WORK/presets" | tr A-Z a-z >"$WORK/expected"
sed -n '/ preset_names\[\] = {/,/^};/p' tool/model/preset.h | grep -o '"[^"]*"' | tr -d '"' >"$WORK/found"
same "tool/model/preset.h names the presets in the order of the enum" expected found
sed 's/^PE_PRESET_\([A-Z0-9_]*\).*/\1/' "$WORK/presets" | awk '{ print $1, tolower($1) }' >"$WORK/expected"
sed -n 's/^    \[PE_PRESET_\([A-Z0-9_]*\)\] = "\(.*\)",$/\1 \2/p' tests/checks/presets.h >"$WORK/found"
same "tests/checks/presets.h has each preset's own name" expected found
check "docs/which.md has the number of presets" grep -q "one of $(value PE_PRESET_COUNT) conventions" docs/which.md

# The tool's entry of a type: a name of config files, the report's name, the name of the scaling, and the constant.
sed -n '/ type_names\[\] = {/,/^};/s/^ *{"\(.*\)", "\(.*\)", "\(.*\)", "\(.*\)"},$/PE_ROPE_\4 \1 \2/p' tool/model/names.h \
    >"$WORK/named"
cut -d ' ' -f 1 "$WORK/types" >"$WORK/expected"
cut -d ' ' -f 1 "$WORK/named" >"$WORK/found"
same "tool/model/names.h has the types in the order of the enum" expected found
sed 's/^\(.*\) \(.*\) .*$/^\1 (.* )?\2( |$)/' "$WORK/named" >"$WORK/patterns"
has_all "... each with a name that config files have for it" "$WORK/types"
cut -d ' ' -f 3 "$WORK/named" >"$WORK/expected"
sed -n 's/^| `rope_type` | //p' docs/tool.md | grep -o '`[^`]*`' | tr -d '`' >"$WORK/found"
same "docs/tool.md lists the types as posenc show calls them" expected found

# The comment that explains ramps must name the types for which pe__rope_has_ramp() returns 1.
sed -n '/^PE__INLINE int pe__rope_has_ramp/,/^}/p' src/rope/config.h | grep -o 'PE_ROPE_[A-Z0-9_]*' | sed 's/^PE_ROPE_/ /; s/$/[. ]/' \
    >"$WORK/patterns"
sed -n '/^ \* In the ramp/,/[*]\//p' src/rope/config.h >"$WORK/ramps"
has_all "the comment at the top of src/rope/config.h names the types with a ramp" "$WORK/ramps"

# Version 0.4 has the first 9 types and the first 17 presets. The changelog must name each later one.
{ sed '1,9d' "$WORK/types"; sed '1,17d' "$WORK/presets"; } | sed 's/ .*//' >"$WORK/patterns"
[ ! -s "$WORK/patterns" ] || has_all "CHANGELOG.md names the new types and presets" CHANGELOG.md

# The explorer calls the types by names of its own, so only their number is compared.
explored=$(sed -n 's/^const TYPES = \[\(.*\)\];/\1/p' generate/explorer/explorer.html | grep -o '"[^"]*"' | wc -l)
check "the explorer lists $types types" test "$explored" -eq "$types"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
