#!/bin/sh
# SPDX-License-Identifier: MIT
#
# paired.sh: time this tree's pe.h against another one's, call by call, in one program (paired.c).
#
#     sh bench/paired.sh BASE [ISA...]     BASE: a commit, or a directory with pe.h and pe_simd.h
#                                          ISA: avx512, avx2, sse2, neon, scalar; default: the best
#
# BASE may be of version 0.1 or later: paired_cases.h has each call in both interfaces. Environment: CC, CFLAGS (-O2),
# SLEEF (0), PAIRED_ARGS (see paired.c; -f REGEX picks cases, -c CPU the core). OLD_FLAGS and NEW_FLAGS add flags for
# one side, so that BASE . compares two builds of one tree. Examples are NEW_FLAGS=-march=native, and -DPE_EXTERN with
# a libposenc.a to link with in OLD_LIBRARY or NEW_LIBRARY. OLD_FLAGS=-DPAIRED_PLAIN=1 compares lists of coordinates and
# blocks of halves with sections and joined axes (-f 'a list|in blocks').
# Returns 1 if a call is more than 3 % slower than in BASE.
# shellcheck disable=SC2086
set -u
. tests/tools/lib.sh
[ $# -ge 1 ] || { sed -n '3,16s/^# \{0,1\}//p' "$0" && exit 2; }
BASE=$1
shift
[ $# -gt 0 ] || set -- "$(best_isa)"
WORK=$BUILD/paired
rm -rf "$WORK"
mkdir -p "$WORK/base"
for header in pe.h pe_simd.h; do
    if [ -d "$BASE" ]; then
        cp "$BASE/$header" "$WORK/base/$header"
    else
        git show "$BASE:$header" >"$WORK/base/$header"
    fi || exit 2
done
sleef=${SLEEF:-0}
libraries="-lm"
[ "$sleef" = 0 ] || libraries="-lsleef -lm"

# How tables of RoPE and biases are said, which 0.3 changed, and what it added.
value() {
    echo "-DPAIRED_TABLE_IS_VALUE=$(grep -c '^} pe_rope_table;' "$1/pe.h")" \
        "-DPAIRED_KEYS_ANYWHERE=$(grep -cE 'pe__(load_key_tile|keys_near)\(pe' "$1/pe.h")" \
        "-DPAIRED_LISTS=$(grep -c '^    const uint8_t \*coordinate; ' "$1/pe.h")"
}

slower=0
for isa in "$@"; do
    # Functions begin at a line of the cache: the same code lies the same way on both sides.
    flags="-std=c99 ${CFLAGS:--O2} -falign-functions=64 $(isa_flags "$isa") -DPE_SLEEF=$sleef $EXTRA_CFLAGS"
    $CC $flags -I"$WORK/base" $(value "$WORK/base") ${OLD_FLAGS:-} \
        -DPAIRED_SIDE=paired_old -c bench/paired_side.c -o "$WORK/old-$isa.o" &
    old=$!
    $CC $flags -I. $(value .) ${NEW_FLAGS:-} -DPAIRED_SIDE=paired_new -c bench/paired_side.c -o "$WORK/new-$isa.o" || exit 2
    wait $old || exit 2
    $CC -std=c99 -O2 $WARNINGS bench/paired.c "$WORK/old-$isa.o" "$WORK/new-$isa.o" \
        $EXTRA_CFLAGS ${OLD_LIBRARY:-} ${NEW_LIBRARY:-} $libraries -o "$WORK/paired-$isa" || exit 2
    "$WORK/paired-$isa" ${PAIRED_ARGS:-}
    case $? in
    0) ;;
    1) slower=1 ;;
    *) exit 2 ;;
    esac
done
exit $slower
