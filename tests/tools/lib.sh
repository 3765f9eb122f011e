# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034
# Shell functions shared by the scripts of tests/. Sourced, never run.
# Settings come from the environment (tests/settings.mk exports them); each has a default here,
# so that every script also runs by hand from the top of the tree.

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
EXTRA_CFLAGS=${EXTRA_CFLAGS:-} # where a library lives outside the default paths (Homebrew)
WARNINGS="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef \
-Wdouble-promotion -Wcast-qual -Werror"

HEADERS="pe.h pe_simd.h"

mkdir -p "$BUILD" 2>/dev/null && [ -w "$BUILD" ] || {
    echo "$BUILD cannot be written. Name another directory: make ... BUILD=/var/tmp/pe" >&2
    exit 1
}

# The first compiler here that knows -Wnrvo (gcc from 14 on, clang from 21 on), or nothing.
nrvo_compiler() {
    for nrvo_cc in "$GCC" "$CLANG" clang-22 clang-21 gcc-16 gcc-15 gcc-14; do
        have "$nrvo_cc" && echo 'int x;' | $nrvo_cc -Werror -Wnrvo -x c -fsyntax-only - 2>/dev/null || continue
        echo "$nrvo_cc"
        return
    done
}

have() { command -v "$1" >/dev/null 2>&1; }

# check WHAT COMMAND...: does it succeed? Its output goes to $WORK/log, and stays in $WORK/log.before
# beyond the next one; $passed and $failed count.
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

# skipping WHAT...: a part of this step cannot run here. Every SKIP line is a failure under STRICT=1.
skipped=0
skipping() { echo "SKIP: $*" && skipped=$((skipped + 1)); }

# check WHAT not COMMAND...: does it fail, as it must?
not() { ! "$@"; }

# preprocessed FLAGS FILE: what the preprocessor makes of a file, with the lines that say from where.
# from NAMES...: of that, on the standard input, the lines from files with these names.
# shellcheck disable=SC2086
preprocessed() { $CC -std=c99 -E -DPE_SLEEF=0 -DPE_ISA=PE_ISA_SCALAR -I. $EXTRA_CFLAGS "$@"; }
from() {
    awk -v names=" $* " '
        /^# [0-9]+ "/ { file = $3; gsub(/"/, "", file); sub(/.*\//, "", file); next }
        index(names, " " file " ")'
}

# current FILE: is it there, and not older than the headers?
# shellcheck disable=SC2086
current() { [ -f "$1" ] && [ -z "$(find $HEADERS -newer "$1")" ]; }

# What an object asks for beyond libm, SLEEF and memcpy.
strays() { # NM OBJECT
    "$1" -u "$2" | awk '{ print $NF }' | sed 's/^_//' |
        grep -v -x -E 'Sleef_[a-z0-9_]*|_?GLOBAL_OFFSET_TABLE_|__stack_chk_fail|memcpy|memset|memmove|memcmp|bcmp' |
        grep -v -x -E '(fma|sin|cos|sincos|pow|exp|log|exp2|log2|floor|rint|nearbyint|fabs|ldexp|sqrt|copysign|fmod|frexp|scalbn|round|trunc|ceil)[fl]?'
}

# The names of all public functions, those that macros stamp included.
public_functions() {
    echo '#include "pe.h"' | preprocessed -x c - | from pe.h | tr '\n' ' ' | tr ';{}' '\n\n\n' |
        grep -o 'static inline [a-z_0-9 *]*[ *]pe_[a-z0-9][a-z0-9_]* *(' |
        sed 's/ *($//; s/.*[ *]//' | sort -u
}

# unit_source PROGRAM: the file of a unit program, from tests/steps.txt.
unit_source() { awk -F ' [|] ' -v name="$1" '$1 == name { print "tests/" $4 }' tests/steps.txt; }

