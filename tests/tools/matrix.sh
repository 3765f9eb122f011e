#!/bin/sh
# SPDX-License-Identifier: MIT
#
# matrix.sh: checks that all builds give the same bits. It builds tests/unit/hash.c in every way named below, runs each
# build, and compares its hashes with tests/golden.txt. Each build runs pe_selftest() last, which must return PE_OK.
# Otherwise the program prints a line that no golden file has.
#
#   native    Every ISA of this CPU, gcc and clang, and 8 optimisation levels are combined. SLEEF is on and off in each
#             combination, but alternates for scalar code and SSE2. The standards C99, C11, C17, C++11 and C++17
#             alternate so that each meets every value of every other factor. Scalar code with hardware FMA, and what
#             -march=native chooses, are also built.
#   flags     These builds have other flags: single flags of -ffast-math, other rounding and excess precision, link-time
#             optimisation, UBSan, tuning, newer standards and more.
#   flush     Subnormals are flushed to zero from the start of the program.
#   m32       The program is for 32-bit x86, so size_t has 32 bits.
#   compiler  The compilers are other versions of gcc (tests/tools/debian_gcc.sh) and clang, and tcc. Like cl, tcc knows
#             no extension of GNU C.
#   several   One program has every instruction set of this CPU, in C and in C++, and its parts share no symbol. With
#             link-time optimisation, the parts that a CPU without AVX can run are also run on one.
#   arm64     NEON and scalar code, gcc and clang, with and without SLEEF, run under qemu-user.
#   mingw     gcc for Windows on x86-64; the program runs under wine.
#   clangcl   clang for Windows on x86-64 in the place of cl, with the headers of tests/checks/stub. The program is
#             linked to mingw-w64's library.
#   compiles  clang compiles for macOS, big-endian AArch64 (scalar code, as on s390x) and WebAssembly, also with the
#             headers of stub. Nothing here can run the result. tests/checks/wasm.sh tests WebAssembly of emscripten.
#   newlib    ARM without an operating system, with the library newlib, in hardware and in software floating point,
#             under qemu-user
#   machine   scalar code on s390x and ppc64 (big-endian), ppc64le, riscv64 and armhf (32-bit), under qemu-user. A
#             cell has the name of the machine as its kind.
#   nehalem   scalar code on an emulated CPU without AVX and FMA
#   qemumax   AVX2 on an emulated CPU, if this CPU has none
#   control   Headers with one constant changed in its last bit, and with two lanes swapped in one instruction set, must
#             give other bits.
#
# pe.h may refuse -ffast-math and -Ofast with an #error that names fast-math. That counts as agreement, and is reported.
#
#   matrix.sh               runs everything, on all cores, or on n with JOBS=n
#   CELLS=regex matrix.sh   runs only the cells whose line matches
#   MATRIX=some matrix.sh   runs some cells of every kind, as `make check` does. What only `tests/tools/deps.sh matrix`
#                           installs is skipped if it is missing.
#   matrix.sh list          prints the cells
#   matrix.sh cell N        runs only cell N, and shows what it did
set -u
. tests/tools/lib.sh

WORK=$BUILD/matrix
QEMU_SECTIONS=${QEMU_SECTIONS:-20} # sections of tests/unit/hash.c that an emulator runs: every verb, but
                                   # not the long tables; 0: all

