#!/bin/sh
# SPDX-License-Identifier: MIT
#
# deps.sh demo|tool|test|check|fuzz|tools: finds out what is missing for `make demo`, `make tool`, `make test`,
# `make check`, `tests/run fuzz`, or for tests/run (sanitize, analyze, coverage), and installs it.
#
# deps.sh wasm: installs emscripten, node and a browser, for the steps wasm and explorer.
#
# deps.sh matrix: installs what check needs, and more for `tests/run matrix`. That is other versions of the
# compilers, 32-bit x86, and compilers for other machines, whose programs run under qemu-user.
#
# The script builds and links with each item to decide whether it is present. So libraries that were installed in
# another way count, and the package manager is only called if something is missing. With DEPS=0, nothing is installed;
# the script names what is missing, and what is done without it. A missing part fails under STRICT=1. The findings are
# written to build/config.mk, which tests/settings.mk reads. With APT_ARCHIVES=DIR, apt-get keeps its downloads in DIR
# for the next run on a fresh machine.
set -u
. tests/tools/lib.sh
goal=${1:-test}

say() { echo "deps: $*"; }

# present ITEM: succeeds if the item can be used.
present() {
    case $1 in
    sleef) [ "$SLEEF" = 0 ] || have_library sleef "$CC" ;;
    mpfr | cmocka | json-c) have_library "$1" "$CC" ;;
    afl) have afl-fuzz && have afl-clang-fast ;;
    gcc) have "$GCC" ;;
    g++) have "$GXX" ;;
    clang) have "$CLANG" ;;
    cmake | pkg-config | doxygen) have "$1" ;;
    meson) have meson && have ninja ;;
    ctags) ctags --version 2>/dev/null | grep -q 'Universal Ctags' ;;
    debian) have dpkg-buildpackage && have dh && have lintian ;;
    clang-tidy) have clang-tidy ;;
    cppcheck | gappa | gnuplot) have "$1" ;;
    valgrind) have valgrind ;;
    compiler-rt) # clang's sanitizers
        echo 'int main(void) { return 0; }' | links "$CLANG" -fsanitize=address,undefined ;;
    emscripten) have emcc && { have node || have nodejs; } ;;
    chromium) have chromium || have chromium-browser || have google-chrome ;;
    node) have node || have nodejs ;;
    opencl) # needs a device, the loader and the headers
        echo 'int main(void) { return 0; }' | links "$CC" -lOpenCL && ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1
        ;;
    vulkan) # needs the same, and a compiler of GLSL
        have glslangValidator && echo 'int main(void) { return 0; }' | links "$CC" -lvulkan &&
            ls /usr/share/vulkan/icd.d/lvp_icd.*.json >/dev/null 2>&1
        ;;
    cortex-m)
        have arm-none-eabi-gcc && have qemu-system-arm &&
            [ "$(arm-none-eabi-gcc -print-file-name=rdimon.specs)" != rdimon.specs ]
        ;;
    numpy) python3 -c 'import numpy' 2>/dev/null || /usr/bin/python3 -c 'import numpy' 2>/dev/null ;;
    pip | pytest) python3 -c "import $1" 2>/dev/null || /usr/bin/python3 -c "import $1" 2>/dev/null || have "$1" ;;
    arm64-gcc) [ "$(uname -m)" = aarch64 ] || [ "$(uname -m)" = arm64 ] || have "$ARM64_GCC" ;;
    arm64-libc) [ "$(uname -m)" = aarch64 ] || [ "$(uname -m)" = arm64 ] || [ -d "$ARM64_ROOT/lib" ] ;;
    qemu) [ "$(uname -m)" = aarch64 ] || [ "$(uname -m)" = arm64 ] || have "$QEMU_ARM64" ;;
    nrvo) [ -n "$(nrvo_compiler)" ] ;;
    compiler-gcc-*) have "${1#compiler-}" && have "g++${1#compiler-gcc}" ;;
    compiler-clang-*) have "${1#compiler-}" ;;
    m32) have_m32 "$GCC" c99 && have_m32 "$GXX" c++11 ;;
    machine-*) have_machine "${1#machine-}" ;;
    mingw) have x86_64-w64-mingw32-gcc && have wine ;;
    tcc) have tcc ;;
    newlib) have arm-none-eabi-gcc && have qemu-arm ;;
    esac
}

