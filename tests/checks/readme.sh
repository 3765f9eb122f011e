#!/bin/sh
# SPDX-License-Identifier: MIT
#
# readme.sh: checks that every ```c block of README.md and docs/*.md is a complete program. It compiles without a
# warning as C and as C++, with SLEEF and without, prints the same each time, and prints what its comments "prints ..."
# say. README.md's own commands also compile its programs, next to the headers and pe.c, whatever is installed.
# README.md has at most 180 lines, and in the first 60 a program with a table and one with RoPE.
#
#   readme.sh         compiles the programs in all of these ways
#   readme.sh some    compiles those of README.md with its own command, and all as C99 without SLEEF and optimiser, in
#                     10 % of the time
set -u
. tests/tools/lib.sh
WORK=$BUILD/readme
rm -rf "$WORK"
mkdir -p "$WORK"
page_programs "$WORK" || exit 1
lines=$(wc -l <README.md)
check "README.md has $lines lines of at most 180" test "$lines" -le 180
head -n 60 README.md | awk '/^```c$/ { on = 1; code = "" } on { code = code $0 } /^```$/ { on = 0; print code }' >"$WORK/first"
for call in pe_sinusoidal_f32 pe_rope; do
    check "$call in a program in the first 60 lines of README.md" grep -q "$call.*\`\`\`" "$WORK/first"
done
reference=

run() { # NAME RUNNER COMPILER FLAGS...
    name=$1 runner=$2
    shift 2
    if ! have "$1"; then
        skipping "programs as $name: $1 is missing"
        return
    fi
    rm -f "$WORK/program"
    if "$@" >"$WORK/log" 2>&1 && $runner "$WORK/program" >"$WORK/out" 2>&1 && [ -s "$WORK/out" ] &&
        { [ -z "$reference" ] || cmp -s "$reference" "$WORK/out"; }; then
        echo "ok   $name"
        passed=$((passed + 1))
        [ -n "$reference" ] || { reference=$WORK/reference && cp "$WORK/out" "$reference" && cat "$reference"; }
    else
        echo "FAIL $name: $*"
        cat "$WORK/log" "$WORK/out" 2>/dev/null
        failed=$((failed + 1))
    fi
}

by_hand() { # SOURCE COMMAND
    cp "$1" "$WORK/program.c"
    (cd "$WORK" && $2 $EXTRA_CFLAGS -o program)
}

sed -n 's/^    \(cc -.* program\.c .*\)/\1/p' README.md >"$WORK/ways"
command=$(head -n 1 "$WORK/ways")
check "README.md says how to compile them: $command" test -n "$command"
once=$(sed -n '2s/program\.c pe\.c/program.c pe.o/p' "$WORK/ways")
check "... and how with pe.c: $(sed -n 2p "$WORK/ways")" test -n "$once"
command="$CC ${command#cc }"
cp pe.h pe_simd.h pe.c "$WORK"
once_flags=$(echo "$once" | sed 's/^cc //; s/ program\.c.*//')
if [ "${1:-}" != some ]; then
    # shellcheck disable=SC2086
    check "... which compiles pe.c once for all of them" "$CC" $once_flags $EXTRA_CFLAGS -c pe.c -o "$WORK/pe.o"
fi
out="-I. -o $WORK/program"
for source in "$WORK"/*.[0-9]*.c; do # not pe.c
    echo "$source"
    reference=
    # The programs of README.md are compiled as a reader compiles them. The others are compiled without optimiser, which
    # takes 25 % of the time.
    case ${1:-all}.${source##*/} in
    all.README.*) level=-O2 ;;
    *) level=-O0 ;;
    esac
    # shellcheck disable=SC2086
    {
        run "C99, no SLEEF" "" "$CC" -std=c99 $level $WARNINGS $out "$source" -lm
        sed -n 's,^/\* prints \(.*\) \*/$,\1,p' "$source" >"$WORK/prints"
        while read -r line; do
            check "prints $line" grep -qwF -e "$line" "$WORK/out"
        done <"$WORK/prints"
        case ${1:-all}.${source##*/} in
        *.README.*) run "$command" "" by_hand "$source" "$command" ;;
        esac
        [ "${1:-}" != some ] || continue
        case ${source##*/} in
        README.*)
            run "$once" "" by_hand "$source" "$CC ${once#cc }"
            run "... in C++" "" "$GXX" -x c++ -std=c++11 $once_flags -DPE_EXTERN $out "$source" -x none "$WORK/pe.o" -lm
            ;;
        esac
        run "C++11, no SLEEF" "" "$GXX" -x c++ -std=c++11 $level $WARNINGS $out "$source" -lm
        run "clang, C17" "" "$CLANG" -std=c17 $level $WARNINGS $out "$source" -lm
        if [ "$SLEEF" != 0 ] && have_library sleef "$CC"; then
            run "C99, SLEEF, best ISA" "" "$CC" -std=c99 $level $WARNINGS $EXTRA_CFLAGS $(isa_flags "$(best_isa)") \
                -DPE_SLEEF=1 $out "$source" -lsleef -lm
        else
            skipping "programs with SLEEF: libsleef is missing or off"
        fi
        if cpu_has neon; then
            true
        elif ! have_arm64; then
            skipping "programs on AArch64: $ARM64_GCC or $QEMU_ARM64 is missing"
        else
            run "AArch64" arm64_run "$ARM64_GCC" -std=c99 $level $WARNINGS $out "$source" -lm
        fi
    }
done
# sizes: checks the tables of sizes on two pages, which are measured with programs of bench/cost.c.
sizes() {
    python3 bench/cost.py --sizes docs/adopting.md docs/building.md --check >"$WORK/sizes" 2>&1
    status=$?
    cat "$WORK/sizes"
    [ $status -eq 0 ] || grep -q ^SKIP "$WORK/sizes"
}
if [ "${1:-}" != some ] && have python3; then
    check "the sizes of docs/adopting.md and docs/building.md are those of bench/cost.c" sizes
    ! grep -q ^SKIP "$WORK/sizes" || skipping "$(sed 's/^SKIP: //' "$WORK/sizes")"
elif [ "${1:-}" != some ]; then
    skipping "python3 is missing: the tables of sizes"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