# x86_cells: prints the cells for x86, one per line: KIND COMPILER STD ISA SLEEF OPTIMISATION... The word STD is
# replaced by a standard, and DEAL by sleef and none in turn. With MATRIX=some, only the cells with a + before the kind
# run.
x86_cells() {
    cat <<'X'
+native gcc STD scalarfma sleef -O2
native gcc STD scalarfma none -O3 -ffp-contract=fast
native clang STD scalarfma none -O2
native clang STD scalarfma sleef -O3 -ffp-contract=fast
native gcc STD default sleef -O2
+native gcc STD default none -O2
native clang STD default none -O2
native clang STD default sleef -O2
nehalem gcc c99 scalar none -O2
+nehalem clang c99 scalar sleef -O2
nehalem gcc c99 sse2 none -O2
flags clang c99 sse2 none -O3 -march=native -ffp-contract=fast
+flags gcc c99 sse2 none -O3 -mfma -ffp-contract=fast
+flags gcc c99 avx2 none -O2 -funsafe-math-optimizations
flags clang c11 avx512 none -O2 -funsafe-math-optimizations
flags gcc c11 avx2 none -O2 -fassociative-math -fno-signed-zeros -fno-trapping-math
flags clang c99 scalar none -O2 -fassociative-math -fno-signed-zeros -fno-trapping-math
flags gcc c++17 avx512 none -O2 -freciprocal-math
flags clang c99 avx2 none -O2 -freciprocal-math
flags gcc c99 avx512 none -O3 -mprefer-vector-width=512
flags gcc c99 scalar none -O3 -march=native -mprefer-vector-width=512
flags clang c99 scalar none -O3 -march=native -mprefer-vector-width=512
flags gcc c99 avx2 sleef -O2 -fno-math-errno -fno-trapping-math
flags gcc c99 avx512f none -O2 -frounding-math
flags clang c99 avx2 none -O2 -ffp-model=strict
flags gcc c99 avx512 sleef -O2 -flto
flags clang c99 avx2 none -O2 -flto
flags gcc c99 avx512 none -O2 -fsanitize=undefined -fno-sanitize-recover
flags clang c99 avx2 none -O2 -fsanitize=undefined -fno-sanitize-recover
flags gcc c99 avx2 none -O2 -mtune=haswell
flags gcc c99 avx2 none -O2 -mtune=znver3
flags gcc c11 avx512 none -O2 -mtune=icelake-server
flags clang c11 avx512 none -O2 -mtune=skylake-avx512
flags gcc c99 avx512f none -O2 -fno-inline
flags clang c99 avx2 none -O2 -fno-inline
flags gcc c99 avx2 none -O2 -fwrapv
flags clang c99 avx512f none -O2 -fwrapv
+flags gcc c99 avx512 none -O2 -funsigned-char -fshort-enums
flags clang c99 avx2 none -O2 -funsigned-char -fshort-enums
flags gcc c99 avx512 none -O2 -fexcess-precision=standard -ffloat-store
flags gcc c99 avx2 none -O2 -fPIE -fstack-protector-strong -D_FORTIFY_SOURCE=2
flags gcc c99 avx2 none -Og
flags gcc c99 avx512 none -O2 -masm=intel
+flags clang c99 avx2 none -O2 -masm=intel
flags gcc c99 sse2 none -O2 -masm=intel
flags clang c99 avx2 none -O2 -ffinite-math-only
flags clang c99 avx512 none -O2 -ffinite-math-only
flags clang c99 avx512 none -Oz
flags gcc c99 avx2 sleef -O2 -march=x86-64-v3
flags gcc c99 avx512 none -O2 -march=x86-64-v4
flags clang c99 avx2 none -O2 -march=x86-64-v3
flags clang c99 avx512 sleef -O2 -march=x86-64-v4
flags gcc c2x avx2 none -O2
flags clang c2x avx512 none -O2
flags gcc c++20 avx512 none -O2
flags clang c++20 avx2 none -O2
+flags clang c++2b avx512 none -O2
flags gcc c++2b avx2 none -O2
+flags gcc c99 avx512attr none -O2
flags gcc c++11 avx2attr none -O2
flags gcc c11 avx2attr none -O0
flags gcc c99 avx512attr none -Ofast
flags gcc c++17 avx512attr none -O3 -mavx2 -mfma
flags clang c99 avx512attr none -O3
+flags clang c++11 avx2attr none -O2
flags clang c17 avx512attr none -O0
flags clang c++20 avx512attr none -O2 -march=x86-64-v3
flags clang c99 avx2 none -O2 -fno-signed-zeros
flags clang c99 avx512 none -O2 -fno-signed-zeros
flags clang-22 c99 avx2 none -O2 -fno-signed-zeros
flags clang-22 c99 avx512 none -O2 -ffast-math
flags clang-22 c99 sse2 none -O2 -ffast-math
flags clang-22 c99 scalar none -O2 -Ofast
flags clang-19 c99 avx512 none -O2 -ffast-math
flags clang-19 c99 narrow none -O1
flush gcc c99 scalar none -O1
+flush gcc c99 avx512 none -O2
flush clang c99 avx2 sleef -O2
m32 gcc c99 scalar none -O2
m32 clang c99 scalar none -O1
+m32 gcc c++11 scalar none -O0
m32 gcc c99 avx2 none -O2
m32 gcc c++11 avx512attr none -O2
m32 clang c99 avx2attr none -O2
m32 clang c++17 avx2 none -O2
m32 gcc c11 avx512 none -O2
m32 gcc c99 sse2 none -O2
m32 clang c++17 sse2 none -O2
m32 clang c99 avx512 none -O2
+several gcc c99 all none -O0
several gcc c99 all none -O2
several clang c99 all none -O0
several clang c99 all none -O2
several both c99 all none -O2
several gcc c99 all none -O2 -flto
several clang c99 all none -O2 -flto
+compiler tcc c99 plain none -O2
clangcl clang c99 plain none -O2
clangcl clang c99 scalar none -O2
clangcl clang c99 avx2 none -O2
clangcl clang c99 avx512 none -O2 -ffast-math
newlib arm-none-eabi-gcc c99 plain none -O2 -mcpu=cortex-a15 -mfpu=neon-vfpv4 -mfloat-abi=hard
newlib arm-none-eabi-gcc c99 plain none -O2 -march=armv7-a -mfloat-abi=soft
X
    echo "compiles clang c99 plain none -O2 --target=aarch64_be-linux-gnu"
    for compiler in clang clang-19; do
        for simd in "" " -msimd128"; do
            echo "compiles $compiler c99 plain none -O2 --target=wasm32$simd"
        done
    done | sed 's/^compiles clang-19 .*simd128/+&/'
    for machine in arm64 x86_64; do
        for std in c99 c++11; do
            echo "compiles clang $std plain none -O2 --target=$machine-apple-macos13"
            for flag in "-ffast-math" "-ffast-math -fno-finite-math-only" "-funsafe-math-optimizations"; do
                echo "compiles clang $std plain none -O2 --target=$machine-apple-macos13 $flag"
                echo "compiles clang-19 $std plain none -O2 --target=$machine-apple-macos13 $flag"
            done
        done
    done
    cpu_has avx2 || echo "qemumax gcc c99 avx2 sleef -O2"
    cpu_has avx2 || echo "qemumax clang c99 avx2 none -O2"
    for isa in neon scalar; do
        for cc in gcc clang; do
            [ "$isa:$cc" = scalar:clang ] || echo "arm64 $cc c99 $isa sleef -O2"
            echo "arm64 $cc c11 $isa none -O3 -ffp-contract=fast"
            echo "arm64 $cc c99 $isa none -Ofast"
        done
        echo "arm64 gcc c17 $isa sleef -O0"
    done | sed 's/^\(arm64 gcc c99 neon sleef\)/+\1/'
    # fast-math and its parts are tried with clang and with clang-22. Versions before 16 have no pragma against
    # fast-math for AArch64.
    for cc in clang clang-22; do
        for isa in neon scalar; do
            echo "arm64 $cc c99 $isa none -O2 -ffast-math -fno-finite-math-only"
            echo "arm64 $cc c99 $isa none -O2 -funsafe-math-optimizations"
        done
        echo "arm64 $cc c99 neon none -O2 -fassociative-math -fno-signed-zeros -fno-trapping-math"
        echo "arm64 $cc c99 neon none -O2 -freciprocal-math"
        echo "arm64 $cc c99 neon none -O2 -fno-signed-zeros"
        echo "arm64 $cc c99 neon none -O2 -ffast-math"
    done | sed 's/^arm64 clang c99 neon none -O2 -funsafe/+&/'
    for isa in avx512 avx2 sse2 scalar; do echo "mingw x86_64-w64-mingw32-gcc c99 $isa none -O2"; done |
        sed 's/^mingw .* sse2/+&/'
    echo "mingw x86_64-w64-mingw32-gcc c11 avx2attr none -O2 -ffast-math"
    for machine in $MATRIX_MACHINES; do
        [ "$machine" != s390x ] || printf +
        echo "$machine gcc c99 scalar none -O2"
        echo "$machine gcc c11 scalar none -O0"
    done
}
list_cells() {
    {
        for isa in scalar sse2 avx2 avx512 neon; do
            case $(uname -m):$isa in
            x86_64:neon | amd64:neon | aarch64:avx* | arm64:avx* | aarch64:sse2 | arm64:sse2) continue ;;
            esac
            for cc in gcc clang; do
                case $isa in scalar | sse2) sleefs=DEAL ;; *) sleefs="sleef none" ;; esac
                for sleef in $sleefs; do
                    for opt in -O0 -O1 -O2 -O3 -Os "-O2 -ffp-contract=fast" "-O2 -ffast-math" -Ofast; do
                        echo "native $cc STD $isa $sleef $opt"
                    done
                done
            done
        done
        case $(uname -m) in
        x86_64 | amd64) x86_cells ;;
        esac
        for compiler in $MATRIX_COMPILERS; do
            case $(uname -m) in
            aarch64 | arm64) isas="neon neon" ;;
            *) isas="avx2 avx512" ;;
            esac
            [ "$compiler" != gcc-11 ] || printf +
            echo "compiler $compiler c99 scalar none -O0"
            for isa in $isas; do echo "compiler $compiler STD $isa none -O2"; done
        done
    } | awk -v some="${MATRIX:-all}" '
        BEGIN { n = split("c99 c11 c17 c++11 c++17", std) }
        # The standards advance by 1 per line, and by 1 more after each group of eight optimisations,
        # so that no standard is tied to a level. SLEEF alternates in the same way.
        $3 == "STD" { $3 = std[1 + (line + int(line / 8)) % n]; line++ }
        $5 == "DEAL" { $5 = (line + int((line - 1) / 8)) % 2 ? "sleef" : "none" }
        # MATRIX=some takes one in eleven of the native cells, since no other number here is a multiple of 11.
        $1 == "native" && NR % 11 == 4 { $1 = "+native" }
        some != "some" || /^\+/ { sub(/^\+/, ""); print }'
}

