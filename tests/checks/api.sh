#!/bin/sh
# SPDX-License-Identifier: MIT
#
# api.sh: checks that every public function is tested and described, and that a search finds it. The functions
# pe_... of pe.h, as the preprocessor sees them, are compared with the functions that are called in
#
#   tests/unit/calls/test_memory.c, tests/unit/api.h   test guard pages, NULL, sizes, memory around arrays, and threads
#   tests/unit/hash.c                                  proves the same bits from every build (tests/run matrix)
#   tests/fuzz/*.c                                     test any arguments: which are refused, what is written
#
# Each function must be called in all three. unhashed() and unfuzzed() list the exceptions, with the reason.
#
# The public part of pe.h has a prototype of each function with the whole name, so that a search finds it. Above it is a
# comment with all parts that undescribed() names. The private part has the definition, which ctags finds. There are at
# most MOST_FUNCTIONS functions, and the numbers of the sections go up.
set -u
. tests/tools/lib.sh
WORK=$BUILD/api
rm -rf "$WORK"
mkdir -p "$WORK"

# unhashed: prints the functions that tests/unit/hash.c does not call; the second column says why.
unhashed() {
    grep -v '^ *#' <<X | awk '{ print $1 }' | sort
pe_rope_type_named     reads text
pe_rope_config_error   text
pe_config_error        text
pe_frequency_error     text
X
}

# unfuzzed: prints the functions that no fuzzer calls; the second column says why.
unfuzzed() {
    grep -v '^ *#' <<X | awk '{ print $1 }' | sort
pe_version                 no argument
pe_isa_name                no argument
pe_selftest                no argument
pe_config_error            text; pe_plan_init() refuses the same configs
pe_rope_type_named         reads text
pe_rope_ggml_frequencies   pe_rope_ggml_f32() checks the same struct
pe_frequencies_float32     no pe_at; test_memory.c has its bounds
pe_fixed_increments        no pe_at; test_fixed.c has its refusals
pe_fixed_increments_of     no pe_at; test_fixed.c has its refusals
X
}

MOST_FUNCTIONS=101 # whoever adds a function has to remove another one

verdict() { # NAME FILE: fails unless the file, which lists what is wrong, is empty
    if [ -s "$2" ]; then
        echo "FAIL $1"
        sed 's/^/    /' "$2"
        failed=$((failed + 1))
    else
        echo "ok   $1"
        passed=$((passed + 1))
    fi
}

public_functions >"$WORK/public"
count=$(wc -l <"$WORK/public")
[ "$count" -gt 60 ] || { echo "hardly a function found in pe.h" && exit 1; }
: >"$WORK/many"
[ "$count" -le $MOST_FUNCTIONS ] || echo "$count functions" >"$WORK/many"
verdict "at most $MOST_FUNCTIONS public functions: $((count))" "$WORK/many"

# Each prototype of the public part begins on a line that contains the function's whole name.
sed '/^\/\*  PRIVATE/q' pe.h | sed -n 's/^PE_API .*[ *]\(pe_[a-z0-9][a-z0-9_]*\)(.*/\1/p' |
    sort >"$WORK/literal"
diff "$WORK/public" "$WORK/literal" >"$WORK/unliteral"
verdict "every public function is written out, once" "$WORK/unliteral"

