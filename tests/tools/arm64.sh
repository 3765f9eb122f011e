#!/bin/sh
# SPDX-License-Identifier: MIT
#
# arm64.sh: puts libraries for AArch64 into build/arm64/sysroot: SLEEF, and those that the unit tests need.
#
# The packages are downloaded with a private apt configuration and unpacked. Nothing is installed, and no foreign
# architecture is added to the system. The packages come from the mirror of the system's own packages, except on Ubuntu,
# which has another mirror for AArch64. If the sysroot is complete, the script does nothing.
set -u
. tests/tools/lib.sh

packages="libsleef-dev libcmocka-dev libmpfr-dev libgmp-dev" # and the libraries that they depend on
work=$BUILD/arm64
case $work in
/*) ;;
*) work=$PWD/$work ;;
esac

say() { echo "arm64: $*"; }

[ ! -f "$work/complete" ] || exit 0
have apt-get && have dpkg || {
    say "no apt-get: AArch64 is tested without SLEEF"
    exit 1
}
[ "$DEPS" != 0 ] || {
    say "DEPS=0: AArch64 libraries are not downloaded"
    exit 1
}

say "downloading AArch64 libraries into $BUILD/arm64    (DEPS=0 turns this off)"
rm -rf "$work"
mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial" "$work/debs" "$work/sysroot"
: >"$work/apt/status"
cat >"$work/apt.conf" <<X
Dir::State::lists "$work/apt/lists";
Dir::State::status "$work/apt/status";
Dir::Cache::archives "$work/apt/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
Acquire::Languages "none";
X
# shellcheck disable=SC1091
distribution=$(. /etc/os-release 2>/dev/null && echo "${ID:-}:${VERSION_CODENAME:-}")
case $distribution in
ubuntu:*)
    for suite in "${distribution#*:}" "${distribution#*:}-updates" "${distribution#*:}-security"; do
        printf 'deb [signed-by=%s] %s %s main universe\n' /usr/share/keyrings/ubuntu-archive-keyring.gpg \
            http://ports.ubuntu.com/ubuntu-ports "$suite"
    done >"$work/sources.list"
    cat >>"$work/apt.conf" <<X
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "-";
X
    ;;
esac
export APT_CONFIG="$work/apt.conf"
{
    apt-get update &&
        (
            cd "$work/debs" || exit 1
            # shellcheck disable=SC2086
            libraries=$(apt-cache depends $packages |
                sed -n 's/^ *Depends: \(lib\(sleef\|cmocka\|mpfr\|gmp\)[0-9][a-z0-9]*\)$/\1/p')
            [ -n "$libraries" ] || exit 1
            for package in $packages $libraries; do
                apt-get download "$package:arm64" || exit 1
            done
        ) &&
        for deb in "$work"/debs/*.deb; do
            dpkg -x "$deb" "$work/sysroot" || exit 1
        done
} >"$work/log" 2>&1 || {
    say "the download failed, see $work/log"
    tail -n 3 "$work/log"
    exit 1
}
rm -rf "$work/apt" "$work/debs"
: >"$work/complete"
