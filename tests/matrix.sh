#!/bin/sh
# SPDX-License-Identifier: MIT
#
# matrix.sh: the same bits everywhere. Builds tests/hash.c in every way named below, runs each
# build, and compares its hashes with those of the golden build: gcc -O2 -std=c99, scalar, no SLEEF,
# whose hashes have to be those of tests/golden.txt.
#
#   native   {every ISA of this CPU} x {gcc, clang} x {8 optimisation levels} x {SLEEF, none}, with
#            the language standards C99, C11, C17, C++11, C++17 dealt out so that each meets every
#            value of every other factor; scalar code with hardware FMA; what -march=native picks
#   arm64    NEON and scalar, gcc and clang, SLEEF and none, under qemu-user
#   x86 qemu the scalar code on a CPU without AVX or FMA; AVX2 where this CPU has none
#   control  headers with one constant changed in its last bit must be caught
#
# -ffast-math and -Ofast may be refused by an #error that names fast-math; that counts as agreement
# and is reported. Wrong bits never are.
#
#   matrix.sh           run everything, on all cores (JOBS=n: on n)
#   CELLS=regex matrix.sh   only the cells whose line matches
#   MATRIX=some matrix.sh   one cell of seven, as `make test` does
#   matrix.sh list      print the cells
#   matrix.sh cell N    run cell N alone and show what it did
set -u
. tests/lib.sh

WORK=$BUILD/matrix
QEMU_SECTIONS=${QEMU_SECTIONS:-0} # sections of tests/hash.c that an emulator runs; 0: all

# One cell a line: KIND COMPILER STD ISA SLEEF OPTIMISATION...
list_cells() {
    {
        for isa in scalar avx2 avx512 neon; do
            case $(uname -m):$isa in
            x86_64:neon | amd64:neon | aarch64:avx* | arm64:avx*) continue ;;
            esac
            for cc in gcc clang; do
                for sleef in sleef none; do
                    for opt in -O0 -O1 -O2 -O3 -Os "-O2 -ffp-contract=fast" "-O2 -ffast-math" -Ofast; do
                        echo "native $cc STD $isa $sleef $opt"
                    done
                done
            done
        done
        case $(uname -m) in
        x86_64 | amd64)
            for cc in gcc clang; do
                for sleef in sleef none; do
                    echo "native $cc STD scalarfma $sleef -O2"
                    echo "native $cc STD scalarfma $sleef -O3 -ffp-contract=fast"
                    echo "native $cc STD default $sleef -O2"
                    echo "nehalem $cc c99 scalar $sleef -O2"
                done
                cpu_has avx2 || echo "qemumax $cc c99 avx2 sleef -O2"
            done
            for isa in neon scalar; do
                for sleef in sleef none; do
                    for cc in gcc clang; do
                        echo "arm64 $cc c99 $isa $sleef -O2"
                        echo "arm64 $cc c11 $isa $sleef -O3 -ffp-contract=fast"
                    done
                    echo "arm64 gcc c99 $isa $sleef -O0"
                    echo "arm64 gcc c17 $isa $sleef -Ofast"
                    echo "arm64 clang c99 $isa $sleef -Ofast"
                done
            done
            ;;
        esac
    } | awk '
        BEGIN { n = split("c99 c11 c17 c++11 c++17", std) }
        # The standards advance by 1 a line, and by 1 more after each group of eight optimisations,
        # so that no standard is tied to a level.
        $3 == "STD" { $3 = std[1 + (line + int(line / 8)) % n]; line++ }
        { print }'
}

# Do the native cells cover every pair of values of two factors?
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

# Compile tests/hash.c against the headers in $1 into $2, with the given flags: COMPILER STD FLAGS...
compile() {
    headers=$1 out=$2 cc=$3 std=$4
    shift 4
    language=
    case $cc:$std in
    *:c++*) language="-x c++" ;;
    esac
    case $cc:$std in
    gcc:c++*) cc=$GXX ;;
    gcc:*) cc=$GCC ;;
    clang:c++*) cc=$CLANGXX ;;
    clang:*) cc=$CLANG ;;
    esac
    # shellcheck disable=SC2086
    set -- $cc -std="$std" $WARNINGS $EXTRA_CFLAGS -I"$headers" $language tests/hash.c -o "$out" "$@"
    echo "+ $*"
    "$@"
}

# Run one cell; the last line printed is its verdict: SAME, REFUSED, SKIP why, DIFFERS where, BROKEN how.
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
    sections=$QEMU_SECTIONS
    runner=
    flags="$opts $(isa_flags "$isa")"
    if [ "$kind" = native ]; then
        sections=0
        [ "$isa" = default ] || cpu_has "${isa%fma}" || { echo "SKIP this CPU has no $isa" && return; }
        [ "$isa" != scalarfma ] || cpu_has avx2 || { echo "SKIP this CPU has no FMA" && return; }
    elif [ "$kind" = arm64 ]; then
        have_arm64 || { echo "SKIP $ARM64_GCC or $QEMU_ARM64 is missing" && return; }
        runner=arm64_run
    else
        have "$QEMU_X86" || { echo "SKIP $QEMU_X86 is missing" && return; }
        case $kind in
        nehalem) runner="$QEMU_X86 -cpu Nehalem" ;;
        qemumax) runner="$QEMU_X86 -cpu max" ;;
        esac
    fi
    if [ "$cc" = gcc ]; then have "$GCC"; else have "$CLANG"; fi || {
        echo "SKIP $cc is missing" && return
    }
    case $std in
    c++*) if [ "$cc" = gcc ]; then have "$GXX"; else have "$CLANGXX"; fi || {
        echo "SKIP $cc has no C++" && return
    } ;;
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
        else
            CLANG="$CLANG --target=aarch64-linux-gnu"
        fi
    fi
    # shellcheck disable=SC2086
    if ! compile . "$exe" "$cc" "$std" $flags $libs >"$exe.log" 2>&1; then
        cat "$exe.log"
        case $opts in
        *fast-math* | *Ofast*)
            if grep -q 'pe[a-z_]*\.h:[0-9]*:[0-9]*: error:.*fast-math' "$exe.log"; then
                echo REFUSED
                return
            fi
            ;;
        esac
        echo "BROKEN it does not compile"
        return
    fi
    cat "$exe.log"
    $runner "$exe" "$sections" >"$exe.out" 2>&1
    status=$?
    rm -f "$exe"
    cat "$exe.out"
    [ $status -eq 0 ] || { echo "BROKEN exit status $status" && return; }
    compare "$exe.out"
}