# A definition begins on a line that contains the function's whole name, and has a body after the parameters.
awk '
    /^(PE_API|PE__API_INLINE) [^;]*[ *]pe_[a-z0-9][a-z0-9_]*\(/ {
        name = $0
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
    }
    name != "" && /;$/ && !/\{/ { name = "" }
    name != "" && (/^\{$/ || /\{.*\}$/) { print name; name = "" }' pe.h | sort >"$WORK/defined"
diff "$WORK/public" "$WORK/defined" >"$WORK/undefined"
verdict "every public function is defined by its name, once" "$WORK/undefined"
if ctags --version 2>/dev/null | grep -q 'Universal Ctags'; then
    ctags -x --c++-kinds=f pe.h | awk '$1 ~ /^pe_[a-z0-9]/ { print $1 }' | sort >"$WORK/tagged"
    diff "$WORK/public" "$WORK/tagged" >"$WORK/untagged"
    verdict "ctags finds every public function with its body" "$WORK/untagged"
else
    skipping "universal-ctags is missing: the definitions that it finds"
fi

# The numbers of the sections go up in the public part, and again in the private part. The table of contents has the
# numbers of the public part.
sections() { sed -n 's,^/\* ---- \([0-9][0-9.]*\)\.* .*,\1,p; s,^/\*  \(2\)\. TYPES.*,\1,p' | sed 's/\.$//'; }
sed '/^\/\*  PRIVATE/q' pe.h | sections >"$WORK/public.sections"
sed '1,/^\/\*  PRIVATE/d' pe.h | sections >"$WORK/private.sections"
{
    for part in public private; do sort -C -t . -k 1,1n -k 2,2n "$WORK/$part.sections" || echo "the $part sections are not in order"; done
    sed '/^ \* QUICK START/q' pe.h | sed -n 's/^ \*  *\([0-9]*\)\. .*/\1/p' | diff "$WORK/public.sections" -
    [ "$(wc -l <"$WORK/private.sections")" -gt 25 ] || echo "hardly a section in the private part"
} >"$WORK/unordered"
verdict "the sections of pe.h have the contents' numbers, in order" "$WORK/unordered"

called() { sed 's/\\"//g; s/"[^"]*"//g' | grep -o '\<pe_[a-z0-9][a-z0-9_]* *(' | sed 's/ *($//' | sort -u; }

compare() { # NAME FILE EXCEPTIONS: fails unless the names in FILE are all public functions except those in EXCEPTIONS
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
preprocessed tests/unit/calls/test_memory.c | from api.h test_memory.c | called >"$WORK/memory"
compare "tests/unit/calls/test_memory.c calls every public function" "$WORK/memory" "$WORK/none"
unhashed >"$WORK/unhashed"
preprocessed tests/unit/hash.c | from hash.c | called >"$WORK/hash"
compare "tests/unit/hash.c calls every public function" "$WORK/hash" "$WORK/unhashed"
unfuzzed >"$WORK/unfuzzed"
for fuzzer in api rope tables; do
    preprocessed tests/fuzz/$fuzzer.c | from $fuzzer.c calls.h fuzz.h place.h | called
done | sort -u >"$WORK/fuzz"
compare "tests/fuzz/*.c call every public function" "$WORK/fuzz" "$WORK/unfuzzed"

# undescribed: prints each part that is missing in the comment of a public function. A comment belongs to all prototypes
# below it up to the next blank line. Every comment needs the part Threads. If the first of these functions returns a
# pe_status, the comment also needs Returns and Accuracy, which names the test that proves it. With two pointers or more
# it needs Aliasing also. Each test that a comment names must exist, and so must each function in an "as pe_x".
undescribed() {
    awk '
        function part(name) { return text ~ "\n \\* " name "  +[^ ]" }
        function lacks(what) { print "line " line ": " name ": the comment lacks " what }
        function judge(    pointers, accuracy) {
            if (code !~ /PE_API/) return
            if (text == "") { print "line " line ": no comment above " code; return }
            judged += gsub(/PE_API/, "PE_API", code)
            sub(/;.*/, "", code) # the first of those that share a comment
            name = code
            sub(/[(].*/, "", name)
            sub(/^.*[ *]/, "", name)
            pointers = gsub(/\*/, "*", code)
            if (code !~ /PE_API pe_status/) {
                if (!part("Threads") && text !~ /Threads: /) lacks("Threads")
                return
            }
            if (!part("Returns")) lacks("Returns")
            accuracy = text
            if (!sub(/^.*\n \* Accuracy  +/, "", accuracy)) lacks("Accuracy")
            sub(/\n \* [A-Z].*/, "", accuracy)
            if (accuracy !~ /test[a-z_]*\.c/) lacks("a test beside Accuracy")
            if (pointers > 1 && !part("Aliasing")) lacks("Aliasing")
            if (!part("Threads")) lacks("Threads")
        }
        /^\/\*  FUNCTIONS/ { public = 1 }
        /^\/\*  PRIVATE/ { exit }
        !public { next }
        /^\/\*/ && !within { judge(); text = code = ""; within = 1; line = NR }
        within { text = text "\n" $0; if (/\*\/ *$/) within = 0; next }
        /^ *$/ { judge(); text = code = ""; next }
        { if (code == "" && text == "") line = NR; code = code $0 }
        END { judge(); if (judged != count) print judged " functions below a comment, not " count }' \
        count="$((count))" pe.h
    sed '/^\/\*  PRIVATE/q' pe.h | grep -o 'test[a-z_]*\.c' | sort -u | while read -r file; do
        ls tests/unit/*/"$file" >/dev/null 2>&1 || echo "there is no $file in tests/unit"
    done
    sed '/^\/\*  PRIVATE/q' pe.h | grep -o ' as pe_[a-z0-9_]*' | sort -u | while read -r _ name; do
        grep -q "^${name%_}" "$WORK/public" || echo "as $name: there is no such function"
    done
}
undescribed >"$WORK/undescribed"
verdict "every public function is described" "$WORK/undescribed"

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
