#!/bin/sh
# SPDX-License-Identifier: MIT
#
# deb.sh [tree] [DIR]: builds Debian's source package and binary packages in DIR, by default build/deb. They are made of
# packaging/debian and of the archive that packaging/dist.sh writes or, where an archive was unpacked, of its files.
# DEB_BUILD_OPTIONS=nocheck leaves `make quick` out.
set -eu
. ./packaging/version.sh
tree=
if [ "${1:-}" = tree ]; then
    tree=tree
    shift
fi
out=${1:-${BUILD:-build}/deb}
rm -rf "$out"
mkdir -p "$out"
archive=$out/posenc_$VERSION.orig.tar.gz
if git ls-files --error-unmatch pe.h >/dev/null 2>&1; then
    sh packaging/dist.sh $tree "$archive"
else
    tar --exclude=./build --exclude="$out" --exclude="./$out" --transform "s,^[.],posenc-$VERSION," -czf "$archive" .
fi
gzip -dc "$archive" | (cd "$out" && tar xf -)
cp -R packaging/debian "$out/posenc-$VERSION/debian"
# Not the settings of the make that this is called by.
cd "$out/posenc-$VERSION"
env -u MAKEFLAGS -u MAKELEVEL -u BUILD -u CC -u CXX -u CFLAGS dpkg-buildpackage -us -uc
