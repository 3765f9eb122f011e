# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034
# This file has the shell functions that the scripts of tests/ share. They source it; it is never run. The settings come
# from the environment, where tests/settings.mk exports them. Each has a default here, so every script also runs by hand
# from the top of the tree.

BUILD=${BUILD:-build}
CC=${CC:-cc}
CXX=${CXX:-c++}
GCC=${GCC:-gcc}
GXX=${GXX:-g++}
CLANG=${CLANG:-clang}
CLANGXX=${CLANGXX:-clang++}
ARM64_GCC=${ARM64_GCC:-aarch64-linux-gnu-gcc}
ARM64_ROOT=${ARM64_ROOT:-/usr/aarch64-linux-gnu}
QEMU_ARM64=${QEMU_ARM64:-qemu-aarch64}
QEMU_X86=${QEMU_X86:-qemu-x86_64}
STRICT=${STRICT:-0}
DEPS=${DEPS:-1}
SLEEF=${SLEEF:-}
EXTRA_CFLAGS=${EXTRA_CFLAGS:-} # for libraries outside the default paths (Homebrew)
WARNINGS="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef \
-Wdouble-promotion -Wcast-qual -Werror"

HEADERS="pe.h pe_simd.h"

mkdir -p "$BUILD" 2>/dev/null && [ -w "$BUILD" ] || {
    echo "$BUILD cannot be written. Name another directory: make ... BUILD=/var/tmp/pe" >&2
    exit 1
}

# pip installs the packages of the test peers without their bytecode, which takes Python 10 to 20 s to make for torch and
# transformers. The first process that imports them writes the bytecode to this folder, and all others read it there.
unset PYTHONDONTWRITEBYTECODE
PYTHONPYCACHEPREFIX=$(cd "$BUILD" && pwd)/bytecode
export PYTHONPYCACHEPREFIX

# nrvo_compiler: prints the first compiler here that knows -Wnrvo (gcc 14 and later, clang 21 and later), or nothing.
nrvo_compiler() {
    for nrvo_cc in "$GCC" "$CLANG" clang-22 clang-21 gcc-16 gcc-15 gcc-14; do
        have "$nrvo_cc" && echo 'int x;' | $nrvo_cc -Werror -Wnrvo -x c -fsyntax-only - 2>/dev/null || continue
        echo "$nrvo_cc"
        return
    done
}

have() { command -v "$1" >/dev/null 2>&1; }

# check WHAT COMMAND...: runs the command, prints whether it succeeded, and counts in $passed and $failed. Its output
# goes to $WORK/log, which the next check moves to $WORK/log.before.
passed=0 failed=0
check() {
    what=$1
    shift
    if "$@" >"$WORK/log" 2>&1; then
        echo "ok   $what"
        passed=$((passed + 1))
    else
        echo "FAIL $what: $*"
        tail -n 40 "$WORK/log"
        failed=$((failed + 1))
    fi
    cp "$WORK/log" "$WORK/log.before"
}

# skipping WHAT...: reports that a part of this step cannot run here. Every SKIP line is a failure under STRICT=1.
skipped=0
skipping() { echo "SKIP: $*" && skipped=$((skipped + 1)); }

# not COMMAND...: succeeds if the command fails, as in `check WHAT not COMMAND...`.
not() { ! "$@"; }

# preprocessed FLAGS FILE: prints the preprocessed file, with the lines that name the source of each part.
# from NAMES...: filters this text, which it reads from standard input. It prints the lines from files with these names.
# shellcheck disable=SC2086
preprocessed() { $CC -std=c99 -E -DPE_SLEEF=0 -DPE_ISA=PE_ISA_SCALAR -I. $EXTRA_CFLAGS "$@"; }
from() {
    awk -v names=" $* " '
        /^# [0-9]+ "/ { file = $3; gsub(/"/, "", file); sub(/.*\//, "", file); next }
        index(names, " " file " ")'
}

