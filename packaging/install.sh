#!/bin/sh
# SPDX-License-Identifier: MIT
#
# install.sh install|uninstall: what `make install` and `make uninstall` do, from the top of the tree.
#
# Variables, from the environment:
#   PREFIX        /usr/local
#   INCLUDEDIR    $PREFIX/include            pe.h, pe_simd.h
#   PKGCONFIGDIR  $PREFIX/share/pkgconfig    pe.pc, pe-sleef.pc
#   CMAKEDIR      $PREFIX/share/cmake/pe     for find_package(pe CONFIG)
#   DESTDIR       in front of every path written to, and in no file: for making packages
#
# Files find each other by relative paths where directories are below PREFIX, so that the whole can
# be moved; nothing depends on the machine, nor on what is installed on it.
set -eu
PREFIX=${PREFIX:-/usr/local}
PREFIX=${PREFIX%/}
INCLUDEDIR=${INCLUDEDIR:-$PREFIX/include}
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
if way=$(up "$PKGCONFIGDIR"); then pc_prefix="\${pcfiledir}/$way"; else pc_prefix=$PREFIX; fi
if up "$INCLUDEDIR" >/dev/null; then
    pc_includedir="\${prefix}/${INCLUDEDIR#"$PREFIX"/}"
    if way=$(up "$CMAKEDIR"); then
        cmake_includedir="\${CMAKE_CURRENT_LIST_DIR}/$way/${INCLUDEDIR#"$PREFIX"/}"
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
            -e "s|@PE_CMAKE_INCLUDEDIR@|$cmake_includedir|" "$1" >"$DESTDIR$2/$3"
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

umask 022
case ${1:-} in
install) each put ;;
uninstall)
    each take
    # The one directory that is pe's own; others may have been there before.
    rmdir "$DESTDIR$CMAKEDIR" 2>/dev/null || true
    ;;
*)
    echo "install or uninstall, not '${1:-}'"
    exit 1
    ;;
esac