# package ITEM: prints the item's packages under this package manager, or "-" if there is none.
package() {
    case $manager:$1 in
    apt-get:sleef) echo libsleef-dev ;;
    dnf:sleef) echo sleef-devel ;;
    *:sleef) echo sleef ;;
    apt-get:gnuplot) echo gnuplot-nox fonts-dejavu-core ;;
    *:gnuplot) echo gnuplot ;;
    apt-get:mpfr) echo libmpfr-dev ;;
    dnf:mpfr) echo mpfr-devel ;;
    *:mpfr) echo mpfr ;;
    apt-get:cmocka) echo libcmocka-dev ;;
    dnf:cmocka) echo libcmocka-devel ;;
    *:cmocka) echo cmocka ;;
    apt-get:json-c) echo libjson-c-dev ;;
    dnf:json-c) echo json-c-devel ;;
    *:json-c) echo json-c ;;
    dnf:afl) echo american-fuzzy-lop ;;
    *:afl) echo afl++ ;;
    brew:gcc | brew:g++ | brew:clang) echo - ;;
    *:gcc) echo gcc ;;
    dnf:g++) echo gcc-c++ ;;
    pacman:g++) echo gcc ;;
    *:g++) echo g++ ;;
    *:clang) echo clang ;;
    *:cmake | *:meson | *:doxygen) echo "${1}" ;;
    apt-get:debian) echo dpkg-dev debhelper lintian ;;
    *:debian) echo - ;;
    apt-get:ctags | brew:ctags) echo universal-ctags ;;
    *:ctags) echo ctags ;;
    apt-get:pkg-config) echo pkg-config ;;
    *:pkg-config) echo pkgconf ;;
    brew:clang-tidy | brew:compiler-rt | brew:valgrind) echo - ;;
    apt-get:clang-tidy) echo clang-tidy ;;
    dnf:clang-tidy) echo clang-tools-extra ;;
    *:clang-tidy) echo clang ;;
    apt-get:compiler-rt) echo libclang-rt-dev ;;
    *:compiler-rt) echo compiler-rt ;;
    *:cppcheck) echo cppcheck ;;
    apt-get:gappa | dnf:gappa | brew:gappa) echo gappa ;;
    *:gappa) echo - ;;
    *:valgrind) echo valgrind ;;
    apt-get:emscripten | pacman:emscripten) echo "emscripten nodejs" ;;
    brew:emscripten) echo "emscripten node" ;;
    brew:node) echo node ;;
    *:node) echo nodejs ;;
    apt-get:opencl) echo pocl-opencl-icd ocl-icd-opencl-dev ;;
    dnf:opencl) echo pocl ocl-icd-devel ;;
    pacman:opencl) echo pocl ocl-icd opencl-headers ;;
    apt-get:vulkan) echo mesa-vulkan-drivers glslang-tools libvulkan-dev ;;
    dnf:vulkan) echo mesa-vulkan-drivers glslang vulkan-loader-devel vulkan-headers ;;
    pacman:vulkan) echo vulkan-swrast glslang vulkan-icd-loader vulkan-headers ;;
    apt-get:cortex-m) echo gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm ;;
    dnf:cortex-m) echo arm-none-eabi-gcc-cs arm-none-eabi-newlib qemu-system-arm ;;
    pacman:cortex-m) echo arm-none-eabi-gcc arm-none-eabi-newlib qemu-system-arm ;;
    *:opencl | *:vulkan | *:cortex-m) echo - ;;
    *:emscripten | brew:chromium) echo - ;;
    *:chromium) echo chromium ;;
    apt-get:numpy | dnf:numpy) echo python3-numpy ;;
    apt-get:pytest | dnf:pytest) echo python3-pytest ;;
    pacman:pytest) echo python-pytest ;;
    apt-get:pip | dnf:pip) echo python3-pip ;;
    pacman:pip) echo python-pip ;;
    brew:pip) echo - ;;
    pacman:numpy) echo python-numpy ;;
    *:numpy) echo numpy ;;
    brew:arm64-* | brew:qemu) echo - ;;
    pacman:arm64-gcc) echo aarch64-linux-gnu-gcc ;;
    *:arm64-gcc) echo gcc-aarch64-linux-gnu ;;
    apt-get:arm64-libc) echo libc6-dev-arm64-cross ;;
    pacman:arm64-libc) echo aarch64-linux-gnu-glibc ;;
    *:arm64-libc) echo - ;;
    *:qemu) echo qemu-user ;;
    apt-get:nrvo) # takes the first of these compilers that apt has; older ones do not know -Wnrvo
        for name in clang-22 clang-21 gcc-14 -; do
            [ "$name" = - ] || apt-cache show "$name" >/dev/null 2>&1 || continue
            echo "$name" && break
        done
        ;;
    *:nrvo) echo - ;;
    apt-get:compiler-gcc-14) # if apt lacks it, tests/tools/debian_gcc.sh gets it
        if apt-cache show gcc-14 >/dev/null 2>&1; then echo "gcc-14 g++-14"; else echo -; fi
        ;;
    apt-get:compiler-gcc-*) echo "${1#compiler-} g++${1#compiler-gcc}" ;;
    apt-get:compiler-*) echo "${1#compiler-}" ;;
    apt-get:m32) # gcc-multilib conflicts with the compilers for other machines, so it cannot be used
        echo "gcc-$($GCC -dumpversion | cut -d. -f1)-multilib g++-$($GXX -dumpversion | cut -d. -f1)-multilib"
        ;;
    dnf:m32) echo "glibc-devel.i686 libstdc++-devel.i686" ;;
    pacman:m32) echo "lib32-gcc-libs lib32-glibc" ;;
    apt-get:machine-*)
        name=$(machine_gcc "${1#machine-}")
        echo "gcc-${name%-gcc} libc6-dev-$(echo "${1#machine-}" | sed 's/64le/64el/')-cross qemu-user"
        ;;
    apt-get:mingw) echo "gcc-mingw-w64-x86-64-win32 wine wine64" ;;
    apt-get:newlib) echo "gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-user" ;;
    *:tcc) echo tcc ;;
    *:compiler-* | *:m32 | *:machine-* | *:mingw | *:newlib) echo - ;;
    esac
}

