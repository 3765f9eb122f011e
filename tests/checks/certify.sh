#!/bin/sh
# SPDX-License-Identifier: MIT
#
# certify.sh [some|full|every] [SECONDS]: builds and runs tests/checks/certify.c. It compares every element of whole
# tables with a double-double oracle, whose error bound is proven. MPFR decides where the oracle cannot.
#
#   some    takes seconds for 160 million f32 elements, and is part of `make test`
#   full    takes half a minute on two cores for 2.5 billion f32 elements
#   every   does the same, then takes every position from -2^31 to 2^31 for some widths, until SECONDS are over
#
# ISA=best|avx512|avx2|scalar chooses the library's code; the oracle is always compiled for this CPU. JOBS=n is the
# number of processes. The results are in build/certify.txt and build/certify.json.
set -u
. tests/tools/lib.sh
export JOBS
mode=${1:-some} seconds=${2:-0}
isa=${ISA:-best}
[ "$isa" != best ] || isa=$(best_isa)
case $mode in
some) least=10000000 ;;
full | every) least=1000000000 ;;
*) echo "certify.sh: some, full or every, not '$mode'" && exit 2 ;;
esac

cc=
for candidate in "$GCC" "$CLANG"; do
    have "$candidate" && cc=$candidate && break
done
[ -n "$cc" ] || skip "neither $GCC nor $CLANG is here"
have_library mpfr "$cc" || skip "libmpfr is missing: make deps"
cpu_has "$isa" || skip "this CPU has no $isa"
if [ "$SLEEF" != 0 ] && have_library sleef "$cc"; then
    sleef="-DPE_SLEEF=1 -lsleef"
else
    sleef=-DPE_SLEEF=0
fi

mkdir -p "$BUILD"
out=$BUILD/certify
# The oracle calls fma() wherever it needs a fused operation, so the compiler must not fuse others. With -march=native
# the compiler vectorises its loops.
native=
echo 'int main(void) { return 0; }' | links "$cc" -march=native && native=-march=native
# shellcheck disable=SC2046,SC2086
"$cc" -std=c99 -O3 $WARNINGS $native -fno-fast-math -ffp-contract=off $(isa_flags "$isa") \
    $EXTRA_CFLAGS -I. -o "$out" tests/checks/certify.c ${sleef% *} -lmpfr -lgmp \
    $(case $sleef in *-lsleef) echo -lsleef ;; esac) -lm || exit 1
rm -f "$out.json"
"$out" "$mode" "$seconds" "$out.json" >"$out.txt"
status=$?
certified=$(sed -n 's/.*"elements_f32": \([0-9]*\).*/\1/p' "$out.json" 2>/dev/null)
if [ "${certified:-0}" -lt $least ]; then
    echo "FAIL  ${certified:-no} f32 elements certified, $least are the least of '$mode'"
    status=1
fi
cat "$out.txt"
exit $status
