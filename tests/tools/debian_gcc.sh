#!/bin/sh
# SPDX-License-Identifier: MIT
#
# debian_gcc.sh VERSION RELEASE [PACKAGE...]: puts gcc-VERSION and g++-VERSION into build/gccVERSION, on a Debian that
# does not have them. `tests/run matrix` needs version 14 of trixie, and `tests/run modules` version 16 of sid.
#
# The packages of that release and their C library are downloaded with a private apt configuration and unpacked. Nothing
# is installed. The compiler runs with that library's loader, and uses the headers and the linker of this system. It
# uses this system's assembler also, unless a PACKAGE contains another one. If the compiler is complete, the script does
# nothing.
set -u
. tests/tools/lib.sh

version=$1 release=$2
shift 2
packages="gcc-$version-x86-64-linux-gnu cpp-$version-x86-64-linux-gnu g++-$version-x86-64-linux-gnu
    libgcc-$version-dev libstdc++-$version-dev
    libc6 libisl23 libmpc3 libmpfr6 libgmp10 libzstd1 zlib1g libgcc-s1 libstdc++6 $*"
work=$BUILD/gcc$version
case $work in
/*) ;;
*) work=$PWD/$work ;;
esac

say() { echo "gcc-$version: $*"; }

[ ! -f "$work/complete" ] || exit 0
keys=/usr/share/keyrings/debian-archive-keyring.gpg
have apt-get && have dpkg && [ -f $keys ] && [ "$(uname -m)" = x86_64 ] || {
    say "this is no Debian for x86-64: gcc-$version is left out"
    exit 1
}
[ "$DEPS" != 0 ] || {
    say "DEPS=0: gcc-$version is not downloaded"
    exit 1
}

say "downloading it into $work    (DEPS=0 turns this off)"
rm -rf "$work"
mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial" "$work/debs" "$work/root"
: >"$work/apt/status"
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' | sed -n 's/^Debian \(.*\/debian\/*\)$/\1/p' | head -n 1)
echo "deb [signed-by=$keys] $mirror $release main" >"$work/sources.list"
cat >"$work/apt.conf" <<X
Dir::State::lists "$work/apt/lists";
Dir::State::status "$work/apt/status";
Dir::Cache::archives "$work/apt/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "-";
APT::Sandbox::User "";
Acquire::Languages "none";
X
cat >"$work/run" <<X
#!/bin/sh
# Runs a program of these packages with the loader that belongs to it, and any other program directly.
case \$1 in
"$work/root"/*) exec "$work/root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$work/root/usr/lib/x86_64-linux-gnu" "\$@" ;;
*) exec "\$@" ;;
esac
X
cat >"$work/gcc-$version" <<X
#!/bin/sh
exec "$work/run" "$work/root/usr/bin/x86_64-linux-gnu-\${0##*/}" -B"$work/tools/" \\
    -B"$work/root/usr/libexec/gcc/x86_64-linux-gnu/$version/" -B"$work/root/usr/lib/gcc/x86_64-linux-gnu/$version/" \\
    -fno-use-linker-plugin -wrapper "$work/run" "\$@"
X
cp "$work/gcc-$version" "$work/g++-$version"
chmod 755 "$work/run" "$work/gcc-$version" "$work/g++-$version"
export APT_CONFIG="$work/apt.conf"
{
    apt-get update &&
        (
            cd "$work/debs" || exit 1
            # shellcheck disable=SC2086
            apt-get download $packages
        ) &&
        for deb in "$work"/debs/*.deb; do
            dpkg -x "$deb" "$work/root" || exit 1
        done && rm "$work/root/usr/lib/gcc/x86_64-linux-gnu/$version/libstdc++.so" && # it needs a newer C library
        if [ -x "$work/root/usr/bin/x86_64-linux-gnu-as" ]; then
            mkdir "$work/tools" &&
                printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$work/run" "$work/root/usr/bin/x86_64-linux-gnu-as" >"$work/tools/as" &&
                chmod 755 "$work/tools/as"
        fi &&
        echo 'int main() { return 0; }' | "$work/g++-$version" -x c++ - -o "$work/probe" &&
        echo 'int main(void) { return 0; }' | "$work/gcc-$version" -x c - -o "$work/probe" && "$work/probe"
} >"$work/log" 2>&1 || {
    say "it does not work, see $work/log"
    tail -n 3 "$work/log"
    exit 1
}
rm -rf "$work/debs" "$work/apt"
: >"$work/complete"
