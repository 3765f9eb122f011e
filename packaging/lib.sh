#!/bin/sh
# SPDX-License-Identifier: MIT
#
# lib.sh: builds build/libposenc.a and build/libposenc.so. They have pe with every instruction set of the machine that
# $CC compiles for; see packaging/pe_lib.c. Variables: CC, CPPFLAGS, CFLAGS (-O2), EXTRA_CFLAGS, LDFLAGS, AR, BUILD.
#
# The shared library is named after the versions that have the same interface, X.Y.* (see CHANGELOG.md). The link
# libposenc.so.X.Y to it is made here, so that programs run from the build directory.
set -eu
. ./packaging/version.sh
BUILD=${BUILD:-build}
CC=${CC:-cc}
machine=$($CC -dumpmachine 2>/dev/null || uname -m)
case $machine in
x86_64* | amd64* | i[3-6]86*) isas="SSE2 AVX2 AVX512" ;;
aarch64* | arm64*) isas="SCALAR NEON" ;;
*) isas=SCALAR ;;
esac
mkdir -p "$BUILD/lib"
flags="-std=c99 ${CPPFLAGS:-} ${CFLAGS:--O2} -fPIC ${EXTRA_CFLAGS:-}"
objects=
running=
for isa in $isas; do
    # shellcheck disable=SC2086
    $CC $flags -DPE_LIB=$isa -c packaging/pe_lib.c -o "$BUILD/lib/$isa.o" &
    running="$running $!"
    objects="$objects $BUILD/lib/$isa.o"
done
# The archive's functions are hidden, so a shared library that contains them exports none; those of libposenc.so are not.
# shellcheck disable=SC2086
{
    $CC $flags -fvisibility=hidden -c packaging/pe_lib.c -o "$BUILD/lib/hidden.o"
    $CC $flags -fvisibility=default -c packaging/pe_lib.c -o "$BUILD/lib/exported.o"
}
for process in $running; do wait "$process"; done

rm -f "$BUILD"/libposenc.*
case $machine in
*darwin* | *apple*) name=libposenc.$SERIES.dylib link=libposenc.dylib shared="-dynamiclib -Wl,-install_name,@rpath/$name" ;;
*) name=libposenc.so.$SERIES link=libposenc.so shared="-shared -Wl,-soname,$name,--version-script=$BUILD/lib/libposenc.map" ;;
esac
sed "s/@PE_SERIES@/$SERIES/" packaging/libposenc.map.in >"$BUILD/lib/libposenc.map"
# shellcheck disable=SC2086
{
    $CC $flags ${LDFLAGS:-} $shared "$BUILD/lib/exported.o" $objects -o "$BUILD/$link" -lm
    ln -s $link "$BUILD/$name"
    ${AR:-ar} rcs "$BUILD/libposenc.a" "$BUILD/lib/hidden.o" $objects
}
echo "$BUILD/libposenc.a, $BUILD/$link ($name): $isas"