# check_pairs: fails unless the native cells cover every pair of values of two different factors.
check_pairs() {
    awk '
        $1 == "native" && $4 != "scalarfma" && $4 != "default" {
            opt = $6 " " $7
            f[1] = $2; f[2] = $3; f[3] = $4; f[4] = $5; f[5] = opt
            for (a = 1; a <= 5; a++) {
                value[a, f[a]] = 1
                for (b = a + 1; b <= 5; b++) pair[a, f[a], b, f[b]] = 1
            }
        }
        END {
            for (x in value) for (y in value) {
                split(x, p, SUBSEP); split(y, q, SUBSEP)
                if (p[1] < q[1] && !((p[1], p[2], q[1], q[2]) in pair)) {
                    print "pair not covered: " p[2] " with " q[2]; bad = 1
                }
            }
            exit bad
        }' "$WORK/cells"
}

# command_of COMPILER STANDARD: prints the command of the compiler for a standard of C or C++.
command_of() {
    case $1:$2 in
    gcc:c++*) echo "$GXX" ;;
    gcc:*) echo "$GCC" ;;
    clang:c++*) echo "$CLANGXX" ;;
    clang:*) echo "$CLANG" ;;
    gcc-*:c++*) echo "g++-${1#gcc-}" ;;
    clang-*:c++*) echo "clang++-${1#clang-}" ;;
    *) echo "$1" ;;
    esac
}

