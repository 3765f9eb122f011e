#!/bin/sh
# SPDX-License-Identifier: MIT
#
# linked.sh ISA [COMPILER]: pe.h compiled once, as an object that the programs of `make test` share,
# with COMPILER those of `make check`. Compiling its functions takes twenty seconds, its declarations
# less than one.
#
#   build/linked/[COMPILER.]ISA.o   every public function, with $CFLAGS (-O2), and with SLEEF where it is
set -u
. tests/tools/lib.sh
isa=$1 compiler=${2:-}
[ "$isa" != best ] || isa=$(best_isa)
mkdir -p "$BUILD/linked"
out=$BUILD/linked/${compiler:+$compiler.}$isa
cpu_has "$isa" || skip "this CPU has no $isa"
case $compiler in
gcc) CC=$GCC ;;
clang) CC=$CLANG ;;
esac
have "$CC" || skip "$CC is missing"

sleef=0
[ "$SLEEF" = 0 ] || ! have_library sleef "$CC" || sleef=1
flags="-std=c99 ${CFLAGS:--O2} $(isa_flags "$isa") $EXTRA_CFLAGS"
# shellcheck disable=SC2086
{
    echo "+ $CC $flags -DPE_SLEEF=$sleef"
    echo '#include "pe.h"' | $CC $flags -DPE_SLEEF=$sleef -DPE_EXTERN -DPE_IMPLEMENTATION -I. -x c - -c -o "$out.o"
} || exit 1

have nm || skip "nm is missing: what the library exports"
public_functions >"$out.public"
nm -g "$out.o" | awk '$(NF - 1) == "T" { sub(/^_/, "", $NF); print $NF }' | sort >"$out.exports"
diff "$out.public" "$out.exports" || exit 1
echo "INFO: $(wc -l <"$out.public" | tr -d ' ') functions, compiled with ${CFLAGS:--O2}"
