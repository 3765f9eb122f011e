#!/bin/sh
# SPDX-License-Identifier: MIT
#
# alone.sh ARCHIVE [quick]: tests the archive alone, as an ordinary user without a network. It runs `make test`, or
# `make quick`, and installs to a prefix. It builds programs with the installed files, using pkg-config, CMake and
# meson. Then pip makes a wheel, and the tests of the packages run. Nothing is written outside one directory.
#
# If root runs this script, this user is nobody; otherwise it is the user who runs the script. The commands run in a
# namespace without a network if unshare can make one. PATH has only the folders of the system, so programs of pyenv,
# rustup and the like are not used.
set -u
. tests/tools/lib.sh
. ./packaging/version.sh
[ -f "${1:-}" ] || { echo "alone.sh ARCHIVE" && exit 1; }
WORK=$(mktemp -d "${TMPDIR:-/tmp}/posenc.XXXXXX")
trap 'chmod -R u+w "$WORK"; rm -rf "$WORK"' EXIT
PLACE=$WORK/place PREFIX=$WORK/place/prefix
SOURCE=$PLACE/posenc-$VERSION
mkdir -p "$PLACE/home" "$PLACE/tmp"
chmod 755 "$WORK"
gzip -dc "$1" | (cd "$PLACE" && tar xf -) || exit 1
touch "$WORK/before"

as=
if [ "$(id -u)" = 0 ] && have setpriv; then
    as="setpriv --reuid=65534 --regid=65534 --clear-groups"
    chown -R 65534:65534 "$PLACE"
fi
if unshare -n true 2>/dev/null; then
    as="unshare -n $as"
elif unshare -rn true 2>/dev/null; then
    as="unshare -rn $as"
else
    echo "SKIP: unshare cannot: with the network that is there"
fi
# alone COMMAND...: runs the command in the source, without the caller's environment.
alone() {
    # shellcheck disable=SC2086
    (cd "$SOURCE" && env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$PLACE/home" TMPDIR="$PLACE/tmp" DEPS=0 JOBS="$JOBS" \
        PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig" LD_LIBRARY_PATH="$PREFIX/lib" PREFIX="$PREFIX" $as "$@")
}
JOBS=${JOBS:-2}
said() { # prints the SKIP lines and the last line of the step that has just run
    sed -n 's/^ *SKIP/SKIP/p' "$WORK/log.before"
    tail -n 1 "$WORK/log.before"
    skipped=$((skipped + $(grep -c '^ *SKIP' "$WORK/log.before")))
}

check "nobody is an ordinary user" alone sh -c '[ "$(id -u)" != 0 ] && ! touch /usr/include/posenc.h 2>/dev/null'
check "make ${2:-test}" alone make "${2:-test}"
said
check "make install-lib to a prefix" alone make -s install-lib
check "... whose pe.h is that of the archive" cmp "$SOURCE/pe.h" "$PREFIX/include/posenc/pe.h"
bits() { # PROGRAM: succeeds if it prints the version, and the bits that it has with the headers of the source
    alone "$1" "$VERSION" >"$WORK/said" && grep -v '^#' "$WORK/said" >"$WORK/bits.${2:-now}" &&
        diff "$WORK/bits.here" "$WORK/bits.${2:-now}"
}
check "a program, with the headers here" alone cc -std=c99 -O0 -I. tests/checks/package/client.c -o ../here -lm
check "... runs" bits ../here here
# shellcheck disable=SC2016
for module in posenc posenc-lib; do
    check "pkg-config $module" alone sh -c \
        'cc -O1 $(pkg-config --cflags '$module') tests/checks/package/client.c -o ../client $(pkg-config --libs '$module')'
    check "... the same bits" bits ../client
done
for target in posenc::posenc posenc::lib; do
    component=${target#*::}
    check "find_package(posenc), $target" alone sh -c \
        "rm -rf ../cmake && cmake -S tests/checks/package -B ../cmake -DLANGUAGES=C -DFROM=package -DTARGET=$target \
            -DCOMPONENTS=$component -DCMAKE_PREFIX_PATH=$PREFIX && cmake --build ../cmake"
    check "... the same bits" bits ../cmake/client_c
done
check "meson, its tests, installed to another prefix" alone sh -c \
    "meson setup ../meson --prefix=$PLACE/meson-prefix -Dlibrary=true && meson test -C ../meson && meson install -C ../meson"
check "a wheel by pip" alone sh -c "pip3 wheel --no-index --no-deps -w ../wheel ./python"
check "... installed" alone sh -c "pip3 install --no-index --no-deps --target ../site ../wheel/posenc-*.whl"
# shellcheck disable=SC2016
check "... fills the paper's table" alone sh -c \
    'PYTHONPATH=../site python3 -c "import posenc; print(posenc.sinusoidal(512, 512)[1, :2])" | grep -F "[0.84147096 0.5403023 ]"'
for test in package single library python; do
    check "tests/checks/$test.sh" alone sh tests/checks/$test.sh
    said
done
elsewhere() { # prints the files that the user nobody has written outside the directory
    find / \( -path /proc -o -path /sys -o -path "$WORK" \) -prune -o -user 65534 -newer "$WORK/before" ! -type d -print 2>/dev/null
}
case $as in
*setpriv*) check "no file was written elsewhere" sh -c '[ -z "$1" ] || { echo "$1" && exit 1; }' sh "$(elsewhere)" ;;
*) echo "SKIP: not root: what else was written is not told apart" ;;
esac

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
