#!/bin/sh
# SPDX-License-Identifier: MIT
#
# debian.sh: checks that Debian's tools build the packages of packaging/debian in an unpacked archive, and that lintian
# finds no error and no warning in them. The packages must have the files of `make install-lib`. A program that is
# compiled and linked with these files must have the bits of tests/golden.txt.
set -u
. tests/tools/lib.sh
. ./packaging/version.sh
WORK=$PWD/$BUILD/debian
rm -rf "$WORK"
mkdir -p "$WORK"
git ls-files --error-unmatch pe.h >"$WORK/log" 2>&1 || skip "this is no git checkout: $(head -n 1 "$WORK/log")"
for tool in dpkg-buildpackage dh lintian; do have $tool || skip "$tool is missing"; done

unpacked() { sh packaging/dist.sh tree "$WORK/archive.tar.gz" && tar -xzf "$WORK/archive.tar.gz" -C "$WORK"; }
check "an archive, unpacked" unpacked
packages() {
    cd "$WORK/posenc-$VERSION" &&
        env -u BUILD DEB_BUILD_OPTIONS="nocheck noopt" DEB_BUILD_PROFILES=nocheck sh packaging/deb.sh "$WORK/deb"
}
check "the packages" eval '(packages)'
set -- "$WORK"/deb/*.changes
[ -f "$1" ] || { tail -n 30 "$WORK/log" && echo "$passed passed, $failed failed" && exit 1; }
linted() { lintian --allow-root --tag-display-limit 0 --fail-on error,warning "$1"; }
check "lintian finds no error and no warning" linted "$1"
grep '^[EW]:' "$WORK/log"
for package in "$WORK"/deb/*.deb; do dpkg-deb -x "$package" "$WORK/installed"; done
check "make install-lib" env -u MAKEFLAGS -u MAKELEVEL make -s install-lib "DESTDIR=$WORK/stage" "BUILD=$WORK/lib" CFLAGS=-O0 PREFIX=/usr \
    "LIBDIR=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)"
check "the program" test -x "$WORK/installed/usr/bin/posenc"
files() { (cd "$1" && find usr/include usr/lib ! -type d | grep -v /debug/ | LC_ALL=C sort); }
same() {
    files "$WORK/stage" >"$WORK/files"
    files "$WORK/installed" | diff "$WORK/files" - && diff -r "$WORK/stage/usr/include" "$WORK/installed/usr/include"
}
check "its files are in the packages, and no others" same
library=$(dirname "$(find "$WORK/installed" -name libposenc.so)")
golden() {
    # shellcheck disable=SC2086
    "$CC" -std=c99 -O1 -DPE_EXTERN -I "$WORK/installed/usr/include/posenc" tests/unit/hash.c -L "$library" -lposenc -lm -o "$WORK/hash" &&
        LD_LIBRARY_PATH=$library "$WORK/hash" 14 | grep -v '^#' >"$WORK/hashes" &&
        grep -v '^#' tests/golden.txt | head -n 14 | diff - "$WORK/hashes"
}
check "a program with them: the bits of tests/golden.txt" golden

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
