#!/bin/sh
# SPDX-License-Identifier: MIT
#
# pages.sh: runs every program of every page with the sanitizers of addresses and of undefined behaviour.
#
#   blocks    Each ```c block of README.md and docs/*.md is compiled as C99 by gcc and as C++11 by clang, and both
#             programs print the same. The library is compiled once for each, also with the sanitizers.
#   examples  The C programs of docs/examples.md are compiled with the library inline. The page's commands for
#             build/posenc run also.
#   others    No page has a block of another language, since nothing would run it, with three exceptions that other
#             steps run: Python in docs/python.md (python.sh), CUDA in docs/gpu.md (gpu.sh), and CMake in
#             docs/building.md (package.sh).
#
# Programs with known mistakes run first, to show that the sanitizers notice them.
set -u
. tests/tools/lib.sh
WORK=$BUILD/pages
rm -rf "$WORK"
mkdir -p "$WORK/blocks" "$WORK/wrong"
case $WORK in /*) absolute=$WORK ;; *) absolute=$PWD/$WORK ;; esac
SANITIZE="-g0 -fsanitize=address,undefined -fno-sanitize-recover=all -DPE_SLEEF=0 -I."
export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1

unknown_blocks() { # PAGES...: prints the fences and lines of programs that no check runs
    awk '
        /^ *```/ {
            if (on) { on = 0; next }
            on = 1
            kind = substr($0, index($0, "```") + 3)
            python = FILENAME == "docs/python.md" && (kind == "python" || kind == "text")
            cuda = FILENAME == "docs/gpu.md" && kind == "cuda"
            cmake = FILENAME == "docs/building.md" && kind == "cmake" # which package.sh builds
            if (!/^```/ || (kind != "" && kind != "c" && !python && !cuda && !cmake)) print FILENAME ":" FNR ": " $0
            next
        }
        on && kind == "" && /^ *(#include|import |from .* import )|main\(/ { print FILENAME ":" FNR ": " $0 }' "$@"
}
none() { "$@" >"$WORK/found" && ! grep . "$WORK/found"; }
check "no page has a program of another kind" none unknown_blocks README.md CHANGELOG.md docs/*.md \
    tests/*.md
# shellcheck disable=SC2016
printf '```cpp\n```\n```\nint main()\n```\n' >"$WORK/unknown.md"
check "... which would be seen" test "$(unknown_blocks "$WORK/unknown.md" | wc -l)" -eq 2

page_programs "$WORK/blocks"
count() { find "$WORK/blocks" -name '*.c' | wc -l; }
blocks=$(cat README.md docs/*.md | grep -c '^```c$')
check "all $blocks programs of the pages are here" test "$blocks" -gt 0 -a "$(count)" -eq "$blocks"

cat >"$WORK/wrong/reads-behind.c" <<'X'
#include "pe.h"
#include <stdio.h>
int main(void)
{
    static float x[4];
    const float *volatile end = x + 4;
    printf("%g %s\n", (double)*end, pe_isa_name());
    return 0;
}
X
cat >"$WORK/wrong/has-it-written-behind.c" <<'X'
#include "pe.h"
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    float *x = (float *)malloc(63 * sizeof *x);
    printf("%d\n", (int)pe_sinusoidal_f32(x, 1, 64));
    free(x);
    return 0;
}
X
cat >"$WORK/wrong/overflows.c" <<'X'
#include "pe.h"
#include <stdio.h>
int main(void)
{
    volatile int most = INT32_MAX;
    printf("%d %s\n", most + 1, pe_isa_name());
    return 0;
}
X

# shellcheck disable=SC2086
compiles() { # OUT COMPILER FLAGS...
    out=$1
    shift
    "$@" $SANITIZE $EXTRA_CFLAGS -o "$WORK/$out"
}
runs() { # OUT DIRECTORY ARGUMENTS...: succeeds if the program prints something and returns 0
    program=$absolute/$1 directory=$2
    shift 2
    (cd "$directory" && "$program" "$@" >"$absolute/said" 2>&1)
    status=$?
    [ $status -ne 0 ] || [ ! -s "$WORK/said" ] || return 0
    cat "$WORK/said"
    return 1
}
seen() { # PATTERN: succeeds if the sanitizer ends the program with a message that matches the pattern
    (cd "$WORK" && ./program >said 2>&1) && return 1
    grep -E "$1" "$WORK/said" || { cat "$WORK/said" && return 1; }
}
language() { # NAME COMPILER -x LANGUAGE STANDARD
    name=$1
    shift
    if ! echo 'int main(void) { return 0; }' | links "$1" -fsanitize=address,undefined; then
        skipping "pages as $name: $1 has no sanitizers"
        return
    fi
    echo '#include "pe.h"' >"$WORK/library.c"
    # shellcheck disable=SC2046
    check "the library as $name" compiles library.o "$@" -O0 $(isa_flags "$(best_isa)") \
        -DPE_EXTERN -DPE_IMPLEMENTATION -c "$WORK/library.c"
    for source in "$WORK"/wrong/*.c "$WORK"/blocks/*.c; do
        what="$(basename "$source" .c) as $name"
        check "$what" compiles program "$@" -O0 -w -DPE_EXTERN "$source" -x none \
            "$WORK/library.o" -lpthread -lm
        case $source in
        */wrong/overflows.c) check "... is seen" seen 'runtime error: signed integer overflow' ;;
        */wrong/*) check "... is seen" seen 'ERROR: AddressSanitizer' ;;
        *)
            check "... runs" runs program "$WORK"
            [ -f "$source.said" ] || cp "$WORK/said" "$source.said"
            check "... says the same" cmp "$source.said" "$WORK/said"
            ;;
        esac
    done
    languages=$((languages + 1))
}
languages=0
language C99 "$GCC" -x c -std=c99
language C++11 "$CLANGXX" -x c++ -std=c++11
[ $languages -gt 0 ] || skip "no compiler has the sanitizers"

# clang compiles a program that inlines the library in 0.6 s; gcc takes 2 s.
c=$CLANG
echo 'int main(void) { return 0; }' | links "$c" -fsanitize=address,undefined || c=$GCC
# shellcheck disable=SC2016
examples=$(sed -n 's,^| `\(examples/[a-z_]*\.c\)` .*,\1,p' docs/examples.md)
check "docs/examples.md names its programs" test -n "$examples"
mkdir -p "$WORK/examples"
for source in examples/demo.c $examples; do
    level=-O0
    [ "$source" != examples/noise.c ] || level=-O1 # compiling and running takes 9 s, and 23 s without optimisation
    check "$source" compiles program "$c" -std=c99 $level "$source" -lm
    check "... runs" runs program . "$WORK/examples"
done
if have_library json-c "$c"; then
    check "build/posenc" compiles posenc "$c" -std=c99 -O0 tool/posenc.c -ljson-c -lm
    cp tests/checks/configs/gpt-oss.json "$WORK/examples/config.json"
    sed -n 's/^\$ posenc //p' docs/tool.md >"$WORK/commands"
    check "docs/tool.md has commands for it" test -s "$WORK/commands"
    # docs/tool.md shows commands `posenc compare`, each with its first line of output below. The command must print
    # that line for the arrays that the page describes.
    sed -n '/^\$ posenc compare/ { N; s/^\$ posenc \(.*\)\n/\1|/; p; }' docs/tool.md | grep -v '|```$' >"$WORK/compares"
    cat >"$WORK/arrays.py" <<'X'
import sys
import numpy as np
said, folder = sys.argv[1:]
w = (500000.0 ** -(np.arange(64) / 64)).astype(np.float32)
if said.startswith("inv_freq_bf16"):
    w = ((w.view(np.uint32).astype(np.uint64) + 0x8000) & 0xFFFF0000).astype(np.uint32).view(np.float32)
if said.startswith("rotary_width"):
    w = (10000.0 ** -(np.arange(64) / 40)).astype(np.float32)
angles = np.arange(1 if said.startswith("undecided") else 4096)[:, None].astype(np.float32) * w
cosines = np.cos(angles)
if said.startswith("not explained"):
    cosines[2000, 30] = 0.25
np.save(folder + "/cos.npy", cosines)
np.save(folder + "/sin.npy", np.sin(angles))
X
    numpy=
    for candidate in python3 /usr/bin/python3; do
        ! "$candidate" -c 'import numpy' 2>/dev/null || numpy=${numpy:-$candidate}
    done
    compared() { # LINE ARGUMENTS
        line=$1
        shift
        "$numpy" "$WORK/arrays.py" "$line" "$WORK/examples" || return 1
        (cd "$WORK/examples" && "../posenc" "$@") >"$WORK/said" 2>&1
        cat "$WORK/said"
        [ "$(head -n 1 "$WORK/said")" = "$line" ]
    }
    cp tests/checks/configs/llama-3.1.json "$WORK/examples/config.json"
    if [ -n "$numpy" ]; then
        check "docs/tool.md has comparisons" test "$(wc -l <"$WORK/compares")" -ge 3
        while IFS='|' read -r arguments line; do
            # shellcheck disable=SC2086
            check "posenc $arguments: $line" compared "$line" $arguments
        done <"$WORK/compares"
    else
        skipping "numpy is missing: posenc compare on docs/tool.md"
    fi
    cp tests/checks/configs/gpt-oss.json "$WORK/examples/config.json"
    while read -r arguments; do
        case $arguments in compare*) continue ;; esac
        # shellcheck disable=SC2086
        check "posenc $arguments" runs posenc "$WORK/examples" $arguments
    done <"$WORK/commands"
else
    skipping "the commands of docs/tool.md: json-c is missing"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