# compile HEADERS OUT COMPILER STD FLAGS...: compiles tests/unit/hash.c with the headers in the folder HEADERS.
compile() {
    headers=$1 out=$2 cc=$3 std=$4
    shift 4
    language=
    case $std in
    c++*) language="-x c++" ;;
    esac
    cc=$(command_of "$cc" "$std")
    # shellcheck disable=SC2086
    set -- $cc -std="$std" $WARNINGS $EXTRA_CFLAGS -I"$headers" $language tests/unit/hash.c -o "$out" "$@"
    echo "+ $*"
    "$@"
}

# run_cell N: runs a cell. The last line that it prints is the verdict: SAME, REFUSED, SKIP why, DIFFERS where or
# BROKEN how.
run_cell() {
    # shellcheck disable=SC2046
    set -- $(sed -n "$1p" "$WORK/cells") "$1"
    kind=$1 cc=$2 std=$3 isa=$4 sleef=$5
    shift 5
    opts=
    while [ $# -gt 1 ]; do
        opts="$opts $1"
        shift
    done
    exe=$WORK/$1.exe
    libs=-lm
    sections=0
    runner=
    flags="$opts"
    [ "$isa" = all ] || flags="$flags $(isa_flags "$isa")"
    case $kind in
    arm64)
        have_arm64 || { echo "SKIP $ARM64_GCC or $QEMU_ARM64 is missing" && return; }
        runner=arm64_run
        ;;
    mingw)
        have "$cc" && have wine || { echo "SKIP $cc or wine is missing" && return; }
        cpu_has "${isa%attr}" || { echo "SKIP this CPU has no $isa" && return; }
        runner="env WINEDEBUG=-all wine"
        ;;
    clangcl)
        have x86_64-w64-mingw32-gcc && have wine || { echo "SKIP mingw-w64 or wine is missing" && return; }
        [ "$isa" = plain ] || cpu_has "$isa" || { echo "SKIP this CPU has no $isa" && return; }
        runner="env WINEDEBUG=-all wine"
        ;;
    newlib)
        have "$cc" && have qemu-arm || { echo "SKIP $cc or qemu-arm is missing" && return; }
        runner=qemu-arm # inttypes.h goes by a name that stdint.h keeps to itself
        flags="$flags -marm --specs=rdimon.specs -D__int64_t_defined=1"
        ;;
    compiles) flags="$flags -nostdlibinc -isystem tests/checks/stub -c" libs= ;;
    nehalem | qemumax)
        have "$QEMU_X86" || { echo "SKIP $QEMU_X86 is missing" && return; }
        case $kind in
        nehalem) runner="$QEMU_X86 -cpu Nehalem" ;;
        qemumax) runner="$QEMU_X86 -cpu max" ;;
        esac
        ;;
    native | flags | flush | m32 | compiler | several)
        case $isa in
        default | all | plain) ;;
        narrow) cpu_has avx512 || { echo "SKIP this CPU has no $isa" && return; } ;;
        *) cpu_has "$(echo "$isa" | sed 's/fma$//; s/attr$//')" || { echo "SKIP this CPU has no $isa" && return; } ;;
        esac
        [ "$isa" != scalarfma ] || cpu_has avx2 || { echo "SKIP this CPU has no FMA" && return; }
        ;;
    *) # a machine; gcc for s390x evaluates floats as doubles in strict ISO C
        have_machine "$kind" || { echo "SKIP $(machine_gcc "$kind") or $(machine_qemu "$kind") is missing" && return; }
        runner="$(machine_qemu "$kind") -L $(machine_root "$kind")"
        flags="$flags -fexcess-precision=fast"
        cc=$(machine_gcc "$kind")
        ;;
    esac
    case $kind in
    mingw | clangcl | newlib) ;; # newlib's programs have no arguments
    *) [ -z "$runner" ] || sections=$QEMU_SECTIONS ;;
    esac
    case $kind in
    several) [ "$cc" != both ] || { have "$GCC" && have "$CLANGXX"; } || { echo "SKIP gcc or clang is missing" && return; } ;;
    compiler | compiles) have "$(command_of "$cc" "$std")" || { echo "SKIP $(command_of "$cc" "$std") is missing" && return; } ;;
    esac
    [ "$cc" = both ] || have "$(command_of "$cc" "$std")" || {
        echo "SKIP $(command_of "$cc" "$std") is missing" && return
    }
    case $std in
    c++2* | c2*) # not in every version
        echo 'int main(void) { return 0; }' >"$exe.c"
        $(command_of "$cc" "$std") -std="$std" -x "$(case $std in c++*) echo c++ ;; *) echo c ;; esac)" \
            -fsyntax-only "$exe.c" 2>/dev/null || { echo "SKIP $cc has no $std" && return; }
        ;;
    esac
    case $kind in
    m32)
        have_m32 "$(command_of "$cc" "$std")" "$std" || { echo "SKIP $cc makes no program for 32-bit x86" && return; }
        flags="$flags -m32 -msse2 -mfpmath=sse"
        ;;
    flush) flags="$flags -DHASH_FLUSH=1" ;;
    esac
    if [ "$sleef" = sleef ]; then
        if [ "$SLEEF" = 0 ]; then
            echo "SKIP SLEEF=0 was given" && return
        elif [ "$kind" = arm64 ]; then
            [ -d "$ARM64_SYSROOT/usr" ] || { echo "SKIP no AArch64 SLEEF in $ARM64_SYSROOT" && return; }
            flags="$flags $(arm64_cflags)"
            libs="$(arm64_ldflags) -lsleef -lm"
        else
            [ -f "$WORK/sleef" ] || { echo "SKIP libsleef is missing" && return; }
            libs="-lsleef -lm"
        fi
        flags="$flags -DPE_SLEEF=1"
    else
        flags="$flags -DPE_SLEEF=0"
    fi
    if [ "$kind" = arm64 ]; then
        if [ "$cc" = gcc ]; then
            GCC=$ARM64_GCC
        elif [ "$cc" = clang ]; then
            CLANG="$CLANG --target=aarch64-linux-gnu"
        else
            cc="$cc --target=aarch64-linux-gnu"
        fi
    fi
    if [ "$kind" = several ]; then
        build_several >"$exe.log" 2>&1
        status=$?
    elif [ "$kind" = clangcl ]; then
        build_clangcl >"$exe.log" 2>&1
        status=$?
    else
        # shellcheck disable=SC2086
        compile . "$exe" "$cc" "$std" $flags $libs >"$exe.log" 2>&1
        status=$?
    fi
    cat "$exe.log"
    if [ $status -ne 0 ]; then
        case $opts in
        *fast-math* | *Ofast*)
            if grep -q 'pe[a-z_]*\.h:[0-9]*:[0-9]*: error:.*fast-math' "$exe.log"; then
                echo REFUSED
                return
            fi
            ;;
        esac
        echo "BROKEN $(sed -n 's/^SEVERAL: //p' "$exe.log" | grep . || echo it does not compile)"
        return
    fi
    if [ "$kind" = compiles ]; then
        rm -f "$exe"
        echo "SAME as far as can be seen" && return
    fi
    $runner "$exe" "$sections" >"$exe.out" 2>&1
    status=$?
    [ "${runner%wine}" = "$runner" ] || { tr -d '\r' <"$exe.out" >"$exe.unix" && mv "$exe.unix" "$exe.out"; }
    cat "$exe.out"
    [ $status -eq 0 ] || grep -q '^pe_selftest: ' "$exe.out" || { echo "BROKEN exit status $status" && return; }
    if [ "$kind" != several ]; then
        rm -f "$exe"
        compare "$exe.out" "$sections"
        return
    fi
    case $opts in
    *-flto*) # the first two parts do without AVX, up to the instruction that ends the rest
        have "$QEMU_X86" || { echo "SKIP $QEMU_X86 is missing" && return; }
        "$QEMU_X86" -cpu Nehalem "$exe" "$QEMU_SECTIONS" 2>/dev/null | awk -v out="$exe.old" '
            /^# pe/ { n++ } { print >(out "." n) } END { exit n != 2 }' || { echo "BROKEN on a CPU without AVX" && return; }
        for part in 1 2; do
            verdict=$(compare "$exe.old.$part" "$QEMU_SECTIONS")
            [ "$verdict" = SAME ] || { echo "$verdict in part $part on a CPU without AVX" && return; }
        done
        ;;
    esac
    rm -f "$exe"
    # The program prints a line with # and a list of hashes for each of its parts.
    awk -v out="$exe.out" '/^#/ { n++ } { print >(out "." n) }' "$exe.out"
    for part in $parts; do
        set -- "$exe.out".*[0-9]
        verdict=$(compare "$exe.out.$part")
        [ "$verdict" = SAME ] && [ $# -eq "$(echo "$parts" | wc -w)" ] || {
            echo "${verdict#SAME} in part $part of a program with $# parts" && return
        }
    done
    echo SAME
}

