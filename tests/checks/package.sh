#!/bin/sh
# SPDX-License-Identifier: MIT
#
# package.sh: checks that make, CMake and meson install what a user needs, and no more.
#
#   files     `make install` and CMake install exactly the expected files, with the same bytes. Everybody can read them.
#             They name neither the source tree nor the place of the build. `make uninstall` removes all of them.
#   library   `make install-lib`, and CMake with POSENC_LIBRARY, also install the library, with pkg-config's posenc-lib
#             and CMake's posenc::lib.
#   clients   A program in C99 and C++11 is built in each way and gets the same bits. It finds the installed files,
#             after they were moved, with pkg-config and find_package. It finds the source tree with add_subdirectory
#             and FetchContent, and also a build directory of CMake. It uses the headers, functions that are compiled
#             once, or the library. SLEEF is on or off; without it, the program needs only libm and libc.
#   meson     meson installs the same files, and builds the program with pe as a subproject.
#   versions  The macros of pe.h, pkg-config, CMake and CHANGELOG.md name the same version.
set -u
. tests/tools/lib.sh
. ./packaging/version.sh
TOP=$PWD
WORK=$TOP/$BUILD/package
rm -rf "$WORK"
mkdir -p "$WORK"
unset MAKEFLAGS MAKELEVEL PREFIX DESTDIR INCLUDEDIR PKGCONFIGDIR CMAKEDIR

not() { ! "$@"; }
# said TEXT: succeeds if the check before this one printed the text, on one line or on several.
said() { tr -s ' \n' '  ' <"$WORK/log.before" | grep -q -e "$1"; }
equal() { [ "$1" = "$2" ] || { echo "'$1', not '$2'" && return 1; }; }

# ---- files ----------------------------------------------------------------------------------------

cat >"$WORK/expected" <<X
include/posenc/pe.c 644
include/posenc/pe.h 644
include/posenc/pe_fixed.glsl 644
include/posenc/pe_fixed.h 644
include/posenc/pe_fixed.wgsl 644
include/posenc/pe_simd.h 644
share/cmake/posenc/posencConfig.cmake 644
share/cmake/posenc/posencConfigVersion.cmake 644
share/cmake/posenc/posencTarget.cmake 644
share/pkgconfig/posenc-sleef.pc 644
share/pkgconfig/posenc.pc 644
X

files() { find "$1" ! -type d | LC_ALL=C sort; }
lists() { # DIRECTORY: it holds the expected files, with their modes
    files "$1" | while read -r file; do
        # shellcheck disable=SC2012
        echo "${file#"$1"/} $(ls -l "$file" | cut -c 2-10 | sed 's/rw-r--r--/644/')"
    done >"$WORK/found"
    diff "$WORK/expected" "$WORK/found"
}
empty() { equal "$(files "$1")" ""; }
names_place() { grep -r -l -F -e "$TOP" -e @PE_ "$1"; }

STAGE=$WORK/stage
# With this umask, files would be readable only for their owner if make install did not set their modes.
check "make install" sh -c "umask 077 && make -s install DESTDIR='$STAGE' BUILD='$WORK/none'"
check "make install: the expected files, readable" lists "$STAGE/usr/local"
check "make install: nothing outside PREFIX" equal "$(files "$STAGE" | grep -v "^$STAGE/usr/local/")" ""
check "make install: no file names where it was made" not names_place "$STAGE"
check "make install: pe.h as it is" cmp pe.h "$STAGE/usr/local/include/posenc/pe.h"
check "make install: pe.c as it is" cmp pe.c "$STAGE/usr/local/include/posenc/pe.c"
check "make install: pe_simd.h as it is" cmp pe_simd.h "$STAGE/usr/local/include/posenc/pe_simd.h"

own="PREFIX=/opt/pe INCLUDEDIR=/opt/pe/include/0 PKGCONFIGDIR=/opt/pe/lib/pkgconfig CMAKEDIR=/lib/cmake/posenc"
# shellcheck disable=SC2086
check "make install to directories of one's own" make -s install "DESTDIR=$WORK/own" "BUILD=$WORK/none" $own
check "... puts them there" test -f "$WORK/own/opt/pe/include/0/posenc/pe.h"
# shellcheck disable=SC2016
check "... which posenc.pc says by prefix" grep -q -x 'includedir=${prefix}/include/0' \
    "$WORK/own/opt/pe/lib/pkgconfig/posenc.pc"