# page_programs FOLDER: each ```c block of README.md and docs/*.md, a complete program, as FOLDER/PAGE.N.c.
page_programs() {
    for page in README.md docs/*.md; do
        awk -v to="$1/$(basename "$page" .md)" '
            /^```c$/ { on = 1; n++; next } /^```/ { on = 0 } on { print >(to "." n ".c") }' "$page" || return 1
    done
}

# guarded COMMAND...: run it. If this script is told to end (Ctrl-C, SIGTERM), so is the command with
# all that it started: a compiler behind a make behind a shell would not hear of it.
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
# Halted first, until no new one appears: what is halted starts nothing.
end_all() {
    doomed=
    while more=$(descendants "$1") && [ "$more" != "$doomed" ]; do
        doomed=$more
        # shellcheck disable=SC2086
        kill -STOP $doomed 2>/dev/null
    done
    # Half a second for what has to be tidied up.
    # shellcheck disable=SC2086
    {
        kill -TERM $doomed
        kill -CONT $doomed
        sleep 0.5
        kill -KILL $doomed
    } 2>/dev/null
}
# A process and all below it.
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

# skip WHY...: the step cannot run here; tests/tools/step.sh turns this into SKIP, or a failure if STRICT=1.
skip() {
    echo "SKIP: $*"
    exit 77
}

# environment NAME: skips the step unless build/NAME is the environment of tests/requirements/NAME.txt, whose Python is
# build/NAME/bin/python. A step with the word NAME in tests/steps.txt finds it there if it can be created.
environment() {
    cmp -s "tests/requirements/$1.txt" "$BUILD/$1/requirements.txt" || skip "build/$1 is missing: make deps"
}

# links COMPILER LIBS < source: does this program build and link? Headers alone prove nothing.
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

# The instruction sets of pe that this CPU runs, worst first: "scalar sse2 avx2 avx512".
cpu_isas() {
    if [ ! -x "$BUILD/cpu" ] || [ -n "$(find tests/tools/cpu.c -newer "$BUILD/cpu")" ]; then
        mkdir -p "$BUILD"
        cpu_tmp=$(mktemp "$BUILD/cpu.XXXXXX") || return 1
        # Clang's own runtime for __builtin_cpu_supports is not always there: any compiler will do.
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

# Compiler flags that select an instruction set, with nothing beyond it; none for avx2attr and
# avx512attr, and not all for avx512f: pe.h itself has its functions compiled for the rest, as with
# avx2 for F16C.
isa_flags() {
    case $1 in
    scalar) echo "-DPE_ISA=PE_ISA_SCALAR" ;;
    sse2) echo "-msse2" ;; # what the header picks by itself
    scalarfma) echo "-mfma -DPE_ISA=PE_ISA_SCALAR" ;;
    avx2) echo "-mavx2 -mfma -DPE_ISA=PE_ISA_AVX2" ;;
    avx512) echo "-mavx512f -mavx512dq -mavx512bw -mavx512vl -DPE_ISA=PE_ISA_AVX512" ;;
    narrow) echo "-march=skylake-avx512 -mno-evex512" ;; # no registers of 512 bits: AVX2
    avx2attr) echo "-DPE_ISA=PE_ISA_AVX2" ;;
    avx512f) echo "-mavx512f" ;; # DQ, BW and VL by pe.h
    avx512attr) echo "-DPE_ISA=PE_ISA_AVX512" ;;
    neon) echo "-DPE_ISA=PE_ISA_NEON" ;;
    plain) ;;                        # whatever the compiler is for
    default) echo "-march=native" ;; # and whatever PE_ISA the header picks
    *)
        echo "unknown ISA $1" >&2
        return 1
        ;;
    esac
}

# Where tests/tools/arm64.sh puts AArch64 libraries.
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

# What `tests/run matrix` builds with beyond GCC and CLANG: versions that Debian 12 offers, and machines.
# The newer ones are tests/tools/debian_gcc.sh's.
case $BUILD in /*) here= ;; *) here=$PWD/ ;; esac
PATH=$PATH:$here$BUILD/gcc14:$here$BUILD/gcc16
MATRIX_COMPILERS=${MATRIX_COMPILERS:-gcc-11 gcc-14 clang-13 clang-15 clang-16 clang-19 clang-22}
MATRIX_MACHINES=${MATRIX_MACHINES:-s390x ppc64 ppc64le riscv64 armhf}

# have_m32 COMPILER STANDARD: does it build programs for 32-bit x86, and do they run here?
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

# Machines under qemu-user: their gcc, their emulator, and where their C library is.
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
