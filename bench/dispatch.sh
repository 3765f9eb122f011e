#!/bin/sh
# SPDX-License-Identifier: MIT
#
# dispatch.sh: prints what it costs to choose the instruction set at run time. It prints the bytes of libposenc for each
# instruction set. It also prints the nanoseconds per call with the headers, with pe.c, and with the static and the
# shared library. The calls rotate one head and 32 heads of 128 floats by a stored row, and fill one row of cosines and
# sines. Variables: CC, BUILD, and those of packaging/lib.sh.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
CC=${CC:-cc}
WORK=$BUILD/dispatch
mkdir -p "$WORK"
[ -f "$BUILD/libposenc.a" ] || BUILD=$BUILD CFLAGS=-O2 sh packaging/lib.sh
size "$BUILD"/lib/[A-Z]*.o "$BUILD/lib/exported.o" | awk '{ print $1, $NF }'
wc -c "$BUILD/libposenc.so"
$CC -O2 -march=native -I. bench/dispatch.c -o "$WORK/headers" -lm
$CC -O2 -march=native -DPE_EXTERN bench/dispatch.c pe.c -I. -o "$WORK/pe.c" -lm
$CC -O2 -DPE_EXTERN -I. bench/dispatch.c "$BUILD/libposenc.a" -o "$WORK/libposenc.a" -lm
$CC -O2 -DPE_EXTERN -I. bench/dispatch.c "$BUILD/libposenc.so" -o "$WORK/libposenc.so" -lm
echo "ns per call:                  1 head 32 heads      row"
for way in headers pe.c libposenc.a libposenc.so; do LD_LIBRARY_PATH=$BUILD "$WORK/$way" $way; done
