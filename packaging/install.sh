#!/bin/sh
# SPDX-License-Identifier: MIT
#
# install.sh install|install-lib|uninstall: what `make install` and the others do, from the top of the
# tree. install-lib installs all; build/libposenc.a and libposenc.so are there then.
#
# Variables, from the environment:
#   PREFIX        /usr/local
#   BINDIR        $PREFIX/bin       the program posenc, if make tool has built it
#   INCLUDEDIR    $PREFIX/include   posenc/pe.h, pe_simd.h, pe.c, pe_fixed.h, pe_fixed.wgsl, pe_fixed.glsl
#   LIBDIR        $PREFIX/lib       the library
#   PKGCONFIGDIR  posenc.pc ...: $PREFIX/share/pkgconfig; install-lib: $LIBDIR/pkgconfig
#   CMAKEDIR      for find_package(posenc CONFIG): $PREFIX/share/cmake/posenc; install-lib: $LIBDIR/cmake/posenc
#   DESTDIR       in front of every path written to, and in no file: for making packages
#
# The headers are the same for every machine, and the library is not. The same holds for the files that describe them,
# so these have two possible places. uninstall looks in both places.
#
# Files find each other through relative paths where directories are below PREFIX, so that the whole can be moved.
# Nothing depends on the machine or on what is installed on it.
set -eu
PREFIX=${PREFIX:-/usr/local}
PREFIX=${PREFIX%/}
BINDIR=${BINDIR:-$PREFIX/bin}
INCLUDEDIR=${INCLUDEDIR:-$PREFIX/include}
LIBDIR=${LIBDIR:-$PREFIX/lib}
BUILD=${BUILD:-build}
DESTDIR=${DESTDIR:-}
. ./packaging/version.sh

# up DIRECTORY: the way from there to PREFIX, "../.." and the like; fails if it is not below it.
up() {
    case $1 in
    "$PREFIX"/*) printf '%s\n' "${1#"$PREFIX"/}" | sed -e 's,/*$,,' -e 's,//*,/,g' -e 's,[^/][^/]*,..,g' ;;
    *) return 1 ;;
    esac
}

# below DIRECTORY FROM: the directory as FROM/way/to/it if it is below PREFIX, or as it is.
below() { if up "$1" >/dev/null; then echo "$2/${1#"$PREFIX"/}"; else echo "$1"; fi; }
# places DATA: where the files for pkg-config and CMake go if nothing else is said, and what they say.
places() {
    pcdir=${PKGCONFIGDIR:-$1/pkgconfig} cmakedir=${CMAKEDIR:-$1/cmake/posenc}
    if way=$(up "$pcdir"); then pc_prefix="\${pcfiledir}/$way"; else pc_prefix=$PREFIX; fi
    if way=$(up "$cmakedir"); then cmake_prefix="\${CMAKE_CURRENT_LIST_DIR}/$way"; else cmake_prefix=$PREFIX; fi
}

put() { # FILE DIRECTORY NAME
    echo "$DESTDIR$2/$3"
    mkdir -p "$DESTDIR$2"
    rm -f "$DESTDIR$2/$3"
    case $1 in
    *.in)
        sed -e "s|@PE_VERSION@|$VERSION|g" -e "s|@PE_PC_PREFIX@|$pc_prefix|" \
            -e "s|@PE_PC_INCLUDEDIR@|$(below "$INCLUDEDIR" "\${prefix}")|" \
            -e "s|@PE_PC_LIBDIR@|$(below "$LIBDIR" "\${prefix}")|" \
            -e "s|@PE_CMAKE_INCLUDEDIR@|$(below "$INCLUDEDIR" "$cmake_prefix")/posenc|" \
            -e "s|@PE_CMAKE_LIBDIR@|$(below "$LIBDIR" "$cmake_prefix")|" "$1" >"$DESTDIR$2/$3"
        ;;
    *) cat "$1" >"$DESTDIR$2/$3" ;;
    esac
}
take() { # FILE DIRECTORY NAME
    echo "$DESTDIR$2/$3"
    rm -f "$DESTDIR$2/$3"
}
each() { # put or take
    $1 pe.h "$INCLUDEDIR/posenc" pe.h
    $1 pe_simd.h "$INCLUDEDIR/posenc" pe_simd.h
    $1 pe.c "$INCLUDEDIR/posenc" pe.c
    for fixed in pe_fixed.h pe_fixed.wgsl examples/gpu/pe_fixed.glsl; do
        $1 $fixed "$INCLUDEDIR/posenc" ${fixed##*/}
    done
    $1 packaging/posenc.pc.in "$pcdir" posenc.pc
    $1 packaging/posenc-sleef.pc.in "$pcdir" posenc-sleef.pc
    $1 packaging/posencConfig.cmake.in "$cmakedir" posencConfig.cmake
    $1 packaging/posencConfigVersion.cmake.in "$cmakedir" posencConfigVersion.cmake
    $1 packaging/posencTarget.cmake "$cmakedir" posencTarget.cmake
}
put_program() {
    [ -x "$BUILD/posenc" ] || return 0
    put "$BUILD/posenc" "$BINDIR" posenc
    chmod 755 "$DESTDIR$BINDIR/posenc"
}
# The shared library under its full version, with the two links that programs and linkers look for.
each_of_lib() {
    $1 packaging/posenc-lib.pc.in "$pcdir" posenc-lib.pc
    $1 packaging/posenc-static.pc.in "$pcdir" posenc-static.pc
    $1 packaging/posencLibrary.cmake.in "$cmakedir" posencLibrary.cmake
    $1 "$BUILD/libposenc.a" "$LIBDIR" libposenc.a
    if [ -e "$BUILD/libposenc.dylib" ]; then
        full=libposenc.$VERSION.dylib links="libposenc.$SERIES.dylib libposenc.dylib" file=$BUILD/libposenc.dylib
    else
        full=libposenc.so.$VERSION links="libposenc.so.$SERIES libposenc.so" file=$BUILD/libposenc.so
    fi
    $1 "$file" "$LIBDIR" "$full"
    for link in $links; do
        rm -f "$DESTDIR$LIBDIR/$link"
        [ "$1" = take ] || ln -s "$full" "$DESTDIR$LIBDIR/$link"
    done
}

umask 022
case ${1:-} in
install)
    places "$PREFIX/share"
    each put
    put_program
    ;;
install-lib)
    places "$LIBDIR"
    each put
    each_of_lib put
    put_program
    ;;
uninstall)
    for data in "$PREFIX/share" "$LIBDIR"; do
        places "$data"
        each take
        each_of_lib take >/dev/null
        # The directories that are its own; others may have been there before.
        rmdir "$DESTDIR$cmakedir" "$DESTDIR$INCLUDEDIR/posenc" 2>/dev/null || true
    done
    take posenc "$BINDIR" posenc
    ;;
*)
    echo "install, install-lib or uninstall, not '${1:-}'"
    exit 1
    ;;
esac