# current FILE: succeeds if the file exists and is not older than the headers.
# shellcheck disable=SC2086
current() { [ -f "$1" ] && [ -z "$(find $HEADERS -newer "$1")" ]; }

# Prints the undefined symbols of an object, except those of libm, SLEEF, memcpy and its like.
strays() { # NM OBJECT
    "$1" -u "$2" | awk '{ print $NF }' | sed 's/^_//' |
        grep -v -x -E 'Sleef_[a-z0-9_]*|_?GLOBAL_OFFSET_TABLE_|__stack_chk_fail|memcpy|memset|memmove|memcmp|bcmp' |
        grep -v -x -E '(fma|sin|cos|sincos|pow|exp|log|exp2|log2|floor|rint|nearbyint|fabs|ldexp|sqrt|copysign|fmod|frexp|scalbn|round|trunc|ceil)[fl]?'
}

# Prints the names of all public functions, also of those that macros define.
public_functions() {
    echo '#include "pe.h"' | preprocessed -x c - | from pe.h | tr '\n' ' ' | tr ';{}' '\n\n\n' |
        grep -o 'static inline [a-z_0-9 *]*[ *]pe_[a-z0-9][a-z0-9_]* *(' |
        sed 's/ *($//; s/.*[ *]//' | sort -u
}

# unit_source PROGRAM: prints the file of a unit program, which tests/steps.txt names.
unit_source() { awk -F ' [|] ' -v name="$1" '$1 == name { print "tests/" $4 }' tests/steps.txt; }

# page_programs FOLDER: writes each ```c block of README.md and docs/*.md, a complete program, to FOLDER/PAGE.N.c.
page_programs() {
    for page in README.md docs/*.md; do
        awk -v to="$1/$(basename "$page" .md)" '
            /^```c$/ { on = 1; n++; next } /^```/ { on = 0 } on { print >(to "." n ".c") }' "$page" || return 1
    done
}

# guarded COMMAND...: runs the command. If this script is interrupted (Ctrl-C, SIGTERM), the command and all processes
# that it started are ended also. Otherwise a compiler that make has started from a shell would keep running.
guarded() {
    "$@" &
    guarded_pid=$!
    trap 'end_all $guarded_pid; exit 130' INT
    trap 'end_all $guarded_pid; exit 143' TERM HUP
    wait $guarded_pid
    guarded_status=$?
    trap - INT TERM HUP
    return $guarded_status
}
# end_all PID: ends a process and all its descendants. They are stopped first, until no new one appears, since a stopped
# process starts no others.
end_all() {
    doomed=
    while more=$(descendants "$1") && [ "$more" != "$doomed" ]; do
        doomed=$more
        # shellcheck disable=SC2086
        kill -STOP $doomed 2>/dev/null
    done
    # Each process has half a second to remove its temporary files.
    # shellcheck disable=SC2086
    {
        kill -TERM $doomed
        kill -CONT $doomed
        sleep 0.5
        kill -KILL $doomed
    } 2>/dev/null
}
# descendants PID: prints a process and all its descendants.
descendants() {
    if [ -r /proc/self/status ]; then
        cat /proc/[0-9]*/status 2>/dev/null | awk '/^Pid:/ { pid = $2 } /^PPid:/ { print pid, $2 }'
    else
        ps -A -o pid= -o ppid=
    fi | awk -v root="$1" '
        { parent[$1] = $2 }
        END {
            for (p in parent) {
                for (a = p; a in parent && a != root; a = parent[a]) continue
                if (a == root) print p
            }
        }' | sort -n
}

cpu_model() {
    sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1 | grep . ||
        sysctl -n machdep.cpu.brand_string 2>/dev/null || uname -m
}
cores() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1; }
JOBS=${JOBS:-$(cores)}