check "... and posencConfig.cmake, outside of it, in full" grep -q '"/opt/pe/include/0/posenc"' \
    "$WORK/own/lib/cmake/posenc/posencConfig.cmake"
touch "$WORK/own/opt/pe/include/0/posenc/other.h"
# shellcheck disable=SC2086
check "make uninstall" make -s uninstall "DESTDIR=$WORK/own" $own
check "make uninstall leaves what is not its own" equal "$(files "$WORK/own")" \
    "$WORK/own/opt/pe/include/0/posenc/other.h"

# make install also installs the program posenc if `make tool` has built it. This file stands for it.
mkdir -p "$WORK/tool"
echo 'exit 0' >"$WORK/tool/posenc"
chmod 755 "$WORK/tool/posenc"
check "make install: the program where it was built" make -s install "DESTDIR=$WORK/program" "BUILD=$WORK/tool"
check "... to bin, to be run" test -x "$WORK/program/usr/local/bin/posenc"
check "make uninstall takes it away" make -s uninstall "DESTDIR=$WORK/program"
check "... and leaves nothing" empty "$WORK/program"

# The clients below use a copy of the installed files in another place. Its files must find each other there.
MOVED=$WORK/moved/somewhere
mkdir -p "$WORK/moved"
cp -R "$STAGE/usr/local" "$MOVED"
check "make uninstall from /usr/local" make -s uninstall "DESTDIR=$STAGE"
check "make uninstall: nothing is left" empty "$STAGE"
check "make uninstall: nor a directory of its own" test ! -e "$STAGE/usr/local/share/cmake/posenc" -a ! -e "$STAGE/usr/local/include/posenc"

# make install-lib installs the same files and those of the library. What was in share/ is then in lib/.
STAGE=$WORK/stage-lib
check "make install-lib" make -s install-lib "DESTDIR=$STAGE" "BUILD=$WORK/lib" CFLAGS=-O0
LIBRARY=$WORK/moved/library
cp -R "$STAGE/usr/local" "$LIBRARY"
of_library() { # DIRECTORY SHARED LIBRARIES...: it holds the files of the headers, and these
    of=$1
    shift
    cut -d ' ' -f 1 "$WORK/expected" | sed s,^share/,lib/, >"$WORK/names"
    for file in cmake/posenc/posencLibrary.cmake pkgconfig/posenc-lib.pc pkgconfig/posenc-static.pc "$@"; do echo "lib/$file"; done >>"$WORK/names"
    LC_ALL=C sort -o "$WORK/names" "$WORK/names"
    (cd "$of" && find . ! -type d | sed 's,^\./,,' | LC_ALL=C sort) | diff "$WORK/names" - || return 1
    cut -d ' ' -f 1 "$WORK/expected" | while read -r file; do
        cmp "$MOVED/$file" "$of/$(echo "$file" | sed s,^share/,lib/,)" || echo different
    done | not grep .
}
shared="libposenc.so libposenc.so.$SERIES libposenc.so.$VERSION"
# shellcheck disable=SC2086
check "make install-lib: the headers' files, and its own" of_library "$LIBRARY" libposenc.a $shared
check "make install-lib: no file names where it was made" not names_place "$LIBRARY"
check "make install, too" make -s install "DESTDIR=$STAGE" "BUILD=$WORK/none"
check "make uninstall" make -s uninstall "DESTDIR=$STAGE"
check "make uninstall: nothing is left of either" empty "$STAGE"
check "make uninstall: nor a directory of its own" test ! -e "$STAGE/usr/local/lib/cmake/posenc"

# ---- clients --------------------------------------------------------------------------------------

flags="-O0 $(isa_flags "$(best_isa)")"
with_sleef=0
if [ "$SLEEF" != 0 ] && have_library sleef "$CC"; then with_sleef=1; fi
both="C;CXX"
have "$GXX" || {
    both=C
    skipping "clients in C++: $GXX is missing"
}