# build_several: builds a program with every instruction set of this CPU, one object for each. Objects are C and C++ in
# turn, compiled by one compiler or by both in turn. An object may define only the name by which it is called, so that
# no function for one instruction set can replace that of another.
build_several() {
    parts= objects= names= n=0 all_cc=$cc # compile() changes cc
    all_nm=nm
    case $opts in
    *-flto*) [ "$cc" = gcc ] && all_nm=gcc-nm || all_nm=llvm-nm ;;
    esac
    for isa in $(cpu_isas) scalar; do # scalar again, in the other language
        n=$((n + 1)) part_cc=$all_cc part_std=c99
        [ $((n % 2)) = 1 ] || part_std=c++11
        [ "$all_cc" != both ] || { [ $((n % 2)) = 1 ] && part_cc=gcc || part_cc=clang; }
        # shellcheck disable=SC2046,SC2086
        compile . "$exe.$n.o" "$part_cc" "$part_std" $flags $(isa_flags "$isa") -c -DHASH_MAIN="hash_$n" || return
        $all_nm "$exe.$n.o" | awk '$(NF - 1) ~ /^[A-TV-Zuvw]$/ { print $NF }' >"$exe.symbols"
        echo "hash_$n" | cmp -s - "$exe.symbols" || {
            echo "SEVERAL: $isa shares symbols:" $(grep -v "^hash_$n\$" "$exe.symbols" | head -n 5)
            return 1
        }
        parts="$parts $n" objects="$objects $exe.$n.o" names="$names X(hash_$n)"
    done
    [ "$all_cc" != both ] || all_cc=gcc
    # shellcheck disable=SC2086
    $(command_of "$all_cc" c99) -std=c99 "-DSEVERAL=$names" tests/unit/hash_several.c $opts $objects -o "$exe" $libs
    status=$?
    # shellcheck disable=SC2086
    rm -f $objects
    return $status
}

