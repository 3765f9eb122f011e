#!/bin/sh
# SPDX-License-Identifier: MIT
#
# structure.sh [PART...]: checks these rules for the structure of src/. Without PART it checks all of them.
#
#   headers     tests/checks/headers.sh passes: the generated headers are current.
#   path        A trace of pe_fill_f32() and pe_rope_f32() (trace.py) exceeds none of the numbers of MOST_TRACED, and
#               docs/design.md has the calls from pe_fill_f32() to the store.
#   circles     No file includes itself through others.
#   size        A file has at most 500 lines, a line at most 100 columns, and src/ at most MOST_CODE lines of code.
#   functions   A private function has at most 7 parameters, a public one 10, and each at most 60 lines. Exceptions are
#               listed in tests/checks/large.txt until they are mended, and no longer.
#   folders     tests/unit has a folder for each folder of src/ except frequencies/, whose files plan/ and rope/ test.
#   picture     docs/structure.svg is what generate/structure.sh draws.
#   alone       Each file compiles with only what it includes, as C99 in scalar code. Those of src/simd also compile for
#               the best instruction set of this machine. With EVERY=1, all files compile as C99 and C++11 for each
#               instruction set.
set -u
. tests/tools/lib.sh
WORK=$BUILD/structure
rm -rf "$WORK"
mkdir -p "$WORK"
# Whoever removes code lowers MOST_CODE. It may rise only by what a new call or convention needs, or what makes calls
# faster. The list has the reason for each rise. The number was 8,318 before the first of them.
#
#   + 200   pe_sincos_T
#   + 200   tables as values
#   + 190   fast frequencies
#   + 105   keys at any positions
#   +  67   a coordinate for each pair, and factors that use logarithms
#   +   7   100 columns everywhere
#   + 150   lists whose rows repeat
#   +  82   calls that are compiled into their callers
#   + 131   plans whose list of coordinates is sorted, which take 25 to 50 % of the time
#   +  60   one row of sines without the code for blocks; one token with a table, without arguments in memory
#   +  62   blocks of halves at the speed of joined axes
#   +  27   single rows with AVX-512, rotated by quadrants while they are interleaved, in 6 to 14 % less time
#   +  39   an exact level for given frequencies, and 4 to 5 KB less code for a row of sines
#   + 133   the heads of a token together, for all widths, in 50 % of the time with AVX2
#   +  79   each layout by itself, with 4 KB less code if a program names one
#   +  75   tables for a list of coordinates without a copy, in 10 to 50 % of the time
#   +  20   biases without a load between rows, in 10 to 25 % less time
#   +  26   tables with AVX2 in 5 to 11 % less time
#   +  10   blocks of halves as one tile, in 10 to 20 % less time with AVX2 and SSE2
#   +  97   weights that are exactly 0, all cells of a grid checked, T5's buckets found by bisection
#   +  57   lengths of lists that are checked before reading, and error texts that name the argument
#   + 104   errors for compilers that would fuse, pack or round differently, and macros for attributes
#   + 153   names in the words of the field, and enums for flags with three values
#   + 405   pe_fixed.h and phase increments
#   +   1   the error of ln f in attention factors
#   +   2   CUDA's macro __noinline__; errors for some lists of coordinates and for clang without SSE
#   +  21   a status for each argument
#   +  71   arguments compared by their bits, NaNs in the self test, padding lanes within a plan's arrays
#   +  34   the formatter, which puts each element of some lists on its own line
#   +   7   an error for position 0 of a table without rows
#   +   6   builds without optimisation of half the size
#   +  11   row kernels as objects of functions, so that a file that calls nothing has no code with gcc -O0
#   +   3   a warning for -mavx2 without -mfma
#   +  70   names written in full, which wrap more lines; sharing saved 73 lines
MOST_LINES=500 MOST_COLUMNS=100 MOST_CODE=10944
find src -name '*.h' | LC_ALL=C sort >"$WORK/files"
[ "$(wc -l <"$WORK/files")" -gt 40 ] || { echo "hardly a file in src/" && exit 1; }

verdict() { # WHAT FILE: the file lists what is wrong
    check "$1" awk '{ print } END { exit NR > 0 }' "$2"
}