# The client that is compiled with the tree's headers and without SLEEF gives the reference bits.
# shellcheck disable=SC2086
check "the client, from the tree" "$CC" -std=c99 $WARNINGS $flags -I. -DPE_SLEEF=0 \
    tests/checks/package/client.c -o "$WORK/reference" -lm
check "its macros agree that this is $VERSION" "$WORK/reference" "$VERSION"
grep -v '^#' "$WORK/log" >"$WORK/bits"
check "it prints fourteen hashes" equal "$(grep -c ' [0-9a-f]\{16\}$' "$WORK/bits")" 14

same_bits() { # PROGRAM SLEEF: the version, the bits, and SLEEF in use (1) or not (0)
    "$1" "$VERSION" >"$WORK/out" || { cat "$WORK/out" && return 1; }
    grep -v '^#' "$WORK/out" | diff "$WORK/bits" - || return 1
    grep '^#' "$WORK/out"
    case $2 in
    1) grep -q '^#.* SLEEF: SLEEF' "$WORK/out" ;;
    0) grep -q '^#.* SLEEF: none' "$WORK/out" ;;
    library) grep -q '^#.* SLEEF: library' "$WORK/out" ;;
    esac
}

if have pkg-config; then
    PKG_CONFIG_PATH=$MOVED/share/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    export PKG_CONFIG_PATH
    check "pkg-config: posenc is $VERSION" equal "$(pkg-config --modversion posenc)" "$VERSION"
    # With these variables pkg-config finds no other package.
    alone="PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR=$MOVED/share/pkgconfig"
    # shellcheck disable=SC2086
    {
        check "pkg-config: posenc needs no other package" env $alone pkg-config --exists posenc
        check "pkg-config: posenc-sleef needs SLEEF" not env $alone pkg-config --exists posenc-sleef
    }
    modules="posenc:0"
    if [ $with_sleef = 1 ] && pkg-config --exists sleef; then
        modules="posenc:0 posenc-sleef:1"
        check "pkg-config: posenc-sleef is $VERSION" equal "$(pkg-config --modversion posenc-sleef)" "$VERSION"
    else
        skipping "pkg-config posenc-sleef: SLEEF is missing, off, or unknown to pkg-config"
    fi
    for module in $modules; do
        sleef=${module#*:} module=${module%:*}
        rm -f "$WORK/client"
        # shellcheck disable=SC2046,SC2086
        check "pkg-config $module: C99" "$CC" -std=c99 $WARNINGS $flags \
            $(pkg-config --cflags $module) tests/checks/package/client.c -o "$WORK/client" \
            $(pkg-config --libs $module)
        check "pkg-config $module: C99, the same bits" same_bits "$WORK/client" "$sleef"
        have "$GXX" || { skipping "pkg-config $module: $GXX is missing" && continue; }
        rm -f "$WORK/client"
        # shellcheck disable=SC2046,SC2086
        check "pkg-config $module: C++11" "$GXX" -std=c++11 $WARNINGS $flags \
            $(pkg-config --cflags $module) tests/checks/package/client.cpp -o "$WORK/client" \
            $(pkg-config --libs $module)
        check "pkg-config $module: C++11, the same bits" same_bits "$WORK/client" "$sleef"
    done
    # The client must call the functions of the library, and not have its own: nm shows that they are undefined in it.
    (
        PKG_CONFIG_PATH=$LIBRARY/lib/pkgconfig LD_LIBRARY_PATH=$LIBRARY/lib
        export PKG_CONFIG_PATH LD_LIBRARY_PATH
        # shellcheck disable=SC2046,SC2086
        $CC -std=c99 $WARNINGS -O0 $(pkg-config --cflags posenc-lib) tests/checks/package/client.c \
            -o "$WORK/client-lib" $(pkg-config --libs posenc-lib) &&
            nm -u "$WORK/client-lib" | grep -q 'pe_fill_f32' && same_bits "$WORK/client-lib" library
    ) >"$WORK/posenc-lib" 2>&1
    check "pkg-config posenc-lib: C99, the same bits" equal $? 0
    [ -x "$WORK/client-lib" ] || cat "$WORK/posenc-lib"
    # Links the static library into a shared one.
    (
        PKG_CONFIG_PATH=$LIBRARY/lib/pkgconfig
        export PKG_CONFIG_PATH
        # shellcheck disable=SC2046,SC2086
        $CC -std=c99 $WARNINGS -O0 -fPIC -shared $(pkg-config --cflags posenc-static) tests/checks/package/client.c \
            -o "$WORK/client-static.so" $(pkg-config --libs posenc-static) &&
            nm "$WORK/client-static.so" | grep ' [Tt] pe_fill_f32$' && ! nm -D "$WORK/client-static.so" | grep ' pe_'
    ) >"$WORK/posenc-static" 2>&1
    check "pkg-config posenc-static: a shared library has pe inside and exports none of it" equal $? 0
    [ -f "$WORK/client-static.so" ] || cat "$WORK/posenc-static"
    # The client must include the moved header, not that of the source tree nor one that this machine has.
    # shellcheck disable=SC2046
    check "pkg-config: the header where it was moved to" sh -c \
        'echo "#include <pe.h>" | "$@" -M -x c - | grep -q "moved/somewhere/.*pe\.h"' sh "$CC" \
        $(pkg-config --cflags posenc)
else
    skipping "pkg-config is missing"
fi

configure() { # NAME OPTIONS...
    directory=$WORK/$1
    shift
    rm -rf "$directory"
    env CC="$CC" CXX="$GXX" CFLAGS="$flags $EXTRA_CFLAGS" CXXFLAGS="$flags $EXTRA_CFLAGS" \
        cmake -S tests/checks/package -B "$directory" "$@"
}
project() { # NAME LANGUAGES SLEEF OPTIONS...: configure, build, run
    name=$1 languages=$2 sleef=$3
    shift 3
    check "CMake, $name" configure "$name" "-DLANGUAGES=$languages" "$@"
    check "CMake, $name: is $VERSION" said "pe version: $VERSION "
    check "CMake, $name: builds" cmake --build "$WORK/$name" -j "$JOBS"
    case $languages in *C*) [ "$languages" = CXX ] ||
        check "CMake, $name: C99, the same bits" same_bits "$WORK/$name/client_c" "$sleef" ;;
    esac
    case $languages in *CXX*)
        check "CMake, $name: C++11, the same bits" same_bits "$WORK/$name/client_cpp" "$sleef" ;;
    esac
}
cmake_install() { # NAME PREFIX OPTIONS...: the source tree as the project
    name=$1 prefix=$2
    shift 2
    cmake -S . -B "$WORK/$name.build" "$@" &&
        DESTDIR=$WORK/$name cmake --install "$WORK/$name.build" --prefix "$prefix"
}