# build_clangcl: compiles with clang in the place of cl, and links the object to the library of mingw-w64 with its gcc.
build_clangcl() {
    case $isa in
    plain) arch= ;;
    scalar) arch=-DPE_ISA=PE_ISA_SCALAR ;;
    avx2) arch=/arch:AVX2 ;;
    avx512) arch=/arch:AVX512 ;;
    esac
    case $opts in *-ffast-math*) arch="$arch /fp:fast" ;; esac
    # shellcheck disable=SC2086
    set -- $CLANG --driver-mode=cl --target=x86_64-pc-windows-msvc /W4 /WX /O2 /GS- /Zl $arch \
        /clang:-mno-stack-arg-probe -imsvc tests/checks/stub -I. -DHASH_MAIN=hash_cl -c tests/unit/hash.c "/Fo$exe.obj"
    echo "+ $*"
    "$@" && x86_64-w64-mingw32-gcc "-DSEVERAL=X(hash_cl)" tests/unit/hash_several.c tests/checks/stub/library.c \
        "$exe.obj" -o "$exe"
}

# compare FILE [SECTIONS]: compares the output of a build with the golden hashes, in all sections or in the first ones.
compare() {
    grep -v '^#' "$1" >"$1.lines"
    count=${2:-0}
    [ "$count" -gt 0 ] || count=$(wc -l <"$WORK/golden")
    head -n "$count" "$WORK/golden" | cmp -s - "$1.lines" && {
        echo SAME
        return
    }
    section=$(head -n "$count" "$WORK/golden" | diff - "$1.lines" | sed -n 's/^[<>] //p' | head -n 1)
    echo "DIFFERS first in section: $section"
}

