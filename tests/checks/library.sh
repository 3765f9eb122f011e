#!/bin/sh
# SPDX-License-Identifier: MIT
#
# library.sh: tests libposenc.a and libposenc.so, as `make lib` builds them.
#
#   settings  CPPFLAGS, CFLAGS and LDFLAGS reach the compiler. If one of them or the compiler changes, `make lib` builds
#             the library anew.
#   symbols   libposenc.so exports the public functions, with the version of its interface, and nothing else. It needs
#             only libc and libm. libposenc.a also defines only public names, apart from its hidden tables pe__AVX2
#             and so on. A shared library that has all of libposenc.a inside exports none of its functions.
#   bits      examples/library.cpp, .py, .rs and .go get the same bits with each instruction set of this CPU, and so
#             does a program of several C and C++ files (extern.c). tests/unit/hash.c gets those of tests/golden.txt.
#   size      With EVERY=1, the library with -O2 has the size that the pages state.
#   choice    The library takes the instruction set that PE_ISA names, in upper or lower case. If PE_ISA is unset,
#             unknown or not for this CPU, it takes the best one. pe_isa_name() reports this. Two threads may make the
#             first calls at the same time.
#
# The library for AArch64 is tested under qemu.
set -u
. tests/tools/lib.sh
. ./packaging/version.sh
WORK=$BUILD/library
rm -rf "$WORK"
mkdir -p "$WORK"
have nm || skip "nm is missing"
case $(uname -s) in Linux) ;; *) skip "shared libraries are looked at on Linux" ;; esac
libm='(fma|sin|cos|pow|exp|log|exp2|log2|floor|rint|nearbyint|fabs|ldexp|sqrt|copysign|fmod|frexp|scalbn|round|trunc|ceil)[fl]?'
exports() { # the dynamic symbols of a library
    nm -D --defined-only "$1" | awk '$2 != "A" { print $NF }' | sort |
        diff "$WORK/versioned" -
}
archive() { # those of an archive: public ones, and hidden tables
    nm -g --defined-only "$1" | awk 'NF == 3 { print $NF }' | grep -v '^pe__[A-Z0-9]*$' | sort | diff "$WORK/public" -
}
asks() { # for these alone
    ! nm -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | grep -v '^_' |
        grep -v -x -E "$libm|getenv|memcpy|memset|memmove|memcmp|bcmp"
}
public_functions >"$WORK/public"
sed "s/\$/@@POSENC_$SERIES/" "$WORK/public" >"$WORK/versioned"
with() { # ISA COMMAND...: what it prints, the first line apart, is what the others printed
    if [ "$1" = any ]; then unset PE_ISA; else PE_ISA=$1 && export PE_ISA; fi
    shift
    "$@" >"$WORK/out" || { cat "$WORK/out" && return 1; }
    cat "$WORK/out"
    grep -v '^#' "$WORK/out" >"$WORK/said"
    [ -s "$WORK/bits" ] || cp "$WORK/said" "$WORK/bits"
    unset PE_ISA
    diff "$WORK/bits" "$WORK/said"
}
takes() { grep -q "^# $1\(,.*\)*\$" "$WORK/out"; } # and no remark about PE_ISA
remarks() { grep -q "^# $1 ($2)" "$WORK/out"; }
name_of() {
    case $1 in
    avx512) echo AVX-512 ;;
    avx2) echo AVX2 ;;
    neon) echo NEON ;;
    sse2) echo SSE2 ;;
    *) echo scalar ;;
    esac
}

