#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fail.sh: checks that programs that must not compile give the right error. Each file of tests/fail is such a program.
# Its comments say how to compile it:
#
#   expect:    words of the error message, usually the remedy. The message must be the compiler's first error.
#   flags:     the flags that cause the error
#   good:      flags with which the same file compiles, which shows that it fails for one reason only
#   target:    x86_64 or aarch64, if the case is only for that machine. A cross compiler serves the other machine.
#   compiler:  gcc or clang, if the case is only for that compiler
#   hide:      the name of a header that must be missing
#
# Some case must expect each #error of the headers, and each typedef and static_assert that refuses to compile.
set -u
. tests/tools/lib.sh
WORK=$BUILD/fail
rm -rf "$WORK"
mkdir -p "$WORK"

field() { sed -n "s|^/\* $2: \(.*\) \*/\$|\1|p" "$1"; }

bad() {
    echo "FAIL $1: $2"
    [ ! -s "$WORK/log" ] || sed 's/^/    /' "$WORK/log" | head -n 12
    failed=$((failed + 1))
}

# shadow COMPILER HEADER: prints flags with which the compiler finds every system header except HEADER. They replace
# each directory of its search path by a directory of links.
shadow() {
    shadow_flags=-nostdinc
    shadow_n=0
    for directory in $($1 -E -v -x c /dev/null 2>&1 |
        sed -n '/^#include <\.\.\.>/,/^End of search/s/^ \(.*\)/\1/p'); do
        shadow_n=$((shadow_n + 1))
        shadow_copy=$WORK/include.$shadow_n
        rm -rf "$shadow_copy"
        mkdir -p "$shadow_copy"
        ln -s "$directory"/* "$shadow_copy/"
        rm -f "$shadow_copy/$2"
        shadow_flags="$shadow_flags -isystem $shadow_copy"
    done
    echo "$shadow_flags"
}

compiles() {
    case " $*" in *" -std="*) ;; *) set -- "$@" -std=c99 ;; esac
    "$@" -I. -fsyntax-only >"$WORK/log" 2>&1
}

for file in tests/fail/*.[ch]; do
    name=$(basename "${file%.[ch]}")
    expect=$(field "$file" expect)
    flags=$(field "$file" flags)
    good=$(field "$file" good)
    target=$(field "$file" target)
    only=$(field "$file" compiler)
    hide=$(field "$file" hide)
    [ -n "$expect" ] && [ -n "$flags" ] && [ -n "$good" ] || {
        : >"$WORK/log"
        bad "$name" "the case lacks expect, flags or good"
        continue
    }
    for compiler in gcc clang; do
        [ -z "$only" ] || [ "$only" = $compiler ] || continue
        cc=$GCC
        [ $compiler = gcc ] || cc=$CLANG
        case $(uname -m):$target in
        x86_64:aarch64)
            if [ $compiler = gcc ]; then cc=$ARM64_GCC; else cc="$CLANG --target=aarch64-linux-gnu"; fi
            have "$ARM64_GCC" || { # clang borrows its C library
                skipping "$name, $compiler: $ARM64_GCC is missing"
                continue
            }
            ;;
        aarch64:x86_64 | arm64:x86_64) continue ;;
        esac
        have "${cc%% *}" || {
            skipping "$name: $cc is missing"
            continue
        }
        [ -z "$hide" ] || cc="$cc $(shadow "$cc" "$hide")"
        case "$flags $good" in
        *PE_SLEEF*) ;;
        *) cc="$cc -DPE_SLEEF=0" ;;
        esac
        # shellcheck disable=SC2086
        if compiles $cc $flags "$file"; then
            bad "$name, $compiler" "compiles with $flags"
        elif ! grep ': error: ' "$WORK/log" | head -n 1 | grep 'pe.*: error: ' | grep -q -F -e "$expect"; then
            bad "$name, $compiler" "the first error is not one of the headers that says '$expect'"
        elif ! compiles $cc $good "$file"; then
            bad "$name, $compiler" "does not compile with $good"
        else
            echo "ok   $name, $compiler"
            passed=$((passed + 1))
        fi
    done
done

# The error of avx2_without_fma.c is one warning if -Werror is missing, and does not occur with both flags.
if [ "$(uname -m)" = x86_64 ]; then
    warns() { # COUNT COMPILER FLAGS...
        count=$1
        shift
        compiles "$@" -DPE_SLEEF=0 tests/fail/avx2_without_fma.c || return 1
        [ "$(grep -c 'warning: ' "$WORK/log")" = "$count" ]
    }
    for cc in $GCC $CLANG; do
        have "$cc" || continue # the cases above have counted it
        for case in "1 -mavx2" "0 -mavx2 -mfma" "0 -mfma" "0 -mavx2 -DPE_EXTERN" "0 -mavx2 -DPE_ISA=PE_ISA_AVX2"; do
            # shellcheck disable=SC2086
            if warns ${case%% *} "$cc" ${case#* }; then passed=$((passed + 1)); else bad "${case#* }, $cc" "not ${case%% *} warnings"; fi
        done
    done
fi

sed -n 's|^/\* expect: \(.*\) \*/$|\1|p' tests/fail/*.[ch] >"$WORK/expected"
# The text of the static_assert is on the lines after it, so the name of its function stands for it.
grep -h -o -E '^#error ".*"|^typedef char pe__[a-z_0-9]*without[a-z_0-9]*|static_assert\(!pe__names_header' pe.h pe_simd.h >"$WORK/errors"
[ "$(wc -l <"$WORK/errors")" -gt 20 ] || { : >"$WORK/log" && bad "the #errors" "hardly one found in the headers"; }
while read -r error; do
    found=no
    while read -r expect; do
        case $error in *"$expect"* | *pe__names_header) found=yes ;; esac
    done <"$WORK/expected"
    [ $found = yes ] && passed=$((passed + 1)) && continue
    : >"$WORK/log"
    bad "a case for each error" "none expects $error"
done <"$WORK/errors"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
