#!/bin/sh
# SPDX-License-Identifier: MIT
#
# selfcheck.sh: checks that the tests notice defects. Each line that begins with `breaks` puts one defect into a copy of
# the tree (tests/tools/mutate.sh) and runs the gate, that is, the test which must notice it. The gate must succeed
# before and fail after.
#
#   selfcheck.sh               runs all lines, in JOBS lanes at the same time
#   selfcheck.sh lane N        runs one of these lanes, which always takes the next line that no other has taken
#   selfcheck.sh only DEFECT   runs one defect, for example that of a new line
#   selfcheck.sh places        runs no gate, but checks that each defect finds its place in its file (checks/defects.sh)
set -u
. tests/tools/lib.sh
mode=${1:-all} wanted=${2:-}
ALL=$PWD/$BUILD/selfcheck
[ "$mode" != places ] || ALL=$PWD/$BUILD/defects # both may run at the same time
WORK=$ALL/lane.${2:-main}
unset MAKEFLAGS MAKELEVEL
number=0
if [ "$mode" != lane ]; then
    rm -rf "$ALL"
    mkdir -p "$ALL"
fi
mkdir -p "$WORK"

ok() {
    printf 'ok    %s\n' "$*"
    passed=$((passed + 1))
}
bad() {
    printf 'FAIL  %s\n' "$*"
    failed=$((failed + 1))
}

fresh_tree() {
    rm -rf "$WORK/tree"
    mkdir -p "$WORK/tree/build"
    cp -R pe.h pe_simd.h pe_fixed.* src tests examples Makefile "$WORK/tree/"
    cp -R generate packaging .github bench docs CMakeLists.txt README.md CHANGELOG.md LICENSE "$WORK/tree/"
    for hidden in .ci .gitattributes; do [ ! -e $hidden ] || cp -R $hidden "$WORK/tree/"; done
    [ ! -d "$BUILD/arm64" ] || ln -s "$PWD/$BUILD/arm64" "$WORK/tree/build/arm64"
}

gate() { (cd "$WORK/tree" && BUILD=build STRICT=0 JOBS=1 "$@") >"$WORK/log" 2>&1 </dev/null; }

# breaks FILE DEFECT GATE...: checks that the gate succeeds on the tree as it is, and fails with the defect.
breaks() {
    number=$((number + 1))
    [ "$mode" != only ] || [ "$2" = "$wanted" ] || return 0
    mkdir "$ALL/taken.$number" 2>/dev/null || return 0
    file=$1 defect=$2
    shift 2
    [ -f "$file" ] || { bad "$defect: there is no $file" && return; }
    if [ "$mode" = places ]; then
        if sh tests/tools/mutate.sh "$file" "$defect" >"$WORK/mutated"; then
            ok "$defect in $file"
        else
            bad "$defect: no place in $file"
        fi
        return
    fi
    fresh_tree
    green=$ALL/green.$(echo "$*" | cksum | tr ' ' .)
    if [ ! -f "$green" ]; then
        gate "$@"
        status=$?
        if [ $status -ne 0 ]; then
            bad "$defect: the gate is not green to begin with (status $status): $*"
            tail -n 5 "$WORK/log"
            return
        fi
        touch "$green"
        fresh_tree
    fi
    sh tests/tools/mutate.sh "$file" "$defect" >"$WORK/mutated" || { bad "$defect: no place for it" && return; }
    cp "$WORK/mutated" "$WORK/tree/$file"
    # Any test would notice a defect that does not compile, so such a defect is an error.
    case $file in
    *.h)
        echo '#include "pe.h"' | "$GCC" -std=c99 -w -I"$WORK/tree" -DPE_SLEEF=0 -fsyntax-only -x c - || {
            bad "$defect in $file: does not compile"
            return
        }
        ;;
    esac
    if gate "$@"; then
        bad "$defect in $file: not noticed by: $*"
    else
        status=$?
        if [ $status -eq 77 ]; then
            bad "$defect: the gate was skipped: $*"
        else
            ok "$defect in $file: noticed by: $*"
        fi
    fi
}

unit() { echo "sh tests/tools/unit.sh $1"; }

