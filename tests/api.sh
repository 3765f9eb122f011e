#!/bin/sh
# SPDX-License-Identifier: MIT
#
# api.sh: is every public function tested? The functions pe_... of pe.h, as the preprocessor
# sees them, are compared with those called in
#
#   tests/test_memory.c, tests/api.h   guard pages, NULL, sizes, surroundings, threads
#   tests/hash.c                       the same bits from every build (make matrix)
#
# and each must be in both. A function for which that makes no sense stands below, with the reason.
set -u
. tests/lib.sh
WORK=$BUILD/api
rm -rf "$WORK"
mkdir -p "$WORK"
passed=0 failed=0

# functions that tests/hash.c does not call, and why
unhashed() {
    grep -v '^ *#' <<X | awk '{ print $1 }' | sort
pe_preset_name         text
pe_rope_type_named     reads text
pe_rope_config_error   text
pe_config_error        text
pe_selftest            hashes by itself, and says yes or no: tests/test_selftest.c
X
}

public_functions >"$WORK/public"
[ "$(wc -l <"$WORK/public")" -gt 100 ] || { echo "hardly a function found in pe.h" && exit 1; }

called() { sed 's/\\"//g; s/"[^"]*"//g' | grep -o '\<pe_[a-z0-9][a-z0-9_]* *(' | sed 's/ *($//' | sort -u; }

compare() { # NAME FILE EXCEPTIONS: the names in FILE are all public ones but the exceptions
    comm -23 "$WORK/public" "$2" | comm -23 - "$3" >"$WORK/missing"
    comm -12 "$3" "$2" >"$WORK/needless"
    comm -13 "$WORK/public" "$3" >>"$WORK/needless"
    if [ -s "$WORK/missing" ] || [ -s "$WORK/needless" ]; then
        echo "FAIL $1"
        sed 's/^/    not called: /' "$WORK/missing"
        sed 's/^/    an exception without need: /' "$WORK/needless"
        failed=$((failed + 1))
    else
        echo "ok   $1: $(comm -12 "$WORK/public" "$2" | wc -l) of $(wc -l <"$WORK/public") functions"
        passed=$((passed + 1))
    fi
}

: >"$WORK/none"
preprocessed tests/test_memory.c | from api.h test_memory.c | called >"$WORK/memory"
compare "tests/test_memory.c calls every public function" "$WORK/memory" "$WORK/none"
unhashed >"$WORK/unhashed"
preprocessed tests/hash.c | from hash.c | called >"$WORK/hash"
compare "tests/hash.c calls every public function" "$WORK/hash" "$WORK/unhashed"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