# skip WHY...: ends a step that cannot run here. tests/tools/step.sh reports it as SKIP, or as a failure if STRICT=1.
skip() {
    echo "SKIP: $*"
    exit 77
}

# environment NAME: skips the step unless build/NAME is the environment of tests/requirements/NAME.txt. Its Python is
# build/NAME/bin/python. If a step has the word NAME in tests/steps.txt, the environment is created before it.
environment() {
    cmp -s "tests/requirements/$1.txt" "$BUILD/$1/requirements.txt" || skip "build/$1 is missing: make deps"
}

# links COMPILER LIBS < source: succeeds if this program compiles and links, since headers may exist without a library.
links() {
    links_cc=$1
    shift
    mkdir -p "$BUILD"
    links_out=$(mktemp "$BUILD/probe.XXXXXX") || return 1
    # shellcheck disable=SC2086
    $links_cc $EXTRA_CFLAGS -x c - -o "$links_out" "$@" >/dev/null 2>&1
    links_status=$?
    rm -f "$links_out"
    return $links_status
}

have_library() { # NAME COMPILER
    case $1 in
    sleef)
        links "$2" -lsleef -lm <<X
#include <sleef.h>
int main(int argc, char **argv) { (void)argv; return Sleef_sincospid1_u35purec(argc).x > 2.0; }
X
        ;;
    mpfr)
        links "$2" -lmpfr -lgmp <<X
#include <mpfr.h>
int main(void) { mpfr_t x; mpfr_init2(x, 256); mpfr_set_ui(x, 1, MPFR_RNDN); return mpfr_sgn(x) < 0; }
X
        ;;
    json-c)
        links "$2" -ljson-c <<X
#include <json-c/json.h>
int main(void) { return json_object_put(json_object_new_int(0)) != 1; }
X
        ;;
    cmocka)
        links "$2" -lcmocka <<X
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
static void t(void **s) { (void)s; }
int main(void) { const struct CMUnitTest a[] = {cmocka_unit_test(t)}; return cmocka_run_group_tests(a, NULL, NULL); }
X
        ;;
    esac
}

# cpu_isas: prints the instruction sets of pe that this CPU runs, the slowest first: "scalar sse2 avx2 avx512".
cpu_isas() {
    if [ ! -x "$BUILD/cpu" ] || [ -n "$(find tests/tools/cpu.c -newer "$BUILD/cpu")" ]; then
        mkdir -p "$BUILD"
        cpu_tmp=$(mktemp "$BUILD/cpu.XXXXXX") || return 1
        # Clang's runtime for __builtin_cpu_supports may be missing, so any compiler that works is used.
        for cpu_cc in "$CC" "$GCC" "$CLANG"; do
            $cpu_cc -O1 -o "$cpu_tmp" tests/tools/cpu.c >/dev/null 2>&1 && break
        done
        chmod 755 "$cpu_tmp" && mv "$cpu_tmp" "$BUILD/cpu" || return 1
    fi
    "$BUILD/cpu"
}

cpu_has() {
    case " $(cpu_isas) " in
    *" $1 "*) return 0 ;;
    esac
    return 1
}

best_isa() { cpu_isas | sed 's/.* //'; }

# isa_flags ISA: prints the compiler flags that select an instruction set and nothing more. avx2attr and avx512attr have
# no flags, and avx512f has only one. There, pe.h itself compiles its functions for the rest, with attributes. It also
# does so for F16C with avx2.
isa_flags() {
    case $1 in
    scalar) echo "-DPE_ISA=PE_ISA_SCALAR" ;;
    sse2) echo "-msse2" ;; # the header chooses SSE2 for this flag
    scalarfma) echo "-mfma -DPE_ISA=PE_ISA_SCALAR" ;;
    avx2) echo "-mavx2 -mfma -DPE_ISA=PE_ISA_AVX2" ;;
    avx512) echo "-mavx512f -mavx512dq -mavx512bw -mavx512vl -DPE_ISA=PE_ISA_AVX512" ;;
    narrow) echo "-march=skylake-avx512 -mno-evex512" ;; # without registers of 512 bits, the header chooses AVX2
    avx2attr) echo "-DPE_ISA=PE_ISA_AVX2" ;;
    avx512f) echo "-mavx512f" ;; # pe.h adds DQ, BW and VL
    avx512attr) echo "-DPE_ISA=PE_ISA_AVX512" ;;
    neon) echo "-DPE_ISA=PE_ISA_NEON" ;;
    plain) ;;                        # the compiler's default
    default) echo "-march=native" ;; # the header chooses PE_ISA
    *)
        echo "unknown ISA $1" >&2
        return 1
        ;;
    esac
}