exported() { # NAME PREFIX OPTIONS...: what the project NAME exports, installed to PREFIX, asks for its target, and is of use
    name=$1 prefix=$2
    case $name in *compiled) target=compiled ;; *static) target=static ;; *) target=lib ;; esac
    shift 2
    check "CMake, $name: installs" cmake --install "$WORK/$name" --prefix "$prefix"
    check "CMake, $name: ... asks for posenc::$target" grep -q "posenc::$target" "$prefix/lib/cmake/user/user.cmake"
    # shellcheck disable=SC2086
    check "CMake, $name: a program with it" configure "$name-user" -DLANGUAGES=$both -DFROM=package \
        -DTARGET=posenc::$target -DCOMPONENTS=$target "-DUSER=$prefix" "$@"
    check "CMake, $name: ... builds" cmake --build "$WORK/$name-user" -j "$JOBS" --target client_user
    check "CMake, $name: ... the same bits" same_bits "$WORK/$name-user/client_user" library
}
# These functions read programs and object files.
needs() { readelf -d "$1" | grep -q "NEEDED.*\[$2"; }
only_libm() { ! readelf -d "$1" | grep NEEDED | grep -v -e '\[libm\.' -e '\[libc\.'; }
isa_of() { "$1" | sed -n 's/^# pe [^,]*, \([^,]*\),.*/\1/p'; }
isa_is() { grep "^#.*, $1, SLEEF" "$WORK/out"; }
has_pe() { nm "$WORK/$1/libfirst.so" | grep ' [Tt] pe_fill_f32$' && nm "$WORK/$1/libsecond.so" | grep ' [Tt] pe_fill_f32$'; }
exports_pe() { nm -D --defined-only "$WORK/$1/libfirst.so" "$WORK/$1/libsecond.so" | grep ' pe_'; }
with_pe() { find "$1" -name '*.o' -exec nm -A {} + | grep ' T .*pe_fill_f32'; }
cmake_library() {
    env CC="$CC" CFLAGS="-O0 $EXTRA_CFLAGS" cmake -S . -B "$WORK/library.build" -DPOSENC_LIBRARY=ON \
        -DCMAKE_BUILD_TYPE=None -DCMAKE_INSTALL_LIBDIR=lib &&
        cmake --build "$WORK/library.build" -j "$JOBS" &&
        DESTDIR=$WORK/library cmake --install "$WORK/library.build" --prefix /usr/local
}
ctest_library() { (cd "$WORK/library.build" && ctest --no-tests=error --output-on-failure); }

