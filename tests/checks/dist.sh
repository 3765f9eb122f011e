#!/bin/sh
# SPDX-License-Identifier: MIT
#
# dist.sh [full]: checks that the archive of `sh packaging/dist.sh` holds the tree, has the same bytes each time, and
# works where it is unpacked. There the script runs make install, sh packaging/single.sh and make demo DEPS=0, with
# nothing but the files of the archive.
#
# Without "full", the archive holds the working tree, with changes that are not committed. With "full", which
# `tests/run dist-full` gives, it holds the last commit, and tests/tools/alone.sh tests it also.
set -u
. tests/tools/lib.sh
. ./packaging/version.sh
WORK=$PWD/$BUILD/dist.check
rm -rf "$WORK"
mkdir -p "$WORK"
full=${1:-}
git ls-files --error-unmatch pe.h >"$WORK/log" 2>&1 || skip "this is no git checkout: $(head -n 1 "$WORK/log")"
unset MAKEFLAGS MAKELEVEL PREFIX DESTDIR INCLUDEDIR PKGCONFIGDIR CMAKEDIR

name=posenc-$VERSION
if [ "$full" = full ]; then
    check "sh packaging/dist.sh" sh packaging/dist.sh
    archive=$BUILD/$name.tar.gz
    again=
else
    archive=$WORK/$name.tar.gz
    again=tree
    check "sh packaging/dist.sh" sh packaging/dist.sh $again "$archive"
fi
[ -f "$archive" ] || { cat "$WORK/log" && echo "$passed passed, $failed failed" && exit 1; }

# The archive is made again a second later, with another time zone, umask and git configuration.
sleep 1
(
    umask 077
    # shellcheck disable=SC2086
    TZ=Asia/Tokyo LC_ALL=C GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=tar.umask GIT_CONFIG_VALUE_0=0077 \
        GIT_CONFIG_KEY_1=core.autocrlf GIT_CONFIG_VALUE_1=true \
        sh packaging/dist.sh $again "$WORK/again.tar.gz" >/dev/null
)
check "the same bytes again" cmp "$archive" "$WORK/again.tar.gz"

check "it unpacks" sh -c "gzip -dc '$archive' | (cd '$WORK' && tar xf -)"
git ls-files | grep -v '^build/' | git check-attr --stdin export-ignore |
    sed -n 's/: export-ignore: unspecified$//p' | LC_ALL=C sort >"$WORK/want"
(cd "$WORK/$name" && find . ! -type d | sed 's,^\./,,') | LC_ALL=C sort >"$WORK/found"
check "it has the files of the tree, below $name/" diff "$WORK/want" "$WORK/found"
check "those that a user needs are among them" sh -c "cd '$WORK/$name' &&
    ls pe.h pe_simd.h pe.c LICENSE README.md docs/building.md CHANGELOG.md .github/SECURITY.md .github/CONTRIBUTING.md Makefile CMakeLists.txt"

# inside COMMAND...: runs a command in the unpacked archive, without this tree's BUILD, as a user does.
inside() {
    (cd "$WORK/$name" && env -u BUILD "$@")
}
CFLAGS=-O1
[ "$full" != full ] || CFLAGS=-O2
check "make install" inside make -s install DESTDIR="$WORK/stage"
check "... of this pe.h" cmp pe.h "$WORK/stage/usr/local/include/posenc/pe.h"
check "... and this pe.c" cmp pe.c "$WORK/stage/usr/local/include/posenc/pe.c"
check "sh packaging/single.sh" inside sh packaging/single.sh
check "make demo DEPS=0" inside make demo DEPS=0 CFLAGS=$CFLAGS
cp "$WORK/log" "$WORK/demo"
check "... prints the table" grep -q '1:  0.8415  0.5403  0.0998' "$WORK/demo"
check "nothing was written but to build/" sh -c "cd '$WORK/$name' && find . -path ./build -prune -o ! -type d -print |
    sed 's,^\./,,' | LC_ALL=C sort | diff '$WORK/found' -"
if [ "$full" = full ]; then
    check "tests/tools/alone.sh" sh tests/tools/alone.sh "$archive"
    cat "$WORK/log.before"
fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
