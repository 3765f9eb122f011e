#!/bin/sh
# SPDX-License-Identifier: MIT
#
# deps.sh: finds out what the benchmarks lack and installs it, as tests/tools/deps.sh does for the tests.
# The script compiles with each item to decide whether it is present, and DEPS=0 installs nothing. The
# packages numpy and torch are large, so they take part only where they are installed already.
#
# shellcheck disable=SC2086
set -u
. tests/tools/lib.sh
CXX=${CXX:-c++}

say() { echo "bench-deps: $*"; }

includes() { # HEADER
    printf '#include <%s>\nint main() { return 0; }\n' "$1" |
        $CXX $EXTRA_CFLAGS -std=c++17 -isystem /usr/include/eigen3 -x c++ -fsyntax-only - 2>/dev/null
}

# present ITEM: succeeds if the item can be used.
present() {
    case $1 in
    c++) have "$CXX" ;;
    benchmark) includes benchmark/benchmark.h ;;
    eigen) includes Eigen/Core ;;
    xsimd) includes xsimd/xsimd.hpp ;;
    highway) includes hwy/highway.h ;;
    sleef | mpfr) have_library "$1" "$CC" ;;
    gnuplot | python3) have "$1" ;;
    esac
}

# package ITEM: prints the item's package under this package manager; the lists are for apt-get, dnf, pacman and brew.
package() {
    case $1 in
    c++) set -- g++ gcc-c++ gcc - ;;
    benchmark) set -- libbenchmark-dev google-benchmark-devel benchmark google-benchmark ;;
    eigen) set -- libeigen3-dev eigen3-devel eigen eigen ;;
    xsimd) set -- libxsimd-dev xsimd-devel xsimd xsimd ;;
    highway) set -- libhwy-dev highway-devel highway highway ;;
    sleef) set -- libsleef-dev sleef-devel sleef sleef ;;
    mpfr) set -- libmpfr-dev mpfr-devel mpfr mpfr ;;
    gnuplot) set -- gnuplot-nox gnuplot gnuplot gnuplot ;;
    python3) set -- python3 python3 python python3 ;;
    esac
    case $manager in
    apt-get) echo "$1" ;;
    dnf) echo "$2" ;;
    pacman) echo "$3" ;;
    brew) echo "$4" ;;
    esac
}

install() { # PACKAGE...
    root=
    [ "$(id -u)" = 0 ] || [ "$manager" = brew ] || root=sudo
    case $manager in
    apt-get)
        $root apt-get update &&
            $root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
        ;;
    dnf) $root dnf install -y --setopt=install_weak_deps=False "$@" ;;
    pacman) $root pacman -Sy --noconfirm --needed "$@" ;;
    brew) brew install "$@" ;;
    esac
}

# Without these, one of the others is missing in the tables, or the pictures.
optional="eigen xsimd highway gnuplot"
needed="c++ benchmark sleef mpfr python3"
measured=$optional
[ "${1:-}" != quick ] || optional='' measured="eigen xsimd highway" # a case is measured with what is there
missing_items() { # ITEM...
    for item; do
        present "$item" || printf '%s ' "$item"
    done
}

missing=$(missing_items $needed $optional)
manager=
for candidate in apt-get dnf pacman brew; do
    have $candidate && manager=$candidate && break
done
if [ -n "$missing" ] && [ "$DEPS" = 1 ] && [ -n "$manager" ]; then
    packages=$(for item in $missing; do package "$item"; done | sed '/^-$/d')
    say "missing: $missing"
    say "installing with $manager:" $packages "   (DEPS=0 turns this off)"
    mkdir -p "$BUILD"
    install $packages >"$BUILD/bench-deps.log" 2>&1 || say "that failed, see $BUILD/bench-deps.log"
fi
for item in $(missing_items $measured); do
    say "SKIP: $item is missing: no figures of it${manager:+ ($(package "$item"))}"
done
missing=$(missing_items $needed)
[ -z "$missing" ] || {
    say "STILL MISSING: $missing(the benchmarks need all of it)"
    exit 1
}
