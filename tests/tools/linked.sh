#!/bin/sh
# SPDX-License-Identifier: MIT
#
# linked.sh [COMPILER.]ISA: pe.h compiled once, as an object that many programs are linked with: those of
# `make test`, with COMPILER gcc or clang those of `make check`, with "quick" those of `make quick`.
# Compiling its functions takes twenty seconds, its declarations less than one. An object stays until the
# headers, the flags or the compiler change.
#
#   build/linked/[COMPILER.]ISA.o   every public function, with $CFLAGS (-O2), and with SLEEF where it is;
#                                   quick: with -O0 and all warnings, without SLEEF
#   build/linked/[COMPILER.]ISA.how the command that made it
set -u
. tests/tools/lib.sh
isa=${1##*.}
compiler=${1%"$isa"}
[ "$isa" != best ] || isa=$(best_isa)
mkdir -p "$BUILD/linked"
out=$BUILD/linked/$compiler$isa
cpu_has "$isa" || skip "this CPU has no $isa"
optimised=${CFLAGS:--O2}
case $compiler in
gcc.) CC=$GCC ;;
clang.) CC=$CLANG ;;
quick.) optimised=-O0 EXTRA_CFLAGS="$WARNINGS $EXTRA_CFLAGS" SLEEF=0 ;;
esac
have "$CC" || skip "$CC is missing"

sleef=0
[ "$SLEEF" = 0 ] || ! have_library sleef "$CC" || sleef=1
command="$CC -std=c99 $optimised $(isa_flags "$isa") $EXTRA_CFLAGS -DPE_SLEEF=$sleef"
version=$($CC --version 2>/dev/null | head -n 1)
echo "+ $command"
state=kept
if ! current "$out.o" || [ "$(cat "$out.how")" != "$command # $version" ]; then
    # The headers may change while they are compiled: the object is as old as its beginning.
    rm -f "$out.o"
    echo "$command # $version" >"$out.how"
    # shellcheck disable=SC2086
    echo '#include "pe.h"' | $command -DPE_EXTERN -DPE_IMPLEMENTATION -I. -x c - -c -o "$out.new" &&
        touch -r "$out.how" "$out.new" && mv "$out.new" "$out.o" || exit 1
    state=compiled
fi

have nm || skip "nm is missing: what the library exports"
public_functions >"$out.public"
nm -g "$out.o" | awk '$(NF - 1) == "T" { sub(/^_/, "", $NF); print $NF }' | sort >"$out.exports"
diff "$out.public" "$out.exports" || exit 1
echo "INFO: $(wc -l <"$out.public" | tr -d ' ') functions, $state with $optimised"
