#!/bin/sh
# SPDX-License-Identifier: MIT
#
# deb.sh [tree] [DIR]: Debian's source package and binary packages in DIR, build/deb: of the archive that packaging/dist.sh
# writes, and of packaging/debian. DEB_BUILD_OPTIONS=nocheck leaves `make quick` out.
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
sh packaging/dist.sh $tree "$out/posenc_$VERSION.orig.tar.gz"
gzip -dc "$out/posenc_$VERSION.orig.tar.gz" | (cd "$out" && tar xf -)
cp -R packaging/debian "$out/posenc-$VERSION/debian"
# Not the settings of the make that this is called by.
cd "$out/posenc-$VERSION"
env -u MAKEFLAGS -u MAKELEVEL -u BUILD -u CC -u CXX -u CFLAGS dpkg-buildpackage -us -uc