if have cmake; then
    if cmake --help | grep -q -e --preset; then
        check "CMakePresets.json" cmake --preset library -B "$WORK/preset"
    fi
    check "cmake --install" cmake_install stage-cmake /usr/local
    check "cmake --install: the files of make install" diff -r "$MOVED" "$WORK/stage-cmake/usr/local"
    check "cmake --install: the expected files, readable" lists "$WORK/stage-cmake/usr/local"
    check "cmake --install to directories of one's own" cmake_install own-cmake /opt \
        -DCMAKE_INSTALL_INCLUDEDIR=/abs/include -DCMAKE_INSTALL_DATADIR=lib/data
    own=$WORK/own-cmake
    check "... puts them there" test -f "$own/abs/include/posenc/pe.h"
    check "... which posenc.pc says" grep -q -x 'includedir=/abs/include' "$own/opt/lib/data/pkgconfig/posenc.pc"
    # shellcheck disable=SC2016
    check "... with its prefix" grep -q -x 'prefix=${pcfiledir}/../../..' "$own/opt/lib/data/pkgconfig/posenc.pc"
    check "... and posencConfig.cmake" grep -q '"/abs/include/posenc"' "$own/opt/lib/data/cmake/posenc/posencConfig.cmake"

    at="-DFROM=package -DCMAKE_PREFIX_PATH=$MOVED"
    tree="-DPOSENC_SOURCE=$TOP"
    on=-DPOSENC_WITH_SLEEF=ON
    # With these options CMake finds no SLEEF, though the compiler may see its header.
    none="-DCMAKE_FIND_ROOT_PATH=$WORK/nothing -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY"
    none="$none -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_DISABLE_FIND_PACKAGE_sleef=ON"
    # shellcheck disable=SC2086
    {
        if [ $with_sleef = 1 ]; then
            project FetchContent-sleef C 1 -DFROM=fetch "$tree" $on
            project find_package-sleef "$both" 1 $at $on
            project compiled-sleef C library $at $on -DTARGET=posenc::compiled
            check "CMake, compiled-sleef: ... SLEEF is in" needs "$WORK/compiled-sleef/client_c" libsleef
        else
            skipping "CMake with SLEEF: it is missing or off"
        fi
        # These clients do not ask for SLEEF, so they must not use it, even if this machine has it.
        project find_package "$both" 0 $at
        project add_subdirectory "$both" 0 -DFROM=subdirectory "$tree"
        project FetchContent C 0 -DFROM=fetch "$tree"
        [ "$both" = C ] || project find_package-cpp CXX 0 $at
        for name in find_package add_subdirectory FetchContent; do
            check "CMake, $name: the program needs libm and libc alone" only_libm "$WORK/$name/client_c"
        done

        # pe is compiled once for a client in C and one in C++, and once for two libraries and their program.
        once="-DTARGET=posenc::compiled"
        project find_package-compiled "$both" library $at $once -DCOMPONENTS=compiled
        project FetchContent-compiled C library -DFROM=fetch "$tree" $once -DISA=SCALAR
        check "CMake, FetchContent-compiled: ... with the instruction set that it was given" isa_is scalar
        project subdirectory-compiled C library -DFROM=subdirectory "$tree" $once -DBUILD_SHARED_LIBS=ON
        check "CMake, subdirectory-compiled: ... with that of the project's flags" isa_is "$(isa_of "$WORK/reference")"
        check "CMake, subdirectory-compiled: shared libraries export no function of pe" not exports_pe subdirectory-compiled
        [ "$both" = C ] || project find_package-compiled-cpp CXX library $at $once
        for name in find_package-compiled FetchContent-compiled subdirectory-compiled; do
            check "CMake, $name: two libraries in one program" "$WORK/$name/parts"
            check "CMake, $name: ... one object file has pe" equal "$(with_pe "$WORK/$name" | grep -c .)" 1
        done
        check "CMake: a project without C misses the component compiled" not configure missed -DLANGUAGES=NONE $at -DCOMPONENTS=compiled
        check "CMake: ... and is told so" said "component compiled needs a project with C or C++"

        lib="-DFROM=package -DTARGET=posenc::lib -DCOMPONENTS=lib"
        project find_package-lib "$both" library $lib "-DCMAKE_PREFIX_PATH=$LIBRARY"
        project subdirectory-lib C library -DFROM=subdirectory "$tree" -DTARGET=posenc::lib
        needs_lib() { needs "$WORK/$1/client_c" libposenc.so; }
        check "CMake, find_package-lib: it is the shared library" needs_lib find_package-lib
        check "CMake, subdirectory-lib: it is the static library" not needs_lib subdirectory-lib
        # Two shared libraries contain the static library and export none of its functions. One program uses both.
        static="-DTARGET=posenc::static -DBUILD_SHARED_LIBS=ON"
        project find_package-static "$both" library $static -DFROM=package -DCOMPONENTS=static "-DCMAKE_PREFIX_PATH=$LIBRARY"
        project subdirectory-static C library $static -DFROM=subdirectory "$tree"
        # The shared library exports pe's functions even if the project hides its own.
        project FetchContent-shared C library -DTARGET=posenc::lib -DBUILD_SHARED_LIBS=ON -DFROM=fetch "$tree" \
            -DCMAKE_C_VISIBILITY_PRESET=hidden
        project find_package-shared C library -DTARGET=posenc::shared -DFROM=package -DCOMPONENTS=shared "-DCMAKE_PREFIX_PATH=$LIBRARY"
        for name in find_package-static subdirectory-static; do
            check "CMake, $name: two shared libraries in one program" "$WORK/$name/parts"
            check "CMake, $name: ... have pe inside" has_pe $name
            check "CMake, $name: ... export no function of pe" not exports_pe $name
            check "CMake, $name: ... need no library of pe" not needs_lib $name
        done
        for name in FetchContent-shared find_package-shared; do
            check "CMake, $name: the program needs libposenc.so" needs_lib $name
        done
        names="find_package-lib subdirectory-lib find_package-compiled find_package-static"
        [ "$both" = C ] || {
            names="$names subdirectory-lib-cpp"
            project find_package-lib-cpp CXX library $lib "-DCMAKE_PREFIX_PATH=$LIBRARY"
            project subdirectory-lib-cpp CXX library -DFROM=subdirectory "$tree" -DTARGET=posenc::lib
        }
        for name in $names; do exported $name "$WORK/user-$name" "-DCMAKE_PREFIX_PATH=$LIBRARY"; done

        # Clients find a build directory of CMake, first one with the headers alone, then one with the library.
        project build-tree C 0 -DFROM=package "-Dposenc_DIR=$WORK/stage-cmake.build"
        check "CMake: the component lib is missed" not configure missed -DLANGUAGES=C $lib \
            "-Dposenc_DIR=$WORK/stage-cmake.build"
        check "CMake: ... and how it is had is said" said "comes with make install-lib, or with POSENC_LIBRARY=ON"
        check "CMake: the library" cmake_library
        check "CMake: the library's tests" ctest_library
        check "CMake: its name is libposenc.so.$SERIES, and so is its version" sh -c \
            "readelf -d '$WORK/library.build/libposenc.so' | grep -q -F 'soname: [libposenc.so.$SERIES]' &&
             ! nm -D --defined-only '$WORK/library.build/libposenc.so' | grep -v '[ @]POSENC_$SERIES\$'"
        project build-tree-lib C library $lib "-Dposenc_DIR=$WORK/library.build"
        check "cmake --install: the library's files" of_library "$WORK/library/usr/local" libposenc.a $shared
        check "... no file names where it was made" not grep -r -l -F -e "$TOP" -e @PE_ --include=*.pc --include=*.cmake "$WORK/library"
        cp -R "$WORK/library/usr/local" "$WORK/moved/library-cmake"
        project installed-lib C library $lib "-DCMAKE_PREFIX_PATH=$WORK/moved/library-cmake"

        # Builds the whole CMakeLists.txt of docs/building.md, with README.md's first program. The folder stands for the
        # address.
        mkdir -p "$WORK/fetched"
        awk '/^```cmake$/ { on = 1; next } /^```$/ { on = 0 } on' docs/building.md >"$WORK/fetched/CMakeLists.txt"
        awk '/^```c$/ { on = !n++; next } /^```$/ { on = 0 } on' README.md >"$WORK/fetched/program.c"
        check "docs/building.md: FetchContent's CMakeLists.txt" env CC="$CC" cmake -S "$WORK/fetched" -B "$WORK/fetched/build" \
            "-DFETCHCONTENT_SOURCE_DIR_POSENC=$TOP"
        check "docs/building.md: ... builds" cmake --build "$WORK/fetched/build"
        check "docs/building.md: ... and the program prints what README.md says" equal "$("$WORK/fetched/build/program")" \
            "$(sed -n 's,^/\* prints \(.*\) \*/$,\1,p' "$WORK/fetched/program.c")"

        check "CMake: an unknown component" not configure unknown -DLANGUAGES=C $at "-DCOMPONENTS=posenc;library"
        check "CMake: ... is refused, and the known ones are named" said \
            "no component library: posenc has posenc (the headers), compiled (the headers, compiled once), static, shared and lib (the library)"
        check "CMake: a missing one" not configure unknown -DLANGUAGES=C $at -DCOMPONENTS=lib
        check "CMake: ... is refused, and how it is had is said" said "comes with make install-lib, or with POSENC_LIBRARY=ON"
        check "CMake: one that may be missing" configure unknown -DLANGUAGES=C $at \
            "-DCOMPONENTS=posenc;OPTIONAL_COMPONENTS;library;lib"
        check "CMake: POSENC_WITH_SLEEF=ON without SLEEF is an error" not configure on $at $none -DLANGUAGES=C $on
        check "CMake: ... which says what to do" said "SLEEF is not found: install it .* or set POSENC_WITH_SLEEF to OFF"
        check "CMake: ... in the source tree, too" not configure on -DFROM=subdirectory $none "$tree" -DLANGUAGES=C $on
        check "CMake: ... with the same words" said "SLEEF is not found: install it .* or set POSENC_WITH_SLEEF to OFF"

        check "CMake: a project with pe inside installs" env DESTDIR="$WORK/user" \
            cmake --install "$WORK/add_subdirectory" --prefix /u
        check "CMake: ... its own files alone" equal "$(files "$WORK/user/u/include" 2>/dev/null)" ""
        check "CMake: ... and its export asks for posenc::posenc" grep -q 'posenc::posenc' \
            "$WORK/user/u/lib/cmake/user/user.cmake"

        major=${VERSION%%.*} minor=${VERSION#*.}
        patch=${minor#*.} minor=${minor%.*}
        wanted() { configure want $at -DLANGUAGES=NONE "-DWANT=$(echo "$1" | tr ' ' ';')"; }
        for want in "$VERSION EXACT" "$major.$minor" "$major" \
            "$VERSION...$major.$((minor + 5))" "0.0.1...$VERSION"; do
            check "CMake: find_package(posenc $want) takes it" wanted "$want"
        done
        refused="$major.$((minor + 1)) $major.$minor.$((patch + 1)) $((major + 1)) 0.0.1...<$VERSION"
        [ "$minor" = 0 ] || [ "$major" != 0 ] || refused="$refused 0.$((minor - 1))"
        for want in $refused; do
            check "CMake: find_package(posenc $want) refuses it" not wanted "$want"
            check "CMake: ... for its version" said "version: $VERSION"
        done
    }
else
    skipping "cmake is missing"
fi

# ---- meson ----------------------------------------------------------------------------------------

meson_does() { # DIRECTORY SOURCE OPTIONS...: set it up and build it
    directory=$1
    rm -rf "$directory"
    env CC="$CC" CFLAGS="-O0 $EXTRA_CFLAGS" meson setup "$@" --buildtype=plain &&
        meson compile -C "$directory" -j "$JOBS"
}
if have meson && have ninja; then
    check "meson" meson_does "$WORK/meson" . --prefix=/usr/local --libdir=lib -Dlibrary=true
    check "meson test" meson test -C "$WORK/meson"
    check "meson install" env DESTDIR="$WORK/meson-stage" meson install -C "$WORK/meson"
    # shellcheck disable=SC2086
    check "meson install: the files of make install-lib" of_library "$WORK/meson-stage/usr/local" libposenc.a $shared
    check "meson install: ... and pkg-config's file of the library" cmp "$LIBRARY/lib/pkgconfig/posenc-lib.pc" \
        "$WORK/meson-stage/usr/local/lib/pkgconfig/posenc-lib.pc"
    check "meson install: no file names where it was made" not grep -r -l -F -e "$TOP" -e @PE_ --include=*.pc --include=*.cmake "$WORK/meson-stage"
    check "meson: its name is libposenc.so.$SERIES" sh -c \
        "readelf -d '$WORK/meson-stage/usr/local/lib/libposenc.so' | grep -q -F 'soname: [libposenc.so.$SERIES]'"
    # Builds the meson.build of docs/building.md with README.md's first program.
    mkdir -p "$WORK/meson-page/subprojects"
    ln -s "$TOP" "$WORK/meson-page/subprojects/posenc"
    sed -n "/^    project('program'/,/^\$/s/^    //p" docs/building.md >"$WORK/meson-page/meson.build"
    awk '/^```c$/ { on = !n++; next } /^```$/ { on = 0 } on' README.md >"$WORK/meson-page/program.c"
    check "docs/building.md: its meson.build" meson_does "$WORK/meson-page/build" "$WORK/meson-page" --wrap-mode=forcefallback
    check "docs/building.md: ... and the program prints what README.md says" equal "$("$WORK/meson-page/build/program")" \
        "$(sed -n 's,^/\* prints \(.*\) \*/$,\1,p' "$WORK/meson-page/program.c")"
    mkdir -p "$WORK/meson-user/subprojects"
    ln -s "$TOP" "$WORK/meson-user/subprojects/posenc"
    cp tests/checks/package/client.c "$WORK/meson-user/"
    cat >"$WORK/meson-user/meson.build" <<'X'
project('user', 'c', default_options: 'c_std=c99')
foreach name : ['posenc', 'posenc-lib']
  executable('client-' + name, 'client.c', dependencies: dependency(name, fallback: 'posenc'))
endforeach
static = dependency('posenc-lib', static: true, fallback: 'posenc')
executable('client-static', 'client.c', dependencies: static)
shared_library('first', 'client.c', dependencies: static)
X
    check "meson: a subproject" meson_does "$WORK/meson-built" "$WORK/meson-user" --wrap-mode=forcefallback
    check "meson: ... the headers, the same bits" same_bits "$WORK/meson-built/client-posenc" 0
    check "meson: ... the library, the same bits" same_bits "$WORK/meson-built/client-posenc-lib" library
    check "meson: ... the static library, the same bits" same_bits "$WORK/meson-built/client-static" library
    if have readelf; then
        check "meson: ... posenc-lib is the shared library" needs "$WORK/meson-built/client-posenc-lib" libposenc.so
        check "meson: ... static: true is the static one" not needs "$WORK/meson-built/client-static" libposenc.so
    fi
    meson_exports() { nm -D --defined-only "$WORK/meson-built/libfirst.so" | grep ' pe_'; }
    check "meson: ... a shared library with it exports no function of pe" not meson_exports
else
    skipping "meson or ninja is missing"
fi

# ---- versions -------------------------------------------------------------------------------------

check "the first version in CHANGELOG.md is $VERSION" equal \
    "$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' CHANGELOG.md | head -n 1)" "$VERSION"
check "CHANGELOG.md has each version once" equal "$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' CHANGELOG.md | sort | uniq -d)" ""
check "pe.h alone says the version" not grep -n -F "$VERSION" CMakeLists.txt Makefile packaging/*

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