# control DEFECT FILE ISA: puts a defect into a header, builds it, and prints the verdict. Some section must differ.
control() {
    copy=$WORK/control-$1
    mkdir -p "$copy"
    cp pe.h pe_simd.h "$copy/"
    sh tests/tools/mutate.sh "$2" "$1" >"$copy/$2" || {
        echo "BROKEN the control found no place for its defect"
        return
    }
    # shellcheck disable=SC2046
    compile "$copy" "$copy/exe" gcc c99 -O0 $(isa_flags "$3") -DPE_SLEEF=0 -lm >"$copy/log" 2>&1 || {
        echo "BROKEN the control does not compile"
        return
    }
    "$copy/exe" >"$copy/out"
    case $(compare "$copy/out") in
    DIFFERS*) echo CAUGHT ;;
    *) echo "BROKEN a defect was not noticed: $1" ;;
    esac
}

case ${1:-all} in
list)
    list_cells
    exit
    ;;
cell)
    if [ "${QUIET:-0}" = 1 ]; then
        start=$(date +%s)
        run_cell "$2" >"$WORK/$2.log" 2>&1
        echo $(($(date +%s) - start)) >"$WORK/$2.seconds"
        exit 0 # the verdict is in the log
    fi
    run_cell "$2"
    exit
    ;;
