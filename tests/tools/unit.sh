#!/bin/sh
# SPDX-License-Identifier: MIT
#
# unit.sh PROGRAM.COMPILER.ISA.SLEEF[.VARIANT...]: builds one cmocka program of tests/unit and runs it.
# unit.sh PROGRAM.ISA: does so in the way of `make test`. It stands for PROGRAM.cc.ISA.auto.quick, linked with
# build/linked/ISA.o, for which tests/tools/linked.sh has compiled the library once.
#
# unit.sh PROGRAM.quick.ISA: does so in the way of `make quick`, with build/linked/quick.ISA.o and without optimisation.
# The programs bounds and memory only run the tests that find most per second.
#
#   PROGRAM   A unit program that tests/steps.txt lists with its file. Two are special. cpp is one program of
#             tests/unit/api/test_cpp.cpp and tests/unit/api/cpp_two.c. hash is tests/unit/hash.c, which needs no
#             library except pe; linked with the library, it computes all of tests/golden.txt.
#   COMPILER  gcc, clang or cc (the compiler that CC names; CXX for cpp), or one of these, which always have the variant
#             `linked`:
#             fast: clang compiles the library with -ffast-math, but not the program, since it needs its NaNs
#             msan: clang's MemorySanitizer reports what the library uses before it is written; it treats everything
#             that the program writes as initialised, since it does not know what MPFR writes
#   ISA       scalar, avx2, avx512, neon (under qemu-user on another CPU) or best
#   SLEEF     sleef, none or auto (with SLEEF if it is installed)
#   VARIANT   any of these:
#             stream0: every store is a streaming store
#             stream4k: tables of 4 KB and more are streamed, and prefetching begins at 512 bytes
#             fma: the scalar code uses hardware FMA
#             native: all instructions of this CPU are allowed, such as AVX-512BW
#             quick: 1/16 of the work is done
#             asan: with the sanitizers of addresses and undefined behaviour
#             tsan: with the sanitizer of threads
#             ubsan: with all checks of clang, also for unsigned wrap-around, casts that lose bits and division by zero
#             memcheck: under valgrind, which does not know AVX-512
#             o0: without optimisation; with a sanitizer, compiling then takes seconds instead of minutes
#             linked: linked with build/linked/COMPILER.ISA.o, as `make check` does for programs that use no private
#             functions
set -u
. tests/tools/lib.sh

name=$1 linked=
case $name in
*.*.*.*) ;;
*.quick.*) name=${1%%.*}.cc.${1##*.}.none.quick linked=quick. ;;
*.*.*) ;;
*.*) name=${1%.*}.cc.${1#*.}.auto.quick linked=. ;;
esac
IFS=. read -r program compiler isa sleef variants <<X
$name
X
[ "$isa" = best ] && isa=$(best_isa)
[ "$compiler.$isa" != msan.avx2 ] || skip "MemorySanitizer does not follow AVX2's masked stores"
words=" $(awk -F ' [|] ' -v name="$program" '$1 == name { print $2 }' tests/steps.txt) "

runner=
includes=-I.
libraries="-lcmocka -lmpfr -lgmp" libraries_needed="cmocka mpfr"
[ "$program" != hash ] || libraries='' libraries_needed=''
case $compiler in
cc) cc=$CC cxx=$CXX ;;
gcc) cc=$GCC cxx=$GXX ;;
clang | fast | msan) cc=$CLANG cxx=$CLANGXX ;;
*) echo "unknown compiler in $1" && exit 1 ;;
esac

if cpu_has "$isa"; then
    have "$cc" || skip "$cc is missing"
    [ "$program" != cpp ] || have "$cxx" || skip "$cxx is missing"
    for library in $libraries_needed; do
        have_library "$library" "$cc" || skip "lib$library is missing: make deps"
    done
elif [ "$isa" = neon ]; then
    have_arm64 || skip "AArch64: $ARM64_GCC or $QEMU_ARM64 is missing: make deps"
    [ -d "$ARM64_SYSROOT/usr" ] || skip "AArch64: no libraries in $ARM64_SYSROOT: make deps"
    runner=arm64_run
    includes="-I. $(arm64_cflags)"
    libraries="$libraries $(arm64_ldflags)"
    cc=$ARM64_GCC
    [ "$compiler" = gcc ] || cc="$CLANG --target=aarch64-linux-gnu"
    [ "$program" != cpp ] || skip "AArch64: no C++ compiler for it is asked for"
else
    skip "this CPU has no $isa"
fi

if [ "$sleef" = auto ]; then
    sleef=none
    [ "$SLEEF" = 0 ] || ! have_library sleef "$cc" || sleef=sleef
fi
case $sleef in
sleef)
    [ "$SLEEF" != 0 ] || skip "SLEEF=0 was given"
    [ -n "$runner" ] || have_library sleef "$cc" || skip "libsleef is missing: make deps"
    includes="$includes -DPE_SLEEF=1"
    libraries="$libraries -lsleef"
    ;;
none) includes="$includes -DPE_SLEEF=0" ;;
*) echo "sleef or none, not '$sleef'" && exit 1 ;;
esac