# This script stands for a compiler. It writes its arguments to a log, and makes empty files.
mkdir -p "$WORK/settings"
cat >"$WORK/settings/cc" <<X
#!/bin/sh
[ "\$1" != -dumpmachine ] || exec echo x86_64-linux-gnu
echo "\$0 \$*" >>"$WORK/settings/log"
while [ \$# -gt 1 ]; do [ "\$1" != -o ] || : >"\$2"; shift; done
X
chmod 755 "$WORK/settings/cc"
cp "$WORK/settings/cc" "$WORK/settings/cc2"
builds() { # VARIABLES...: make lib runs the compiler
    : >"$WORK/settings/log"
    env -u MAKEFLAGS -u MAKELEVEL make -s lib BUILD="$WORK/settings" CC="$WORK/settings/cc" "$@" && [ -s "$WORK/settings/log" ]
}
told() { # COUNT FLAG: so many of the commands
    [ "$(grep -c -e " $2 " "$WORK/settings/log")" = "$1" ] || { cat "$WORK/settings/log" && return 1; }
}
check "make lib, with a compiler that writes down its options" builds CPPFLAGS=-DA CFLAGS=-Ob LDFLAGS=-Wl,-c
check "... all six commands have CPPFLAGS" told 6 -DA
check "... and CFLAGS" told 6 -Ob
check "... one LDFLAGS" told 1 -Wl,-c
check "... the same again does nothing" not builds CPPFLAGS=-DA CFLAGS=-Ob LDFLAGS=-Wl,-c
for flags in "CPPFLAGS=-DB CFLAGS=-Ob" "CPPFLAGS=-DB CFLAGS=-Oc" "CPPFLAGS=-DB CFLAGS=-Oc LDFLAGS=-Wl,-d" \
    "CPPFLAGS=-DB CFLAGS=-Oc LDFLAGS=-Wl,-d EXTRA_CFLAGS=-Ie" "CC=$WORK/settings/cc2 CFLAGS=-Oc"; do
    # shellcheck disable=SC2086
    check "... with $flags builds anew" builds $flags
done

optimise=-O1
[ "${EVERY:-}" != 1 ] || optimise=-O2
check "make lib" env BUILD="$WORK" CFLAGS=$optimise sh packaging/lib.sh
# The size that README.md and docs/adopting.md state, of gcc 12.2 -O2, in MB with one digit.
if [ $optimise = -O2 ] && [ "$(uname -m)" = x86_64 ] && [ "$($CC -dumpfullversion 2>&1)" = 12.2.0 ]; then
    megabytes=$(awk -v bytes="$(wc -c <"$WORK/libposenc.so")" 'BEGIN { printf "%.1f", bytes / 1e6 }')
    for page in README.md docs/adopting.md; do
        check "$page: the library has $megabytes MB" grep -qE "(library|x86-64:) $megabytes MB" "$page"
    done
fi
check "libposenc.so exports the public functions" exports "$WORK/libposenc.so"
check "libposenc.a, too, and hidden tables" archive "$WORK/libposenc.a"
check "libposenc.so asks for libc and libm alone" asks "$WORK/libposenc.so"
inside() { # NAME ARCHIVE: a shared library with all of the archive inside, which exports no name of pe
    "$CC" -shared -Wl,--whole-archive "$2" -Wl,--no-whole-archive -lm -o "$WORK/$1.so" || return 1
    nm "$WORK/$1.so" | grep -c ' [Tt] pe_fill_f32$' && ! nm -D --defined-only "$WORK/$1.so" | grep ' pe_'
}
check "a shared library with libposenc.a inside exports none of its functions" inside inside "$WORK/libposenc.a"
"${AR:-ar}" rcs "$WORK/visible.a" "$WORK/lib/exported.o" "$WORK"/lib/[A-Z]*.o
check "... and they are seen where it does" not inside visible "$WORK/visible.a"
soname() { readelf -d "$1" | grep -q "SONAME.*\[libposenc.so.$SERIES\]"; }
check "its name is libposenc.so.$SERIES" soname "$WORK/libposenc.so"
# shellcheck disable=SC2086
check "packaging/pe_lib.c has no warning" "$CC" -std=c99 -O1 $WARNINGS -fPIC -c packaging/pe_lib.c -o "$WORK/chosen.o"

# shellcheck disable=SC2086
for what in "" -DPE_LIB=SCALAR; do
    ! have "$GXX" || check "... nor as C++ $what" "$GXX" -x c++ -std=c++11 $WARNINGS $what -fsyntax-only packaging/pe_lib.c
done

# Builds a program in C++ with the shared library and each compiler, and runs one in Python.
isas=$(cpu_isas)
case $isas in *sse2*) isas=${isas#scalar } ;; esac # every x86 has it, scalar code is not in the library
best=$(best_isa)
case $isas in
*sse2*) known="avx512, avx2 or sse2" ;;
*neon*) known="neon or scalar" ;;
*) known=scalar ;;
esac
for cxx in "$GXX" "$CLANGXX"; do
    have "$cxx" || { skipping "$cxx is missing" && continue; }
    # shellcheck disable=SC2086
    check "examples/library.cpp, $cxx" "$cxx" -std=c++11 -O1 $WARNINGS $EXTRA_CFLAGS -DPE_EXTERN -I. \
        examples/library.cpp -L"$WORK" -lposenc "-Wl,-rpath,$PWD/$WORK" -lpthread -o "$WORK/cpp"
    for isa in any $isas ''; do
        check "... PE_ISA=$isa" with "$isa" "$WORK/cpp"
        case $isa in any | '') isa=$best ;; esac
        check "... is $(name_of "$isa")" takes "$(name_of "$isa")"
    done
    first=${isas%% *} # not the best, where there are two
    shouted=$(echo "$first" | tr '[:lower:]' '[:upper:]')
    check "... PE_ISA=$shouted" with "$shouted" "$WORK/cpp"
    check "... is $(name_of "$first")" takes "$(name_of "$first")"
    for isa in nonsense "${first}x" "$(echo "$first" | cut -c 1-3)"; do
        check "... PE_ISA=$isa" with "$isa" "$WORK/cpp"
        check "... is $(name_of "$best"), and the known ones are named" remarks "$(name_of "$best")" \
            "PE_ISA in the environment is not $known"
    done