# without ITEM: prints what is done if the item is missing.
without() {
    case $1 in
    sleef) echo "pe takes its own sines: the same bits" ;;
    gnuplot) echo "the examples draw no pictures" ;;
    afl) echo "FUZZ_ENGINE=afl cannot run" ;;
    mpfr | cmocka) echo "the unit tests are skipped" ;;
    json-c) echo "there is no build/posenc, and its test is skipped" ;;
    emscripten) echo "WebAssembly is not tested" ;;
    chromium | node) echo "WebAssembly is not tested in a browser, nor is WebGPU" ;;
    opencl | vulkan) echo "pe_fixed.h is not tested on its devices" ;;
    format) echo "the format of C and C++ is not checked" ;;
    peers) echo "transformers, torch, triton and gguf are not compared with" ;;
    cortex-m) echo "pe_fixed.h is not tested on microcontrollers" ;;
    gcc | g++ | clang | gappa | numpy | pip | pytest | cmake | meson | doxygen | debian | pkg-config | clang-tidy | cppcheck | valgrind | compiler-rt | nrvo | ctags)
        echo "its part of the tests is skipped"
        ;;
    compiler-* | m32 | machine-* | mingw | tcc | newlib) echo "its cells of the matrix are skipped" ;;
    *) echo "AArch64 is not tested" ;;
    esac
}

items="sleef gnuplot"
[ "$goal" != tool ] || items="sleef json-c"
[ "$goal" != test ] || items="sleef mpfr cmocka g++"
[ "$goal" != fuzz ] || items="sleef clang$([ "${FUZZ_ENGINE:-}" != afl ] || echo " afl")"
[ "$goal" != wasm ] || items="emscripten chromium"
[ "$goal" != tools ] || items="sleef mpfr cmocka gcc g++ clang clang-tidy cppcheck valgrind compiler-rt"
case $goal in
check | matrix) items="$items mpfr cmocka json-c gappa gcc g++ clang nrvo compiler-rt valgrind numpy pip pytest cmake meson doxygen debian pkg-config arm64-gcc arm64-libc qemu opencl vulkan chromium node emscripten cortex-m ctags" ;;
esac
case $goal.$(uname -m) in
check.x86_64 | check.amd64) items="$items machine-s390x" ;; # a big-endian machine, under qemu-user
esac
if [ "$goal" = matrix ]; then
    # shellcheck disable=SC2086
    items="$items $(printf 'compiler-%s ' $MATRIX_COMPILERS)"
    case $(uname -m) in
    x86_64 | amd64)
        # shellcheck disable=SC2086
        items="$items m32 mingw tcc newlib $(printf 'machine-%s ' $MATRIX_MACHINES)"
        ;;
    esac
fi

missing_items() {
    for item in $items; do
        present "$item" || printf '%s ' "$item"
    done
}

if ! have "$CC"; then
    say "no C compiler '$CC' is to be found: install one, or name yours with CC=..."
    exit 1
fi

missing=$(missing_items)
manager=
for candidate in apt-get dnf pacman brew; do
    have $candidate && manager=$candidate && break
done