defects_of_the_library() {
    # shellcheck disable=SC2046
    {
        breaks pe.h sign $(unit seeds.gcc.best.none)
        breaks pe.h sign $(unit exact.gcc.scalar.none.quick)
        breaks pe.h constant $(unit exact.gcc.best.none.quick)
        breaks pe.h series $(unit exact.gcc.best.none.quick)
        breaks pe.h logarithm $(unit exact.gcc.best.none.quick)
        breaks pe.h no-rounding-test $(unit exact.gcc.best.none.quick)
        breaks pe.h fuzz-range $(unit errors.gcc.best.none)
        breaks pe.h short-window $(unit budget.gcc.best.none.quick)
        breaks pe.h slow $(unit budget.gcc.best.none.quick)
        breaks pe.h niven $(unit theorem.gcc.best.none.quick)
        for defect in undecided small-cosine zero-sign sincos-low interval-of-0; do
            breaks pe.h $defect $(unit theorem.gcc.best.none.quick)
        done
        breaks pe.h still sh tests/checks/levels.sh
        breaks pe.h tile-first sh tests/checks/levels.sh
        breaks pe.h rope-constant $(unit rope_frequencies.gcc.best.none.quick)
        breaks pe.h rope-part $(unit rope_frequencies.gcc.best.none.quick)
        for defect in list-still list-order block-table; do
            breaks pe.h $defect $(unit lists.gcc.best.none.quick)
        done
        for defect in table-matrix table-back table-row; do
            breaks pe.h $defect $(unit tables.gcc.best.none.quick)
        done
        for defect in kept-row kept-padding; do
            breaks pe.h $defect $(unit repeats.gcc.best.none.quick)
        done
        breaks pe.h rope-floor $(unit rope_frequencies.gcc.best.none.quick)
        for defect in sums steps no-weight xpos-tie; do
            breaks pe.h $defect $(unit models.gcc.best.none.quick)
        done
        breaks pe_simd.h swapped $(unit seeds.gcc.best.none)
        breaks pe_simd.h overrun $(unit alibi.gcc.best.none.quick)
        breaks pe.h alibi-far $(unit alibi.gcc.best.none.quick)
        breaks pe_simd.h overrun $(unit alibi.gcc.scalar.none.quick)
        breaks pe_simd.h overrun $(unit memory.gcc.sse2.none.quick)
        breaks pe_simd.h overrun $(unit memory.gcc.best.none.quick)
        breaks pe.h small-array $(unit splits.gcc.best.none.asan.o0.quick)
        breaks pe.h streamed-head $(unit memory.gcc.best.none.stream0.quick)
        breaks pe.h streamed-apart $(unit splits.gcc.best.sleef.stream0.quick)
        breaks pe.h streamed-room $(unit bounds.gcc.scalar.none.stream0.o0.quick)
        ! cpu_has avx512 || breaks pe.h beyond-arrays $(unit bounds.gcc.avx512.none.stream0.quick)
        ! have "$CLANG" || breaks pe.h nan-is-zero $(unit errors.fast.best.none.quick.linked)
        breaks pe.h small-array $(unit splits.clang.best.none.asan.o0.quick)
    }
    # shellcheck disable=SC2046
    {
        breaks pe.h constant $(unit selftest.gcc.best.none)
        breaks pe.h selftest $(unit selftest.gcc.best.none)
        breaks pe.h alibi-zero $(unit selftest.gcc.best.none)
        breaks pe.h alibi-mask $(unit selftest.gcc.best.none)
        breaks pe_simd.h round $(unit selftest.gcc.best.none)
        for defect in back delta skip failed-plan; do
            breaks pe.h $defect $(unit at.gcc.best.none.o0.quick)
        done
        breaks pe.h constant sh tests/checks/golden.sh
        breaks tests/golden.txt golden sh tests/checks/golden.sh
        breaks pe.h no-rounding-test sh tests/checks/certify.sh some
        breaks pe.h constant sh tests/checks/certify.sh some
        breaks tests/checks/certify.c oracle sh tests/checks/certify.sh some
    }
    if cpu_has avx2; then
        # shellcheck disable=SC2046
        breaks pe.h fused $(unit eager.gcc.avx2.none.quick)
        breaks pe_simd.h shown-products sh tests/checks/unfused.sh
        breaks pe_simd.h swapped-avx2 env "CELLS=native gcc c.* avx2 none" sh tests/tools/matrix.sh
        breaks pe_simd.h swapped-avx2 env "CELLS=several gcc .* -O0" sh tests/tools/matrix.sh
    else
        skipping "this CPU has no AVX2"
    fi
    breaks pe.h shared-inline env "CELLS=several gcc .* -O0" sh tests/tools/matrix.sh
    # Here the library is compiled once, and the programs are linked with it, as in `make test`.
    # shellcheck disable=SC2046
    {
        breaks pe.h constant $(unit exact.best)
        breaks pe.h fuzz-lookup $(unit memory.best)
        breaks pe_simd.h overrun $(unit alibi.best)
        breaks pe_simd.h swapped $(unit hash.best)
        breaks tests/golden.txt golden $(unit hash.best)
        breaks pe.h unexported sh tests/tools/linked.sh best
        breaks README.md program sh tests/checks/readme.sh some
        breaks pe.h constant make quick
        breaks pe.h fuzz-lookup make quick
        breaks pe_simd.h overrun make quick
        breaks pe.h warning make quick
        breaks tests/golden.txt golden make quick
    }
    # These defects are found with the inputs that are kept for the fuzzing harnesses.
    for defect in fuzz-size fuzz-coordinate fuzz-sincos; do
        breaks pe.h $defect env FUZZ_REPLAY=gcc sh tests/fuzz/run.sh replay api
    done
    for defect in fuzz-heads fuzz-still; do
        breaks pe.h $defect env FUZZ_REPLAY=gcc sh tests/fuzz/run.sh replay rope
    done
    for defect in fuzz-lookup fuzz-t5 fuzz-log; do
        breaks pe.h $defect env FUZZ_REPLAY=gcc sh tests/fuzz/run.sh replay tables
    done
    if cpu_has avx2; then
        breaks pe_simd.h swapped-avx2 env FUZZ_REPLAY=gcc sh tests/fuzz/run.sh replay simd
    else
        skipping "this CPU has no AVX2"
    fi
    breaks pe_simd.h fast-math env "CELLS=native gcc .* avx2 none .*(fast|Ofast)" sh tests/tools/matrix.sh
    breaks pe_simd.h any-isa sh tests/checks/fail.sh
    breaks pe_simd.h header-unit sh tests/checks/fail.sh
    breaks src/simd/choice.h zen-4 sh tests/checks/cpus.sh
    breaks src/simd/choice.h zen-5 sh tests/checks/cpus.sh
    breaks pe.h undescribed sh tests/checks/api.sh
    breaks pe.h stamped sh tests/checks/api.sh
    breaks tests/unit/api.h uncalled sh tests/checks/api.sh
    if have python3; then
        breaks generate/declarations.py lost-field sh tests/checks/layout.sh
        breaks pe.h new-field sh tests/checks/layout.sh
    else
        skipping "python3, numpy or json-c is missing"
    fi
    breaks pe.h unwritten sh tests/checks/unwritten.sh
    breaks tests/unit/api.h uncalled sh tests/checks/unwritten.sh
    breaks pe.h extra-name sh tests/checks/extern.sh
    breaks pe.h constant sh tests/checks/headers.sh
    breaks docs/names.md lost-name sh tests/checks/headers.sh
    breaks .gitattributes unmarked sh tests/checks/headers.sh
    breaks docs/design.md lost-call sh tests/checks/structure.sh path
    breaks src/numbers/sizes.h room-circle sh tests/checks/structure.sh circles
    breaks src/positions/read.h room-wide sh tests/checks/structure.sh size
    breaks src/positions/read.h room-large sh tests/checks/structure.sh functions
    breaks src/scores/bias.h room-arrow sh tests/checks/structure.sh picture
    breaks src/positions/check.h room-alone sh tests/checks/structure.sh alone
    breaks pe.h index sh tests/tools/analyze.sh cppcheck
    if python3 -c 'import numpy' 2>/dev/null; then
        breaks pe_simd.h swapped sh tests/checks/parity.sh
        breaks python/posenc/_memory.py loose-rows sh tests/checks/python.sh
        breaks python/posenc/_at.py loose-list sh tests/checks/python.sh
        breaks docs/models.md row sh tests/checks/parity.sh
    else
        skipping "python3, numpy or json-c is missing"
    fi
    if have python3 && have_library json-c "$CC"; then
        breaks pe.h rope-floor sh tests/checks/tool.sh
        breaks tool/model/rope.h unseen-key sh tests/checks/tool.sh
        breaks tool/model/names.h missing-name sh tests/checks/tool.sh
    else
        skipping "python3, numpy or json-c is missing"
    fi
    breaks pe.h warning sh tests/checks/warnings.sh
    breaks pe.h malloc sh tests/checks/names.sh
    breaks pe.h leaked-macro sh tests/checks/names.sh
    breaks README.md program sh tests/checks/readme.sh
    breaks README.md long sh tests/checks/readme.sh
    breaks docs/rope.md program sh tests/checks/readme.sh
    breaks docs/models.md printed sh tests/checks/readme.sh some
    breaks docs/from-ggml.md any-mode sh tests/checks/readme.sh some
    breaks docs/from-ggml.md factors-behind sh tests/checks/pages.sh
    breaks README.md link sh tests/checks/links.sh
    breaks docs/accuracy.md heading sh tests/checks/links.sh
    breaks docs/design.md old-name sh tests/checks/links.sh
    breaks docs/explorer.html old-page sh tests/checks/explorer.sh
    if echo 'int main(void) { return 0; }' | links "$CC" -lOpenCL; then
        breaks pe_fixed.h fixed-constant sh tests/checks/gpu.sh opencl
    fi
    if echo 'int main(void) { return 0; }' | links "$CC" -lvulkan; then
        breaks examples/gpu/pe_fixed.glsl fixed-constant sh tests/checks/gpu.sh vulkan
    fi
    ! have chromium || breaks pe_fixed.wgsl fixed-constant sh tests/checks/gpu.sh webgpu
    ! have qemu-system-arm || breaks pe_fixed.h fixed-constant sh tests/checks/microcontroller.sh
    breaks pe.h version sh tests/checks/package.sh
    breaks packaging/posencTarget.cmake sleef-macro sh tests/checks/package.sh
    breaks packaging/posencTarget.cmake sleef-anyway sh tests/checks/package.sh
    breaks packaging/posencTarget.cmake compiled-seen sh tests/checks/package.sh
    breaks packaging/posencConfig.cmake.in any-component sh tests/checks/package.sh
    breaks CMakeLists.txt aliased sh tests/checks/package.sh
    breaks meson.build other-place sh tests/checks/package.sh
    breaks packaging/debian/libposenc-dev.install lost-file sh tests/checks/debian.sh
    breaks generate/api.py lost-members sh tests/checks/api_pages.sh
    breaks pe.h described sh tests/checks/api_pages.sh
    breaks packaging/lib.sh lost-flags sh tests/checks/library.sh
    breaks packaging/libposenc.map.in open-map sh tests/checks/library.sh
    breaks CHANGELOG.md undated sh tests/checks/release.sh
    breaks generate/declarations.py lost-enum sh tests/checks/release.sh
    breaks packaging/dist.sh gzip-date sh tests/checks/release.sh
    breaks packaging/single.sh lost-line sh tests/checks/single.sh
    breaks packaging/pe_lib.c shared-function sh tests/checks/library.sh
}

