#!/bin/sh
# SPDX-License-Identifier: MIT
#
# linked.sh ISA: pe.h compiled once, as an object that the programs of `make test` share. Compiling
# its functions takes twenty seconds, its declarations less than one.
#
#   build/linked/ISA.o   every public function, with $CFLAGS (-O2), and with SLEEF where it is
set -u
. tests/tools/lib.sh
isa=$1
[ "$isa" != best ] || isa=$(best_isa)
out=$BUILD/linked
mkdir -p "$out"
cpu_has "$isa" || skip "this CPU has no $isa"

sleef=0
[ "$SLEEF" = 0 ] || ! have_library sleef "$CC" || sleef=1
flags="-std=c99 ${CFLAGS:--O2} $(isa_flags "$isa") $EXTRA_CFLAGS"
# shellcheck disable=SC2086
{
    echo "+ $CC $flags -DPE_SLEEF=$sleef"
    echo '#include "pe.h"' | $CC $flags -DPE_SLEEF=$sleef -DPE_EXTERN -DPE_IMPLEMENTATION -I. -x c - -c -o "$out/$isa.o"
} || exit 1

have nm || skip "nm is missing: what the library exports"
public_functions >"$out/$isa.public"
nm -g "$out/$isa.o" | awk '$(NF - 1) == "T" { sub(/^_/, "", $NF); print $NF }' | sort >"$out/$isa.exports"
diff "$out/$isa.public" "$out/$isa.exports" || exit 1
echo "INFO: $(wc -l <"$out/$isa.public" | tr -d ' ') functions, compiled with ${CFLAGS:--O2}"