as_root() {
    if [ "$(id -u)" = 0 ] || [ "$manager" = brew ]; then
        "$@"
    elif have sudo; then
        if [ -t 0 ]; then sudo "$@"; else sudo -n "$@"; fi
    else
        say "not root, and there is no sudo"
        return 1
    fi
}

# apt_get ARGUMENTS...: runs apt-get while another apt may be running. apt-get waits for dpkg's lock, but fails at once
# if the lists or the downloads are locked. So it is tried again for five minutes.
apt_get() {
    if [ -n "${APT_ARCHIVES:-}" ]; then
        mkdir -p "$APT_ARCHIVES/partial"
        set -- -o Dir::Cache::archives="$APT_ARCHIVES" -o APT::Keep-Downloaded-Packages=true "$@"
    fi
    set -- env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"
    deadline=$(($(date +%s) + 300))
    until as_root "$@" >"$BUILD/apt.log" 2>&1; do
        if ! grep -q 'Could not get lock' "$BUILD/apt.log" || [ "$(date +%s)" -gt $deadline ]; then
            cat "$BUILD/apt.log"
            return 1
        fi
        sleep 5
    done
    cat "$BUILD/apt.log"
}

install() {
    case $manager in
    apt-get) apt_get install -y --no-install-recommends "$@" ;;
    dnf) as_root dnf install -y --setopt=install_weak_deps=False "$@" ;;
    pacman) as_root pacman -S --noconfirm --needed "$@" ;;
    brew) brew install "$@" ;;
    esac
}

refresh() {
    case $manager in
    apt-get) apt_get update ;;
    pacman) as_root pacman -Sy ;;
    *) true ;;
    esac
}

if [ -n "$missing" ] && [ "$DEPS" = 0 ]; then
    say "missing: $missing(DEPS=0: nothing will be installed)"
elif [ -n "$missing" ] && [ -z "$manager" ]; then
    say "missing: $missing(no apt-get, dnf, pacman or brew here: install them by hand)"
elif [ -n "$missing" ]; then
    packages=
    for item in $missing; do
        for name in $(package "$item"); do
            case " $packages " in
            *" $name "*) ;;
            *) [ "$name" = - ] || packages="$packages $name" ;;
            esac
        done
    done
    packages=${packages# }
    if [ -n "$packages" ]; then
        sudo_note=
        [ "$(id -u)" = 0 ] || [ "$manager" = brew ] || sudo_note="with sudo "
        say "missing: $missing"
        say "installing ${sudo_note}with $manager: $packages    (DEPS=0 turns this off)"
        mkdir -p "$BUILD"
        log=$BUILD/deps.log
        # shellcheck disable=SC2086
        if ! { refresh && install $packages; } >"$log" 2>&1; then
            # One unknown name makes the package manager refuse all of them, so they are tried one at a time.
            for name in $packages; do
                install "$name" >>"$log" 2>&1 || say "$manager could not install $name, see $log"
            done
        fi
    fi
    missing=$(missing_items)
fi

case " $missing " in
*" compiler-gcc-14 "*) [ "$DEPS" = 0 ] || ! sh tests/tools/debian_gcc.sh 14 trixie || missing=$(missing_items) ;;
esac

if { [ "$goal" = check ] || [ "$goal" = matrix ]; } && ! cpu_has neon; then
    if have_arm64; then
        sh tests/tools/arm64.sh || missing="$missing arm64-libraries"
    fi
fi

# Packages of the Python package index are installed into an environment with pinned versions.
if [ "$goal" = check ] || [ "$goal" = matrix ]; then
    for item in peers format; do
        sh tests/tools/environment.sh $item || missing="$missing $item"
    done
fi

for item in $missing; do
    say "STILL MISSING: $item; $(without "$item")"
done

flag() { if "$@" >/dev/null 2>&1; then echo 1; else echo 0; fi; }
mkdir -p "$BUILD"
{
    echo "# written by tests/tools/deps.sh"
    echo "HAVE_SLEEF := $([ "$SLEEF" = 0 ] && echo 0 || flag have_library sleef "$CC")"
    echo "CPU_ISAS := $(cpu_isas)"
    echo "NATIVE_FLAGS := $(echo 'int main(void) { return 0; }' | links "$CC" -march=native && echo -march=native)"
} >"$BUILD/config.mk.$$" && mv "$BUILD/config.mk.$$" "$BUILD/config.mk"

[ -z "$missing" ] || [ "$STRICT" != 1 ] || {
    say "STRICT=1: stopping, since something is missing"
    exit 1
}
exit 0