# tests/tools/arm64.sh puts AArch64 libraries into this folder.
ARM64_SYSROOT=$BUILD/arm64/sysroot
arm64_cflags() { echo "-isystem $ARM64_SYSROOT/usr/include/aarch64-linux-gnu -isystem $ARM64_SYSROOT/usr/include"; }
arm64_ldflags() {
    arm64_lib=$ARM64_SYSROOT/usr/lib/aarch64-linux-gnu
    echo "-L$arm64_lib -Wl,-rpath-link,$arm64_lib"
}
arm64_run() {
    "$QEMU_ARM64" -L "$ARM64_ROOT" -E LD_LIBRARY_PATH="$ARM64_SYSROOT/usr/lib/aarch64-linux-gnu" "$@"
}
have_arm64() { have "$ARM64_GCC" && have "$QEMU_ARM64" && [ -d "$ARM64_ROOT" ]; }

# `tests/run matrix` builds with these compilers besides GCC and CLANG, and for these machines. Debian 12 has some of
# the compilers, and tests/tools/debian_gcc.sh gets newer ones.
case $BUILD in /*) here= ;; *) here=$PWD/ ;; esac
PATH=$PATH:$here$BUILD/gcc14:$here$BUILD/gcc16
MATRIX_COMPILERS=${MATRIX_COMPILERS:-gcc-11 gcc-14 clang-13 clang-15 clang-16 clang-19 clang-22}
MATRIX_MACHINES=${MATRIX_MACHINES:-s390x ppc64 ppc64le riscv64 armhf}

# have_m32 COMPILER STANDARD: succeeds if the compiler builds programs for 32-bit x86, and they run here.
have_m32() {
    case $2 in c++*) m32_language=c++ ;; *) m32_language=c ;; esac
    mkdir -p "$BUILD"
    m32_out=$(mktemp "$BUILD/probe.XXXXXX") || return 1
    # shellcheck disable=SC2086
    printf '#include <stdlib.h>\n#include <math.h>\nint main(int n, char **v) { return sizeof v + (int)fma(n, 0, -4); }\n' |
        $1 -m32 -msse2 -mfpmath=sse -std="$2" -x $m32_language - -o "$m32_out" -lm >/dev/null 2>&1 && "$m32_out"
    m32_status=$?
    rm -f "$m32_out"
    return $m32_status
}

# For a machine that qemu-user emulates, machine_gcc prints its gcc, machine_qemu its emulator, and machine_root the
# folder of its C library.
machine_gcc() {
    case $1 in
    s390x | riscv64) echo "$1-linux-gnu-gcc" ;;
    ppc64) echo powerpc64-linux-gnu-gcc ;;
    ppc64le) echo powerpc64le-linux-gnu-gcc ;;
    armhf) echo arm-linux-gnueabihf-gcc ;;
    esac
}
machine_root() { machine_gcc "$1" | sed 's|\(.*\)-gcc$|/usr/\1|'; }
machine_qemu() { echo "qemu-$1" | sed 's/armhf/arm/'; }
have_machine() {
    have "$(machine_gcc "$1")" && have "$(machine_qemu "$1")" && [ -d "$(machine_root "$1")/include" ]
}