# Compare a run with the golden one: as many sections as it has, and at least one.
compare() {
    grep -v '^#' "$1" >"$1.lines"
    count=$(wc -l <"$1.lines")
    grep -v '^#' "$WORK/golden" | head -n "$count" | cmp -s - "$1.lines" && [ "$count" -gt 0 ] && {
        echo SAME
        return
    }
    section=$(grep -v '^#' "$WORK/golden" | diff - "$1.lines" | sed -n 's/^> //p' | head -n 1)
    echo "DIFFERS first in section: $section"
}

golden() {
    have "$GCC" || skip "$GCC is missing: there is no golden build"
    # shellcheck disable=SC2046
    compile . "$WORK/golden.exe" gcc c99 -O2 $(isa_flags scalar) -DPE_SLEEF=0 -lm &&
        "$WORK/golden.exe" >"$WORK/golden" && sh tests/golden.sh check "$WORK/golden"
}

# Headers with one constant changed in its last bit: some section must differ. Prints the verdict.
control() {
    mkdir -p "$WORK/control"
    cp pe_simd.h "$WORK/control/"
    sh tests/mutate.sh pe.h constant >"$WORK/control/pe.h" || {
        echo "BROKEN the control found no constant to change"
        return
    }
    # shellcheck disable=SC2046
    compile "$WORK/control" "$WORK/control.exe" gcc c99 -O2 $(isa_flags scalar) -DPE_SLEEF=0 -lm &&
        "$WORK/control.exe" >"$WORK/control.out" || {
        echo "BROKEN the control does not compile"
        return
    }
    case $(compare "$WORK/control.out") in
    DIFFERS*) echo CAUGHT ;;
    *) echo "BROKEN a constant with a wrong last bit was not noticed" ;;
    esac
}

case ${1:-all} in
list)
    list_cells
    exit
    ;;
cell)
    if [ "${QUIET:-0}" = 1 ]; then
        run_cell "$2" >"$WORK/$2.log" 2>&1
        exit 0 # the verdict is in the log
    fi
    run_cell "$2"
    exit
    ;;
esac

rm -rf "$WORK"
mkdir -p "$WORK"
list_cells >"$WORK/cells"
check_pairs || exit 1
if [ "${MATRIX:-all}" = some ]; then # a seventh, which is no multiple of anything here
    awk 'NR % 7 == 4' "$WORK/cells" >"$WORK/some" && mv "$WORK/some" "$WORK/cells"
fi
if [ -n "${CELLS:-}" ]; then
    grep -E "$CELLS" "$WORK/cells" >"$WORK/some" && mv "$WORK/some" "$WORK/cells" || exit 1
fi
cpu_isas >/dev/null
have_library sleef "$GCC" && : >"$WORK/sleef"
golden || exit $?
cat "$WORK/golden"
total=$(wc -l <"$WORK/cells")

# The slow ones first, so that none is left over at the end.
export QUIET=1
grep -n . "$WORK/cells" | sort -t: -k2,2 -s | cut -d: -f1 |
    xargs -P "$JOBS" -n 1 sh tests/matrix.sh cell

n=0
while [ $n -lt "$total" ]; do
    n=$((n + 1))
    printf '%-40s | %s\n' "$(tail -n 1 "$WORK/$n.log" 2>/dev/null)" "$n: $(sed -n "${n}p" "$WORK/cells")"
done >"$WORK/table"
printf '%-40s | %s\n' "$(control 2>&1 | tail -n 1)" "control: a constant with a wrong last bit" >>"$WORK/table"

count() { grep -c "^$1" "$WORK/table"; }
same=$(count SAME) refused=$(count REFUSED) caught=$(count CAUGHT) skipped=$(count SKIP)
failed=$((total + 1 - same - refused - caught - skipped))
echo
cat "$WORK/table"
if [ "$failed" -gt 0 ]; then
    echo
    echo "Not the same bits (tests/matrix.sh cell N shows one):"
    grep -v -E '^(SAME|REFUSED|CAUGHT|SKIP)' "$WORK/table"
fi
grep '^SKIP' "$WORK/table" | sed 's/ *|.*//' | sort | uniq -c |
    sed 's/^ *\([0-9]*\) SKIP \(.*\)/SKIP: \1 cells: \2/'
elements=$(sed -n 's/.* \([0-9]*\) elements.*/\1/p' "$WORK/golden" | awk '{ n += $1 } END { print n }')
echo "INFO: $same builds agree over $elements elements, $refused refused (fast-math), $skipped skipped"
echo "$((same + refused + caught)) passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
