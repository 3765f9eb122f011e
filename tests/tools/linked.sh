#!/bin/sh
# SPDX-License-Identifier: MIT
#
# linked.sh [COMPILER.]ISA: compiles pe.h once, as an object that many programs are linked with. Without COMPILER, these
# are the programs of `make test`; with gcc or clang, those of `make check`; with "quick", those of `make quick`. With
# "fast", clang compiles the library with -ffast-math, and with "msan" with MemorySanitizer; tests/tools/unit.sh
# explains both. Compiling the functions takes twenty seconds, while a program that only includes their declarations
# takes less than one. An object is kept until the headers, the flags or the compiler change.
#
#   build/linked/[COMPILER.]ISA.o     has every public function, compiled with $CFLAGS (-O2), and with SLEEF if it is
#                                     installed; with "quick", it is compiled with -O0 and all warnings, without SLEEF
#   build/linked/[COMPILER.]ISA.how   has the command that made it
#
# The script checks that the object defines only the public functions. For `make check`, it also checks that the object
# needs only libm, SLEEF and memcpy, and has no writable data.
set -u
. tests/tools/lib.sh
isa=${1##*.}
compiler=${1%"$isa"}
[ "$isa" != best ] || isa=$(best_isa)
mkdir -p "$BUILD/linked"
out=$BUILD/linked/$compiler$isa
optimised=${CFLAGS:--O2} nm=nm
case $compiler in
gcc.) CC=$GCC ;;
clang.) CC=$CLANG ;;
fast.) CC=$CLANG optimised="$optimised -ffast-math" SLEEF=0 ;;
msan.) CC=$CLANG optimised="-O1 -g -fsanitize=memory -fsanitize-memory-track-origins" SLEEF=0 ;;
quick.) optimised=-O0 EXTRA_CFLAGS="$WARNINGS $EXTRA_CFLAGS" SLEEF=0 ;;
esac
sleef=0
if cpu_has "$isa"; then
    have "$CC" || skip "$CC is missing"
    [ "$SLEEF" = 0 ] || ! have_library sleef "$CC" || sleef=1
elif [ "$compiler$isa" = gcc.neon ]; then
    have_arm64 || skip "AArch64: $ARM64_GCC or $QEMU_ARM64 is missing: make deps"
    [ -d "$ARM64_SYSROOT/usr" ] || skip "AArch64: no libraries in $ARM64_SYSROOT: make deps"
    CC="$ARM64_GCC $(arm64_cflags)" nm=${ARM64_GCC%gcc}nm sleef=1
else
    skip "this CPU has no $isa"
fi
[ "$compiler" != msan. ] || echo 'int main(void) { return 0; }' | links "$CLANG" -fsanitize=memory ||
    skip "clang's MemorySanitizer is missing: make deps"
command="$CC -std=c99 $optimised $(isa_flags "$isa") $EXTRA_CFLAGS -DPE_SLEEF=$sleef"
version=$($CC --version 2>/dev/null | head -n 1)
echo "+ $command"
state=kept
if ! current "$out.o" || [ "$(cat "$out.how")" != "$command # $version" ]; then
    # The headers may change while they are compiled, so the object gets the time at which the compilation began.
    rm -f "$out.o"
    echo "$command # $version" >"$out.how"
    # shellcheck disable=SC2086
    echo '#include "pe.h"' | $command -DPE_EXTERN -DPE_IMPLEMENTATION -I. -x c - -c -o "$out.new" &&
        touch -r "$out.how" "$out.new" && mv "$out.new" "$out.o" || exit 1
    state=compiled
fi

have "$nm" || skip "$nm is missing: what the library exports"
public_functions >"$out.public"
$nm -g "$out.o" | awk '$(NF - 1) == "T" { sub(/^_/, "", $NF); print $NF }' | sort >"$out.exports"
diff "$out.public" "$out.exports" || exit 1
case $compiler in
gcc. | clang. | fast.)
    ! strays "$nm" "$out.o" || { echo "it asks for these" && exit 1; }
    ! "${nm%nm}objdump" -t "$out.o" | grep -E ' O (\*COM\*|\.t?(data|bss))' | grep -v '\.data\.rel\.ro' ||
        { echo "these are writable" && exit 1; }
    ;;
esac
echo "INFO: $(wc -l <"$out.public" | tr -d ' ') functions, $state with $optimised"