options=$(isa_flags "$isa")
# pe.h compiles its functions with F16C. A program that inlines private functions needs the flag for all of its code.
case $isa.$program$words in
avx2.cpp*) ;; # it uses no private functions
avx2.*" inlined "* | avx2.*" operations "*) options="-mf16c $options" ;;
esac
flags="-O2 $options"
all=$linked # if it is not empty, hash computes all of tests/golden.txt
case $compiler in fast | msan) all=1 ;; esac
if [ "$compiler" = msan ]; then
    echo 'int main(void) { return 0; }' | links "$CLANG" -fsanitize=memory || skip "clang's MemorySanitizer is missing: make deps"
    mkdir -p "$BUILD/unit"
    printf '[memory]\nsrc:tests/unit/*\n' >"$BUILD/unit/msan.ignore"
    flags="$flags -fsanitize=memory -fsanitize-ignorelist=$BUILD/unit/msan.ignore"
fi
sections=
link_with() { # [COMPILER.]ISA
    current "$BUILD/linked/$1.o" || sh tests/tools/linked.sh "$1" || exit 1
    includes="-DPE_EXTERN $includes" libraries="$BUILD/linked/$1.o $libraries"
    case $words in
    *" operations "*) includes="$includes -D_GNU_SOURCE -include pe_simd.h" ;;
    esac
}
if [ -n "$linked" ]; then
    # Only the library needs to be optimised, not the program that tests it.
    flags="-O1 $options"
    case $words in
    *" inlined "*) flags="-O0 $options" ;; # it compiles the library itself
    *) link_with "${linked#.}$isa" ;;
    esac
    [ $linked = . ] || flags="-O0 $options"
fi
for variant in $(echo "$variants" | tr . ' '); do
    case $variant in
    stream0) flags="$flags -DPE_STREAM_BYTES=0" ;;
    stream4k) flags="$flags -DPE_STREAM_BYTES=4096" ;;
    fma) flags="$flags -mfma" ;;
    native) flags="-march=native $flags" ;;
    asan) flags="$flags -g -fsanitize=address,undefined -fno-sanitize-recover=all" ;;
    tsan) flags="$flags -g -fsanitize=thread" ;;
    ubsan)
        [ "$compiler" = clang ] || skip "ubsan is of clang"
        flags="$flags -g -fno-sanitize-recover=all -fsanitize=undefined,float-divide-by-zero"
        flags="$flags,float-cast-overflow,implicit-conversion,integer"
        ;;
    memcheck)
        [ "$isa" != avx512 ] || skip "valgrind has no AVX-512"
        have valgrind || skip "valgrind is missing: tests/run deps-tools"
        flags="$flags -g"
        [ "$program" != hash ] || sections=11
        runner="valgrind -q --error-exitcode=99 --leak-check=full"
        ;;
    o0) flags="$flags -O0" ;;
    linked)
        link_with "$compiler.$isa"
        flags="$flags -O1"
        ;;
    quick)
        export PE_QUICK=1
        [ -z "$runner" ] || PE_QUICK=4 # emulation is slow
        [ "$program" != hash ] || [ -n "$all" ] || sections=${sections:-15} # all but the long tables
        ;;
    *) echo "unknown variant '$variant'" && exit 1 ;;
    esac
done

mkdir -p "$BUILD/unit"
out=$BUILD/unit/$1
# shellcheck disable=SC2086
case $program in
cpp)
    set -x
    $cc -std=c99 $WARNINGS $flags $includes $EXTRA_CFLAGS -c -o "$out.o" tests/unit/api/cpp_two.c &&
        $cxx -std=c++11 $WARNINGS $flags $includes $EXTRA_CFLAGS -o "$out" tests/unit/api/test_cpp.cpp \
            "$out.o" $libraries -lm || exit 1
    ;;
hash)
    set -x
    $cc -std=c99 $WARNINGS $flags $includes $EXTRA_CFLAGS -o "$out" tests/unit/hash.c $libraries -lm ||
        exit 1
    ;;
*)
    set -x
    $cc -std=c99 $WARNINGS $flags $includes $EXTRA_CFLAGS -o "$out" "$(unit_source "$program")" \
        $libraries -lpthread -lm || exit 1
    ;;
esac
run() { # ARGUMENTS: runs the program, and writes its output to $out.txt
    $runner "$out" "$@" >"$out.txt" 2>&1
    status=$?
    { set +x; } 2>/dev/null
    cat "$out.txt"
}
if [ "$program" = hash ]; then
    # shellcheck disable=SC2086
    run $sections
    [ -n "$all" ] && [ $status -eq 0 ] || exit $status
    sh tests/checks/golden.sh check "$out.txt" || exit 1
    echo "$(grep -c -v '^#' "$out.txt") passed, 0 failed"
    exit
fi
run_tests() { # [PATTERN]
    run "$@"
    # A program that ran no test, or that stopped half-way, has failed, whatever it returned.
    grep -q '^\[  PASSED  \] [1-9][0-9]* test' "$out.txt" || exit 1
    ! grep -q '^\[  FAILED  \]' "$out.txt" || exit 1
    [ $status -eq 0 ] || exit $status
}
case $linked$program in
quick.bounds) PE_QUICK=8 run_tests 'every_*' ;;
quick.memory)
    PE_QUICK=8 run_tests 'every_form_*'
    run_tests '*_are_refused'
    ;;
*) run_tests ;;
esac
