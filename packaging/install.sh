#!/bin/sh
# SPDX-License-Identifier: MIT
#
# install.sh install|install-lib|uninstall: what `make install` and the others do, from the top of the
# tree. install-lib installs all; build/libpe.a and libpe.so are there then.
#
# Variables, from the environment:
#   PREFIX        /usr/local
#   INCLUDEDIR    $PREFIX/include            pe.h, pe_simd.h
#   LIBDIR        $PREFIX/lib                the library
#   PKGCONFIGDIR  $PREFIX/share/pkgconfig    pe.pc, pe-sleef.pc, pe-lib.pc
#   CMAKEDIR      $PREFIX/share/cmake/pe     for find_package(pe CONFIG)
#   DESTDIR       in front of every path written to, and in no file: for making packages
#
# Files find each other by relative paths where directories are below PREFIX, so that the whole can
# be moved; nothing depends on the machine, nor on what is installed on it.
set -eu
PREFIX=${PREFIX:-/usr/local}
PREFIX=${PREFIX%/}
INCLUDEDIR=${INCLUDEDIR:-$PREFIX/include}
LIBDIR=${LIBDIR:-$PREFIX/lib}
BUILD=${BUILD:-build}
PKGCONFIGDIR=${PKGCONFIGDIR:-$PREFIX/share/pkgconfig}
CMAKEDIR=${CMAKEDIR:-$PREFIX/share/cmake/pe}
DESTDIR=${DESTDIR:-}
. ./packaging/version.sh

# up DIRECTORY: the way from there to PREFIX, "../.." and the like; fails if it is not below it.
up() {
    case $1 in
    "$PREFIX"/*) printf '%s\n' "${1#"$PREFIX"/}" | sed -e 's,/*$,,' -e 's,//*,/,g' -e 's,[^/][^/]*,..,g' ;;
    *) return 1 ;;
    esac
}

pc_includedir=$INCLUDEDIR cmake_includedir=$INCLUDEDIR
pc_libdir=$LIBDIR cmake_libdir=$LIBDIR
if way=$(up "$PKGCONFIGDIR"); then pc_prefix="\${pcfiledir}/$way"; else pc_prefix=$PREFIX; fi
if up "$INCLUDEDIR" >/dev/null; then
    pc_includedir="\${prefix}/${INCLUDEDIR#"$PREFIX"/}"
    if way=$(up "$CMAKEDIR"); then
        cmake_includedir="\${CMAKE_CURRENT_LIST_DIR}/$way/${INCLUDEDIR#"$PREFIX"/}"
    fi
fi
if up "$LIBDIR" >/dev/null; then
    pc_libdir="\${prefix}/${LIBDIR#"$PREFIX"/}"
    if way=$(up "$CMAKEDIR"); then
        cmake_libdir="\${CMAKE_CURRENT_LIST_DIR}/$way/${LIBDIR#"$PREFIX"/}"
    fi
fi

put() { # FILE DIRECTORY NAME
    echo "$DESTDIR$2/$3"
    mkdir -p "$DESTDIR$2"
    rm -f "$DESTDIR$2/$3"
    case $1 in
    *.in)
        sed -e "s|@PE_VERSION@|$VERSION|g" -e "s|@PE_PC_PREFIX@|$pc_prefix|" \
            -e "s|@PE_PC_INCLUDEDIR@|$pc_includedir|" \
            -e "s|@PE_CMAKE_INCLUDEDIR@|$cmake_includedir|" -e "s|@PE_PC_LIBDIR@|$pc_libdir|" \
            -e "s|@PE_CMAKE_LIBDIR@|$cmake_libdir|" "$1" >"$DESTDIR$2/$3"
        ;;
    *) cat "$1" >"$DESTDIR$2/$3" ;;
    esac
}
take() { # FILE DIRECTORY NAME
    echo "$DESTDIR$2/$3"
    rm -f "$DESTDIR$2/$3"
}
each() { # put or take
    $1 pe.h "$INCLUDEDIR" pe.h
    $1 pe_simd.h "$INCLUDEDIR" pe_simd.h
    $1 packaging/pe.pc.in "$PKGCONFIGDIR" pe.pc
    $1 packaging/pe-sleef.pc.in "$PKGCONFIGDIR" pe-sleef.pc
    $1 packaging/peConfig.cmake.in "$CMAKEDIR" peConfig.cmake
    $1 packaging/peConfigVersion.cmake.in "$CMAKEDIR" peConfigVersion.cmake
    $1 packaging/peTarget.cmake "$CMAKEDIR" peTarget.cmake
}
# The shared library under its full version, with the two links that programs and linkers look for.
each_of_lib() {
    $1 packaging/pe-lib.pc.in "$PKGCONFIGDIR" pe-lib.pc
    $1 packaging/peLibrary.cmake.in "$CMAKEDIR" peLibrary.cmake
    $1 "$BUILD/libpe.a" "$LIBDIR" libpe.a
    if [ -e "$BUILD/libpe.dylib" ]; then
        full=libpe.$VERSION.dylib links="libpe.$SERIES.dylib libpe.dylib" file=$BUILD/libpe.dylib
    else
        full=libpe.so.$VERSION links="libpe.so.$SERIES libpe.so" file=$BUILD/libpe.so
    fi
    $1 "$file" "$LIBDIR" "$full"
    for link in $links; do
        rm -f "$DESTDIR$LIBDIR/$link"
        [ "$1" = take ] || ln -s "$full" "$DESTDIR$LIBDIR/$link"
    done
}

umask 022
case ${1:-} in
install) each put ;;
install-lib)
    each put
    each_of_lib put
    ;;
uninstall)
    each take
    each_of_lib take >/dev/null
    # The one directory that is pe's own; others may have been there before.
    rmdir "$DESTDIR$CMAKEDIR" 2>/dev/null || true
    ;;
*)
    echo "install, install-lib or uninstall, not '${1:-}'"
    exit 1
    ;;
esac