# The largest counts that trace.py may print for a call of pe_fill_f32() and of pe_rope_f32(). They may be lowered, but
# never raised. In version 0.4 they were 12 calls, 25 returns and 7 structs for fill, and 29 returns for rope.
MOST_TRACED="fill calls 12
fill returns 13
fill structs 5
rope returns 18"

# Only the names of the functions in docs/design.md are compared with the trace. What the page says of each function is
# written by hand.
path() {
    have python3 && have "$GCC" || { skipping "the path of a call: gcc or python3 is missing" && return; }
    check "tests/checks/trace.py traces three calls" sh -c "GCC='$GCC' python3 tests/checks/trace.py >$WORK/path"
    echo "$MOST_TRACED" | while read -r call what most; do
        traced=$(sed -n "s/^$call: .*[ ,]\([0-9]*\) $what.*/\1/p" "$WORK/path")
        [ "${traced:-1000}" -le "$most" ] || echo "$call: ${traced:-no} $what, not $most: trace.py -v shows where"
        [ "${traced:-1000}" -ge "$most" ] || echo "$call: only $traced $what: lower MOST_TRACED in tests/checks/structure.sh"
    done >"$WORK/traced"
    verdict "calls, returns and structs: $(echo $MOST_TRACED)" "$WORK/traced"
    grep '^|' "$WORK/path" >"$WORK/called"
    sed '1,/^<!-- path:begin/d; /^<!-- path:end/,$d' docs/design.md | grep -o '^| [0-9]* | `pe[^|]*|[^|]*|' >"$WORK/told"
    check "docs/design.md has these calls" diff "$WORK/told" "$WORK/called"
    sed -n 's/^[a-z]*: \(.*returns\).*/\1/p' "$WORK/path" |
        while read -r counts; do grep -qF "$counts" docs/design.md || echo "not: $counts"; done >"$WORK/counts"
    verdict "... and their numbers" "$WORK/counts"
}

circles() {
    while read -r file; do
        sed -n 's/^#include "\(.*\)".*/\1/p' "$file" | while read -r name; do
            echo "$file $(dirname "$file")/$name" | sed 's,[^ /]*/\.\./,,g'
        done
    done <"$WORK/files" >"$WORK/includes"
    [ "$(wc -l <"$WORK/includes")" -gt 100 ] || echo "hardly an include in src/" >>"$WORK/includes"
    tsort "$WORK/includes" 2>"$WORK/circles" >"$WORK/order"
    verdict "includes without a circle" "$WORK/circles"
}

folders() {
    (cd src && ls -d */) | grep -vx 'frequencies/' >"$WORK/folders"
    [ "$(wc -l <"$WORK/folders")" -gt 10 ] || echo "hardly a folder in src/" >>"$WORK/folders"
    check "tests/unit has the folders of src/" sh -c "(cd tests/unit && ls -d */) | diff $WORK/folders -"
}

# Prints the lines of code: no comments, no empty lines, no #include "..." and #pragma once.
code() {
    awk '/^#include "|^#pragma once$/ { next } {
        line = ""
        while ($0 != "") {
            if (within) {
                if (!(at = index($0, "*/"))) break
                $0 = substr($0, at + 2)
                within = 0
            } else if (at = index($0, "/*")) {
                line = line substr($0, 1, at - 1)
                $0 = substr($0, at + 2)
                within = 1
            } else {
                line = line $0
                break
            }
        }
        if (line ~ /[^ ]/) print line
    }' "$@"
}

size() {
    xargs wc -l <"$WORK/files" | awk -v most=$MOST_LINES '$2 != "total" && $1 > most { print $2 " has " $1 " lines" }' \
        >"$WORK/long"
    verdict "at most $MOST_LINES lines a file" "$WORK/long"
    xargs awk -v most=$MOST_COLUMNS 'length > most { print FILENAME ":" FNR " has " length " columns" }' \
        <"$WORK/files" >"$WORK/wide"
    verdict "at most $MOST_COLUMNS columns a line" "$WORK/wide"
    # shellcheck disable=SC2046
    lines=$(($(code $(cat "$WORK/files") | wc -l)))
    check "at most $MOST_CODE lines of code: $lines" test $lines -le $MOST_CODE -a $lines -gt 1000
}