done
python=
for candidate in python3 /usr/bin/python3; do
    have $candidate || continue
    [ -n "$python" ] || python=$candidate
    ! $candidate -c 'import numpy' 2>/dev/null || python=$candidate
done
if [ -n "$python" ]; then
    declared() {
        "$python" generate/declarations.py python >"$WORK/pe_declarations.py" &&
            "$python" generate/declarations.py rust >"$WORK/pe_declarations.rs"
    }
    check "generate/declarations.py" declared
    for isa in any $isas; do
        check "examples/library.py, PE_ISA=$isa" with $isa "$python" examples/library.py "$WORK/libposenc.so"
    done
    grep -q numpy "$WORK/out" || skipping "numpy is missing: arrays of the array module"
else
    skipping "python3 is missing"
fi

if [ -f "$WORK/pe_declarations.rs" ] && have rustc; then
    check "examples/library.rs" env "PE=$PWD/$WORK" rustc --edition 2021 -D warnings -O -L "$WORK" -l posenc \
        examples/library.rs -o "$WORK/rust"
    check "... the same bits" with any env "LD_LIBRARY_PATH=$WORK" "$WORK/rust"
else
    skipping "rustc is missing"
fi
if have go; then
    check "examples/library.go" env CGO_ENABLED=1 "CC=$CC" "CGO_CFLAGS=-I$PWD -O1" GO111MODULE=off "GOCACHE=$PWD/$WORK/go" \
        "CGO_LDFLAGS=$PWD/$WORK/libposenc.a -lm" go build -o "$WORK/golang" examples/library.go
    check "... the same bits" with any "$WORK/golang"
else
    skipping "go is missing"
fi

# Emulates CPUs that lack the best instruction sets.
if have "$QEMU_X86" && [ -x "$WORK/cpp" ] && [ "$(uname -m)" = x86_64 ]; then
    check "on a Nehalem" with any "$QEMU_X86" -cpu Nehalem "$WORK/cpp"
    check "... takes SSE2" takes SSE2
    check "... whatever is wanted" with avx2 "$QEMU_X86" -cpu Nehalem "$WORK/cpp"
    check "... and says so" remarks SSE2 "this CPU lacks what PE_ISA in the environment names"
    if "$QEMU_X86" -cpu Haswell "$BUILD/cpu" 2>/dev/null | grep -q avx2; then
        check "on a Haswell" with any "$QEMU_X86" -cpu Haswell "$WORK/cpp"
        check "... takes AVX2" takes AVX2
    fi
else
    skipping "$QEMU_X86 is missing: other CPUs"
fi