if [ "$mode" = lane ]; then
    defects_of_the_library
    echo "$passed $failed" >"$WORK/count"
    exit 0 # the verdict is in the file
fi
if [ "$mode" = places ] || [ "$mode" = only ]; then
    defects_of_the_library
    echo "$passed passed, $failed failed, $skipped skipped"
    least=1
    [ "$mode" = only ] || least=100
    [ $failed -eq 0 ] && [ $passed -ge $least ]
    exit
fi

echo "Defects of the library"
export BUILD
seq "$JOBS" | xargs -n 1 -P "$JOBS" sh tests/tools/selfcheck.sh lane
lane=0
while [ $lane -lt "$JOBS" ]; do
    lane=$((lane + 1)) p=0 f=1 # a lane that left no count has failed
    [ ! -f "$ALL/lane.$lane/count" ] || read -r p f <"$ALL/lane.$lane/count"
    passed=$((passed + p)) failed=$((failed + f))
done

echo
echo "Defects of the tests' own machinery"
STEP="sh tests/tools/step.sh"
red() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >"$WORK/log" 2>&1; then bad "$name: green"; else ok "$name: red"; fi
    cp "$WORK/log" "$WORK/log.kept"
}
green() {
    name=$1
    shift
    if "$@" >"$WORK/log" 2>&1; then ok "$name: green"; else bad "$name: red"; fi
}
export BUILD="$BUILD/selfcheck/steps"
green "a step that passes" $STEP a true
red "a step that fails" $STEP a false
red "a step that reports failures and returns 0" $STEP a echo "3 passed, 1 failed"
red "a program that crashes after its last test passed" \
    $STEP a sh -c 'echo "[  PASSED  ] 2 test(s)."; kill -SEGV $$'