esac

rm -rf "$WORK"
mkdir -p "$WORK"
have "$GCC" || skip "$GCC is missing"
(MATRIX=all && list_cells) >"$WORK/cells"
check_pairs || exit 1
list_cells >"$WORK/cells"
if [ -n "${CELLS:-}" ]; then
    grep -E "$CELLS" "$WORK/cells" >"$WORK/some" && mv "$WORK/some" "$WORK/cells" || exit 1
fi
cpu_isas >/dev/null
have_library sleef "$GCC" && : >"$WORK/sleef"
grep -v '^#' tests/golden.txt >"$WORK/golden"
[ -s "$WORK/golden" ] || { echo "tests/golden.txt is empty" && exit 1; }
total=$(wc -l <"$WORK/cells")

# Cells with several builds and those under an emulator take longest, so they begin first.
export QUIET=1
for pass in "-E" "-v -E"; do
    # shellcheck disable=SC2086
    grep -n . "$WORK/cells" | grep $pass "^[0-9]*:(several|nehalem|qemumax|arm64|mingw|clangcl|newlib|$(echo "$MATRIX_MACHINES" | tr ' ' '|')) " |
        cut -d: -f1
done |
    xargs -P "$JOBS" -n 1 sh tests/tools/matrix.sh cell

n=0
while [ $n -lt "$total" ]; do
    n=$((n + 1))
    printf '%-40s | %4ss | %s\n' "$(tail -n 1 "$WORK/$n.log" 2>/dev/null)" \
        "$(cat "$WORK/$n.seconds" 2>/dev/null)" "$n: $(sed -n "${n}p" "$WORK/cells")"
done >"$WORK/table"
controls=0
put_control() { # VERDICT NAME
    controls=$((controls + 1))
    printf '%-40s |       | %s\n' "$1" "control: $2" >>"$WORK/table"
}
# With CELLS, which tests/tools/selfcheck.sh sets, the cells have to notice a defect, so there are no controls.
[ -n "${CELLS:-}" ] || put_control "$(control constant pe.h scalar | tail -n 1)" "a constant with a wrong last bit"
[ -n "${CELLS:-}" ] || ! cpu_has avx2 || put_control "$(control swapped-avx2 pe_simd.h avx2 | tail -n 1)" "swapped lanes in AVX2"

count() { grep -c "^$1" "$WORK/table"; }
same=$(count SAME) refused=$(count REFUSED) caught=$(count CAUGHT) skipped=$(count SKIP)
failed=$((total + controls - same - refused - caught - skipped))
echo
cat "$WORK/table"
if [ "$failed" -gt 0 ]; then
    echo
    echo "Not the same bits (tests/tools/matrix.sh cell N shows one):"
    grep -v -E '^(SAME|REFUSED|CAUGHT|SKIP)' "$WORK/table"
fi
grep '^SKIP' "$WORK/table" | sed 's/ *|.*//' | sort | uniq -c |
    sed 's/^ *\([0-9]*\) SKIP \(.*\)/SKIP: \1 cells: \2/'
elements=$(sed -n 's/.* \([0-9]*\) elements.*/\1/p' "$WORK/golden" | awk '{ n += $1 } END { print n }')
echo "INFO: $same builds agree over $elements elements, $refused refused (fast-math), $skipped skipped (tests/tools/deps.sh matrix)"
echo "$((same + refused + caught)) passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