# Two threads call the library at once under the thread sanitizer. Only packaging/pe_lib.c, which makes the choice, is
# compiled with it.
objects=
for isa in "$WORK"/lib/[A-Z]*.o; do objects="$objects $isa"; done
if echo 'int main(void) { return 0; }' | links "$CC" -fsanitize=thread && have "$GXX"; then
    # shellcheck disable=SC2086
    {
        check "the choice, with the thread sanitizer" "$CC" -std=c99 -O1 -g -fsanitize=thread \
            -c packaging/pe_lib.c -o "$WORK/chosen.o"
        check "... linked" "$GXX" -std=c++11 -O1 -g -fsanitize=thread -DPE_EXTERN -I. examples/library.cpp \
            "$WORK/chosen.o" $objects -lm -lpthread -o "$WORK/tsan"
    }
    check "... runs" with any "$WORK/tsan"
else
    skipping "no thread sanitizer"
fi

# Files in C and C++, some with static functions of their own, are linked with the archive into one program.
program() { # CC CXX NAME RUNNER...
    cc=$1 cxx=$2 best_name=$3
    shift 3
    # shellcheck disable=SC2046,SC2086
    for file in linked_c:-DPE_EXTERN linked_cpp:-DPE_EXTERN inline_c inline_cpp; do
        option=${file#*:} file=${file%:*} language="c -std=c99"
        [ "$option" != "$file" ] || option="$(isa_flags scalar)"
        case $file in *cpp) [ -z "$cxx" ] || language="c++ -std=c++11" ;; esac
        check "$file, $cc" ${cxx:-$cc} -x $language -O1 $EXTRA_CFLAGS -I. $option -DFILE_NAME=$file -c \
            tests/checks/extern.c -o "$WORK/$file.o"
    done
    # shellcheck disable=SC2086
    check "a program of several files with libposenc.a" ${cxx:-$cc} "$WORK/linked_c.o" "$WORK/linked_cpp.o" \
        "$WORK/inline_c.o" "$WORK/inline_cpp.o" -x c -I. tests/checks/extern.c -x none "$WORK/libposenc.a" -lm \
        -o "$WORK/several"
    check "... the same bits" "$@" "$WORK/several" "$best_name"
}
program "$CC" "" "$(name_of "$best")" env

# hash.c calls nearly every function of the library.
check "tests/unit/hash.c" "$CC" -std=c99 -O1 -I. -DPE_EXTERN tests/unit/hash.c "$WORK/libposenc.a" -lm -o "$WORK/hash"
golden() {
    PE_ISA=$1 "$WORK/hash" "$2" >"$WORK/hashes" || return 1
    grep -q ", $(name_of "$1"), " "$WORK/hashes" || { head -n 1 "$WORK/hashes" && return 1; }
    grep -v '^#' tests/golden.txt | head -n "$2" >"$WORK/golden"
    grep -v '^#' "$WORK/hashes" | diff "$WORK/golden" -
}
for isa in $isas; do check "... PE_ISA=$isa: the bits of tests/golden.txt" golden "$isa" 14; done

if cpu_has neon; then
    true
elif ! have_arm64; then
    skipping "the library for AArch64: $ARM64_GCC or $QEMU_ARM64 is missing"
else
    arm64() { CC=$ARM64_GCC BUILD=$WORK/arm64 CFLAGS=-O1 sh packaging/lib.sh; }
    check "make lib for AArch64" arm64
    check "... exports the public functions" exports "$WORK/arm64/libposenc.so"
    cp "$WORK/arm64/libposenc.a" "$WORK/"
    program "$ARM64_GCC" "" NEON arm64_run
    check "... or scalar code" env "QEMU_SET_ENV=PE_ISA=scalar" "$QEMU_ARM64" -L "$ARM64_ROOT" "$WORK/several" scalar
fi

# A library with one function more shows that exports() can fail. A name that does not begin with pe_ is not exported.
for name in twice pe_twice; do
    printf '%s\n' '#include "../../packaging/pe_lib.c"' "int $name(int x);" "int $name(int x) { return 2 * x; }" >"$WORK/more.c"
    # shellcheck disable=SC2086
    check "a library with one more function, $name" "$CC" -std=c99 -O1 -fPIC -shared "$WORK/more.c" $objects \
        "-Wl,--version-script=$WORK/lib/libposenc.map" -o "$WORK/more.so" -lm
    case $name in
    pe_*) check "... is told from one without" not exports "$WORK/more.so" ;;
    *) check "... is none to others" exports "$WORK/more.so" ;;
    esac
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
