#!/bin/sh
# SPDX-License-Identifier: MIT
#
# unwritten.sh: checks that no public function uses memory that was never written. All functions are called in every
# form that tests/unit/api.h knows, without optimisation, which would hide such uses.
#
#   MemorySanitizer   runs with clang for AVX-512 or NEON, as it cannot follow AVX2's masked stores. It runs scalar code
#                     if the CPU has neither, or with EVERY=1.
#   valgrind          runs with gcc and the best instruction set that valgrind knows, which is AVX2.
#
# SLEEF is left out, as it was not built for these tools. gcov's counts under valgrind prove that every function was
# called.
set -u
. tests/tools/lib.sh
WORK=$BUILD/unwritten
rm -rf "$WORK"
mkdir -p "$WORK"
for library in cmocka mpfr; do
    have_library $library "$CC" || skip "lib$library is missing: make deps"
done

build() { # ISA COMMAND...
    isa=$1
    shift
    # shellcheck disable=SC2046,SC2086
    "$@" -std=c99 -O0 -g $(isa_flags "$isa") -DPE_SLEEF=0 -I. $EXTRA_CFLAGS -o "$WORK/$isa" \
        tests/unit/calls/test_memory.c -lcmocka -lmpfr -lgmp -lpthread -lm
}
passes() { PE_QUICK=30 "$@" && grep -q '^\[  PASSED  \] 1 test' "$WORK/log"; }
both() { # UNDER COMMAND...
    under=$1
    shift
    check "$under: calls with rows" passes "$@" every_form_and_offset
    check "$under: the other calls" passes "$@" small_functions_take_anything
    check "$under: arguments at the end of a page" passes "$@" arguments_may_end_at_a_page
}
if have "$CLANG" && echo 'int main(void) { return 0; }' | links "$CLANG" -fsanitize=memory; then
    isas=scalar
    for isa in avx512 neon; do
        cpu_has $isa || continue
        [ "${EVERY:-}" = 1 ] || isas=
        isas="$isas $isa"
    done
    for isa in $isas; do
        check "built with MemorySanitizer, $isa" build $isa "$CLANG" -fsanitize=memory -fsanitize-memory-track-origins
        both "MemorySanitizer, $isa" "$WORK/$isa"
    done
else
    skipping "clang's MemorySanitizer is missing: make deps"
fi

all_called() {
    public_functions >"$WORK/public"
    gcov -b -t "$WORK"/*.gcda 2>/dev/null |
        awk '$1 == "function" && $3 == "called" && $4 > 0 { print $2 }' | sort -u >"$WORK/called"
    comm -23 "$WORK/public" "$WORK/called" | sed 's/^/not called: /' >"$WORK/uncalled"
    cat "$WORK/uncalled"
    [ ! -s "$WORK/uncalled" ]
}
isa=$(best_isa)
[ "$isa" != avx512 ] || isa=avx2
if have valgrind && have "$GCC" && have gcov; then
    check "built for valgrind, $isa" build "$isa" "$GCC" --coverage
    both "valgrind, $isa" valgrind -q --error-exitcode=99 --leak-check=full "$WORK/$isa"
    check "every public function was called" all_called
else
    skipping "valgrind, gcc or gcov is missing: make deps"
fi

[ $((passed + failed)) -gt 0 ] || skip "neither clang's MemorySanitizer nor valgrind: make deps"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