green "a step that cannot run" env STRICT=0 $STEP a sh -c 'echo "SKIP: no reason"; exit 77'
red "a step that cannot run, under STRICT=1" env STRICT=1 $STEP a sh -c 'echo "SKIP: no reason"; exit 77'
red "a step with a part that cannot run, under STRICT=1" \
    env STRICT=1 $STEP a echo "3 passed, 0 failed, 1 skipped"
$STEP a true >/dev/null
green "a summary of steps that pass" $STEP --summary
$STEP b false >/dev/null
red "a summary with a step that failed" $STEP --summary
rm -f "$BUILD"/log/*.count
red "a summary of no steps" $STEP --summary
$STEP a true >/dev/null
green "a summary of all steps" env PE_STEPS=1 $STEP --summary
red "a summary that lacks a step" env PE_STEPS=2 $STEP --summary
interrupted() { # succeeds if ending a step also ends a shell below it and what that shell has started
    rm -f "$WORK/began" "$WORK/ended"
    $STEP a sh -c "(touch '$WORK/began'; sleep 2; touch '$WORK/ended') & wait" &
    step=$!
    until [ -f "$WORK/began" ]; do sleep 0.1; done
    kill -TERM $step
    wait $step
    [ $? -eq 143 ] && sleep 3 && [ ! -f "$WORK/ended" ]
}
green "an interrupted step leaves nothing behind" interrupted

compiled_when_it_has_to_be() { # tests the object that programs are linked with
    fresh_tree
    gate sh tests/tools/linked.sh quick.scalar && gate sh tests/tools/linked.sh quick.scalar &&
        grep -q ', kept' "$WORK/log" && sh tests/tools/mutate.sh pe.h constant >"$WORK/tree/pe.h" &&
        gate sh tests/tools/linked.sh quick.scalar && grep -q ', compiled' "$WORK/log" &&
        gate env EXTRA_CFLAGS=-DX sh tests/tools/linked.sh quick.scalar && grep -q ', compiled' "$WORK/log"
}
green "the library is compiled again when a header or the flags change, and only then" compiled_when_it_has_to_be

echo
echo "The mutation run (tests/tools/mutation.py)"
MUTATION="env SEED=1 MUTANTS=6 MUTATION_SECONDS=300 JOBS=1 MUTATION_AGAIN=0 MUTATION_LIST=0"
TURN="MUTATION_MATCH=pe__rotate:"
if have python3 && have gcov; then
    green "mutants of pe__rotate() and the hash" \
        $MUTATION "$TURN" MUTATION_KILLERS=hash python3 tests/tools/mutation.py
    red "the same mutants and a killer that sees nothing" \
        $MUTATION "$TURN" MUTATION_KILLERS=blind python3 tests/tools/mutation.py
    green "which is reported as survivors" grep -q "killed 0, .*survived unexplained [1-9]" "$WORK/log.kept"
else
    skipping "no python3 or no gcov"
fi

echo
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