# functions FILE...: prints "name parameters lines" for every function that is not in a macro.
functions() {
    awk '
        function parameters(text,    i, c, depth, n) {
            n = text ~ /\(void\)/ ? 0 : 1
            for (i = 1; i <= length(text); i++) {
                c = substr(text, i, 1)
                depth += (c == "(") - (c == ")")
                if (c == "," && depth == 1) n++
            }
            return n
        }
        function found(    name) {
            sub(/ *{.*/, "", head)
            name = head
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
            if (name ~ /^pe_/) print name, parameters(head), FNR - first + 1
            head = ""
        }
        FNR == 1 { head = ""; body = 0 }
        body { if (/^}/) { body = 0; found() } next }
        head != "" || (/^(PE__|PE_API|static)[^=]*\(/ && !/^PE__[A-Z0-9_]*\(/ && !/^static const/) {
            if (head == "") first = FNR
            head = head " " $0
            if (/;$/ && !/{/) head = ""
            else if (/^{/) body = 1
            else if (/{.*}$/) found()
        }' "$@"
}

large() {
    # shellcheck disable=SC2046
    functions $(cat "$WORK/files") >"$WORK/functions"
    [ "$(wc -l <"$WORK/functions")" -gt 200 ] || echo "hardly a function in src/"
    awk '
        FNR == NR { if (!/^#/) allowed[$1] = 1; next }
        {
            most = $1 ~ /^pe__/ ? 7 : 10
            if ($2 <= most && $3 <= 60) next
            if (!($1 in allowed)) print $1 " has " $2 " parameters and " $3 " lines"
            delete allowed[$1]
        }
        END { for (name in allowed) print name " need not stand in tests/checks/large.txt" }' \
        tests/checks/large.txt "$WORK/functions"
}

alone() {
    best=$(best_isa)
    set -- "c scalar" "c $best"
    case ${EVERY:-}:$best in
    1:neon) set -- "c scalar" "c++ scalar" "c neon" "c++ neon" ;;
    1:*) set -- "c scalar" "c++ scalar" "c sse2" "c++ sse2" "c avx2" "c++ avx2" "c avx512" "c++ avx512" ;;
    esac
    for build in "$@"; do
        where=src/
        [ "${EVERY:-}" = 1 ] || [ "$build" = "c scalar" ] || where=src/simd/
        language=${build% *}
        flags=$(isa_flags "${build#* }")
        [ "$build" = "${build% avx2}" ] || flags="$flags -mf16c" # else clang wants the end of pe.h, too
        compiler="$CC -std=c99"
        [ "$language" = c ] || compiler="$CXX -std=c++11"
        grep "^$where" "$WORK/files" >"$WORK/some"
        while read -r file; do
            # The file may call public functions, which are defined last in pe.h, so they are included after it.
            calls="-include src/positions/make.h -include src/calls/inlined.h"
            case $file in src/pe.h | src/end.h) calls= ;; esac
            # shellcheck disable=SC2086
            $compiler $flags -fsyntax-only -Wall -Wextra -Werror -Wno-unused-function $EXTRA_CFLAGS \
                -include "$file" $calls -x "$language" /dev/null || echo "$file does not compile by itself"
        done <"$WORK/some" >"$WORK/alone" 2>&1
        verdict "each file of $where by itself: $build" "$WORK/alone"
    done
}

[ $# -gt 0 ] || set -- headers path circles size functions folders picture alone
for part in "$@"; do
    case $part in
    headers)
        check "the headers are current" sh tests/checks/headers.sh
        cat "$WORK/log.before"
        ;;
    path | circles | size | folders | alone) $part ;;
    functions)
        large >"$WORK/large"
        verdict "functions: at most 7 parameters, public ones 10, and 60 lines" "$WORK/large"
        ;;
    picture)
        check "generate/structure.sh draws" sh generate/structure.sh "$WORK/structure.svg"
        check "docs/structure.svg is what generate/structure.sh draws" cmp docs/structure.svg "$WORK/structure.svg"
        ;;
    *) echo "structure.sh: there is no part $part" && exit 1 ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
