#!/bin/sh
# SPDX-License-Identifier: MIT
#
# linked.sh ISA: pe.h compiled once, as an object that the programs of `make test` share. Compiling
# its functions takes twenty seconds, its declarations less than one.
#
#   build/linked/ISA.o   every public function, with $CFLAGS (-O2), and with SLEEF where it is
#   build/linked/pe.h    the public part of pe.h, where the functions are declared and not static
#
# The functions are those of pe.h to the letter, but for their `static inline`.
set -u
. tests/tools/lib.sh
isa=$1
[ "$isa" != best ] || isa=$(best_isa)
out=$BUILD/linked
mkdir -p "$out"
cpu_has "$isa" || skip "this CPU has no $isa"

extern() { sed 's/static inline \([a-z_0-9 ]*[ *]\)\(pe_[a-z0-9][A-Za-z0-9_#]* *(\)/\1\2/g'; }
{
    sed '/^\/\*  PRIVATE: /,$d' pe.h | extern
    printf '%s\n' '#ifdef __cplusplus' '}' '#endif' '#endif'
} >"$out/pe.h.$isa" && mv "$out/pe.h.$isa" "$out/pe.h"
if grep -n 'static inline' "$out/pe.h"; then
    echo "FAIL a prototype of the public part has a form that extern() does not know" && exit 1
fi

sleef=0
[ "$SLEEF" = 0 ] || ! have_library sleef "$CC" || sleef=1
flags="-std=c99 ${CFLAGS:--O2} $(isa_flags "$isa") $EXTRA_CFLAGS"
# shellcheck disable=SC2086
{
    echo "+ $CC $flags -DPE_SLEEF=$sleef"
    echo '#include "pe.h"' | $CC $flags -DPE_SLEEF=$sleef -I. -E -x c - | extern >"$out/$isa.i" &&
        $CC $flags -w -c -o "$out/$isa.o" "$out/$isa.i" || exit 1
}
rm -f "$out/$isa.i"

have nm || skip "nm is missing: what the library exports"
public_functions >"$out/$isa.public"
nm -g "$out/$isa.o" | awk '$(NF - 1) == "T" { sub(/^_/, "", $NF); print $NF }' | sort >"$out/$isa.exports"
diff "$out/$isa.public" "$out/$isa.exports" || exit 1
echo "INFO: $(wc -l <"$out/$isa.public" | tr -d ' ') functions, compiled with ${CFLAGS:--O2}"
