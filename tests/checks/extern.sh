#!/bin/sh
# SPDX-License-Identifier: MIT
#
# extern.sh: tests PE_EXTERN and pe.c, with which a program of several files compiles pe's functions only once.
#
#   symbols   pe.c defines every public function and nothing else that a linker sees. Files that define PE_EXTERN have
#             no code of the library in them.
#   program   A program links pe.c with files in C and C++. Some of them define PE_EXTERN, and some have static
#             functions of their own, for another instruction set. Each file must call the functions that it should,
#             all must compute the same bits, and each can use a plan that another one made.
#   headers   With PE_EXTERN no intrinsics are included, and no private macro stays defined.
#   unused    A file that includes both headers and calls nothing has at most MOST_UNUSED bytes of code and constants
#             without optimisation, and an object of at most MOST_OBJECT bytes with -g.
#
# pe.c is compiled as C and as C++, with gcc and clang, for the best instruction set.
set -u
. tests/tools/lib.sh
WORK=$BUILD/extern
rm -rf "$WORK"
mkdir -p "$WORK"
have nm || skip "nm is missing"
isa=$(best_isa)
case $isa in
avx512) name=AVX-512 ;;
avx2) name=AVX2 ;;
sse2) name=SSE2 ;;
neon) name=NEON ;;
*) name=scalar ;;
esac

# exports OBJECT: prints the names that the object defines for a linker, without the underscore that Darwin adds.
exports() { nm -g "$1" | awk '$(NF - 1) != "U" { sub(/^_/, "", $NF); print $NF }' | sort; }
exports_public() {
    exports "$1" >"$1.exports"
    diff "$WORK/public" "$1.exports"
}
nothing_of_pe() { # OBJECT NAME: it defines NAME, and no function of pe's own
    echo "$2" >"$1.wanted"
    exports "$1" | diff "$1.wanted" - && ! nm "$1" | grep 'pe__' &&
        nm "$1" | awk '$(NF - 1) == "U" { print $NF }' | grep -q 'pe_fill_f32'
}
no_intrinsics() { ! grep -E '^# [0-9]+ "[^"]*(intrin|arm_neon|pe_simd|sleef)\.h"' "$1"; }

public_functions >"$WORK/public"

build() { # OUT CC FLAGS...
    out=$1
    shift
    # shellcheck disable=SC2086
    "$@" -I. $EXTRA_CFLAGS $WARNINGS -DPE_SLEEF=0 -c -o "$WORK/$out.o"
}
runs() {
    "$WORK/program" "$name" >"$WORK/out" || { cat "$WORK/out" && return 1; }
    cat "$WORK/out"
}

program() { # CC CXX LANGUAGE: that of the functions
    cc=$1 cxx=$2 what="$1 and $2, the functions in ${3%% *}"
    rm -f "$WORK"/*.o "$WORK/program"
    compiler=$cc
    [ "${3%% *}" = c ] || compiler=$cxx
    # shellcheck disable=SC2046,SC2086
    {
        check "the functions: $what" build implementation "$compiler" -x $3 -O1 $(isa_flags "$isa") pe.c
        check "... are all public ones, and no other name" exports_public "$WORK/implementation.o"
        check "linked C" build linked_c "$cc" -std=c99 -O1 -DPE_EXTERN -DFILE_NAME=linked_c \
            tests/checks/extern.c
        check "... has nothing of the library" nothing_of_pe "$WORK/linked_c.o" linked_c
        check "linked C++" build linked_cpp "$cxx" -x c++ -std=c++11 -O1 -DPE_EXTERN \
            -DFILE_NAME=linked_cpp tests/checks/extern.c
        check "... has nothing of the library" nothing_of_pe "$WORK/linked_cpp.o" linked_cpp
        check "inline C" build inline_c "$cc" -std=c99 -O1 $(isa_flags scalar) -DFILE_NAME=inline_c \
            tests/checks/extern.c
        check "inline C++" build inline_cpp "$cxx" -x c++ -std=c++11 -O1 $(isa_flags scalar) \
            -DFILE_NAME=inline_cpp tests/checks/extern.c
        check "main" build main "$cc" -std=c99 -O1 tests/checks/extern.c
        check "the program" "$cxx" $EXTRA_CFLAGS -o "$WORK/program" "$WORK/implementation.o" \
            "$WORK/linked_c.o" "$WORK/linked_cpp.o" "$WORK/inline_c.o" "$WORK/inline_cpp.o" \
            "$WORK/main.o" -lm
    }
    check "... has the same bits from every file" runs
}

pairs=0
pair() { # CC CXX LANGUAGE
    if have "$1" && have "$2"; then
        program "$1" "$2" "$3"
        pairs=$((pairs + 1))
    else
        skipping "$1 or $2 is missing"
    fi
}
pair "$GCC" "$GXX" "c -std=c99"
pair "$CLANG" "$CLANGXX" "c++ -std=c++11"
[ $pairs -gt 0 ] || skip "no compiler for C and C++"

# shellcheck disable=SC2086
preprocess() { $CC -std=c99 -E -DPE_EXTERN -I. $EXTRA_CFLAGS "$1" >"$WORK/extern.i"; }
echo '#include "pe.h"' >"$WORK/includes.c"
check "the preprocessor" preprocess "$WORK/includes.c"
check "no intrinsics with PE_EXTERN" no_intrinsics "$WORK/extern.i"
# Without PE_EXTERN the headers do include intrinsics, which shows that no_intrinsics() can fail.
# shellcheck disable=SC2046,SC2086
$CC -std=c99 -E $(isa_flags "$isa") -DPE_SLEEF=0 -I. $EXTRA_CFLAGS "$WORK/includes.c" >"$WORK/inline.i"
check "the same of functions of its own" test -s "$WORK/inline.i"
check "intrinsics are noticed" not no_intrinsics "$WORK/inline.i"

# The limits for a file that calls nothing. In version 0.4.0 such a file had 297 KB of code with gcc -O0 and AVX-512.
MOST_UNUSED=5000 MOST_OBJECT=60000
# The bytes of code and constants of an object; Darwin's size prints other columns.
code_bytes() { size "$1" | awk 'NR == 2 { print $1 }'; }
unused() { # CC FLAGS...
    "$@" -O0 -I. -c -o "$WORK/unused.o" "$WORK/unused.c" && "$@" -O0 -g -I. -c -o "$WORK/unused_g.o" "$WORK/unused.c" ||
        return 1
    code=$(code_bytes "$WORK/unused.o") object=$(($(wc -c <"$WORK/unused_g.o")))
    echo "$code bytes of code and constants, an object of $object bytes with -g"
    [ "$code" -gt 10 ] && [ "$code" -le $MOST_UNUSED ] && [ "$object" -le $MOST_OBJECT ]
}
printf '%s\n' '#include "pe.h"' '#include "pe_simd.h"' 'int main(void) { return 0; }' >"$WORK/unused.c"
compilers=0
for compiler in "$GCC -std=c99" "$CLANG -std=c99" "$GXX -std=c++11 -x c++"; do
    have "${compiler%% *}" || { skipping "${compiler%% *} is missing: the size of a file that calls nothing" && continue; }
    for unused_isa in scalar "$isa"; do
        # shellcheck disable=SC2046,SC2086
        check "a file that calls nothing is small: ${compiler%% *}, $unused_isa" \
            unused $compiler -DPE_SLEEF=0 $(isa_flags $unused_isa) $EXTRA_CFLAGS
        cat "$WORK/log.before"
        compilers=$((compilers + 1))
    done
done
[ $compilers -gt 0 ] || skip "no compiler for a file that calls nothing"

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
