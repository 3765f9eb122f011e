#!/bin/sh
# SPDX-License-Identifier: MIT
#
# structure.sh [PART...]: the headers are current (headers.sh), and src/ is in order. Without PART all parts run:
#
#   headers     tests/checks/headers.sh passes
#   path        a trace of pe_fill_f32() and pe_rope_f32() (trace.py) exceeds none of the numbers of MOST_TRACED, and
#               docs/design.md has the calls from pe_fill_f32() to the store
#   circles     no file includes itself through others
#   size        a file has at most 500 lines, a line at most 100 columns, and src/ at most MOST_CODE lines of code
#   functions   a private function has at most 7 parameters, a public one 10, and each at most 60 lines; exceptions are
#               listed in tests/checks/large.txt until they are mended, and no longer
#   folders     tests/unit has a folder for each folder of src/ but frequencies/, whose files plan/ and rope/ test
#   picture     docs/structure.svg is what generate/structure.sh draws
#   alone       each file compiles with only what it includes: C99 in scalar code, and those of src/simd also for the
#               best instruction set of this machine. EVERY=1: all in C99 and C++11 for each instruction set
set -u
. tests/tools/lib.sh
WORK=$BUILD/structure
rm -rf "$WORK"
mkdir -p "$WORK"
# This number goes down with the code, and up only by what a new call or convention needs, with the reason:
# 8,318 before pe_sincos_T (+ 200), tables as values (+ 200), fast frequencies (+ 190), keys anywhere (+ 105),
# a coordinate for each pair and factors by logarithms (+ 67), 100 columns everywhere (+ 7),
# rows of lists that repeat (+ 150), calls that are compiled into their callers (+ 82),
# plans that a list of coordinates sorts, a quarter to a half of the time (+ 131),
# one row of sines without the code for blocks, one token by a table without arguments in memory (+ 60),
# blocks of halves at the speed of joined axes (+ 62),
# rows by themselves with AVX-512, rotated by quadrants while they are interleaved, 6 to 14 % less time (+ 27),
# an exact level of given frequencies, 4 to 5 KB less of a row of sines with or without a table (+ 39),
# heads of a token together, whatever their pairs, half of the time with AVX2 and of other widths (+ 133),
# each layout by itself: 4 KB less where a program names one (+ 79),
# tables by a list of coordinates in the table itself, a half to a tenth of the time (+ 75),
# biases without a load between rows, 10 to 20 % less time, 25 % less with a list of keys (+ 20),
# tables of floats with AVX2 in 7 to 11 % less time, sums in 6 to 9 %, of f16 in 5 % (+ 26),
# blocks of halves of any number of vectors as one tile, 10 to 20 % less time with AVX2 and SSE2 (+ 10),
# weights that are exactly 0, all cells of a grid checked, T5's buckets by bisection (+ 97),
# lengths of lists, checked before they are read, and texts that name what is wrong (+ 57),
# compilers that would fuse, pack or round otherwise refused, macros that name attributes (+ 104),
# names in the words of the field, and enums for flags with three values (+ 153),
# pe_fixed.h and phase increments (+ 405), the error of ln f in attention factors (+ 1),
# CUDA's macro __noinline__, lists of coordinates and clang without SSE refused (+ 2),
# a status for each argument (+ 21),
# arguments compared by their bits, NaNs in the self test, padding lanes within a plan's arrays (+ 71),
# the formatter, which puts one element of some lists on a line (+ 34),
# position 0 of a table without rows refused (+ 7), builds without optimisation of half the size (+ 6),
# row kernels as objects of functions: a file that calls nothing has no code with gcc -O0 either (+ 11),
# a warning for -mavx2 without -mfma (+ 3), 73 lines shared, names written in full, which wrap more lines (+ 70).
MOST_LINES=500 MOST_COLUMNS=100 MOST_CODE=10944
find src -name '*.h' | LC_ALL=C sort >"$WORK/files"
[ "$(wc -l <"$WORK/files")" -gt 40 ] || { echo "hardly a file in src/" && exit 1; }

verdict() { # WHAT FILE: the file lists what is wrong
    check "$1" awk '{ print } END { exit NR > 0 }' "$2"
}

# What a trace shows at most, see trace.py. These numbers go down with the code, never up.
# Version 0.4: fill 12 calls 25 returns 7 structs, rope 29 returns.
MOST_TRACED="fill calls 12
fill returns 13
fill structs 5
rope returns 18"

# What each function does is written by hand.
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

# "name parameters lines" of every function that is not in a macro.
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
            # behind it the public functions that it may call, which are defined behind all others
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
