#!/bin/sh
# SPDX-License-Identifier: MIT
#
# release.sh [tree] [DIR]: writes the files of a release to DIR, by default build/release. The same commit gives the
# same bytes.
#
# release.sh version: only looks whether every place says the version of pe.h, and lists those that do not.
#
#   posenc-VERSION.tar.gz            the source, see packaging/dist.sh
#   pe.h pe_simd.h pe.c pe_single.h  to be copied into a project
#   posenc-VERSION-py3-none-PLATFORM.whl    the Python package, for the machine that makes the release
#   posenc-VERSION-layout.json       sizes and offsets of the structs, values of the enums, where pointers have 64 bits
#   posenc-VERSION.wasm, ...-wasm.txt, ...-wasm-layout.json    the library as WebAssembly with SIMD128; what it
#                                    imports and exports; the table, for 32 bits. Where emscripten and node are
#   posenc-VERSION-explorer.html     the page to play with, to be opened as a file; where emscripten is
#   posenc-VERSION-oracle-MODEL.json    cosines and sines of models, for the tests of other programs; where json-c is
#   SHA256SUMS
#
# The script refuses a release that is not complete: a file has another version, src/ does not make these headers, or
# the layout is not that of tests/layout.txt. It also refuses a release if the entry of CHANGELOG.md has no date, or if
# `make test` or `make check` has not passed with these headers. With "tree", these last two are not required. "tree" is
# for tests and also packs what is not committed.
set -eu
. ./packaging/version.sh
BUILD=${BUILD:-build}
tree='' version_only='' wrong=0
case ${1:-} in
tree) tree=tree && shift ;;
version) version_only=1 && shift ;;
esac
out=${1:-$BUILD/release}
name=posenc-$VERSION
work=$BUILD/release.work
umask 022
LC_ALL=C
export LC_ALL

refuse() {
    echo "no release: $*"
    [ -n "$version_only" ] || exit 1
    wrong=1
}
changelog=$(sed -n 's/^## //p' CHANGELOG.md | head -n 1)
date=$(echo "$changelog" | sed -n 's/^\[.*\] - \(20[0-9][0-9]-[0-1][0-9]-[0-3][0-9]\)$/\1/p')
[ -n "$date" ] || [ -z "$tree" ] || date=unreleased # for tests
[ "$changelog" = "[$VERSION] - ${date:-DATE}" ] || refuse "CHANGELOG.md's first entry is '$changelog', not '[$VERSION] - DATE'"
says() { # FILE LINE: it has it
    grep -q -x -F -e "$2" "$1" || refuse "$1 does not say '$2'"
}
contains() { # FILE TEXT
    grep -q -F -e "$2" "$1" || refuse "$1 does not say '$2'"
}
says CITATION.cff "version: $VERSION"
[ "$date" = unreleased ] || says CITATION.cff "date-released: ${date:-DATE}"
head -n 1 packaging/debian/changelog | grep -q "^posenc ($VERSION-" ||
    refuse "packaging/debian/changelog does not begin with $VERSION"
grep -q "^project(.* version: '$VERSION'" meson.build || refuse "meson.build does not say version: '$VERSION'"
says packaging/debian/control "Package: libposenc$SERIES"
contains packaging/debian/control "Depends: libposenc$SERIES ("
for file in install symbols lintian-overrides; do
    [ -f "packaging/debian/libposenc$SERIES.$file" ] || refuse "there is no packaging/debian/libposenc$SERIES.$file"
done
[ ! -f "packaging/debian/libposenc$SERIES.symbols" ] ||
    says "packaging/debian/libposenc$SERIES.symbols" " (symver)POSENC_$SERIES $SERIES.0"
contains README.md "within $SERIES.x"
contains docs/building.md "find_package(posenc $SERIES "
contains docs/building.md "\`libposenc.so.$SERIES\`"
contains docs/building.md "libposenc-dev and libposenc$SERIES"
if [ -n "$version_only" ]; then
    [ $wrong -ne 0 ] || echo "every place says $VERSION"
    exit $wrong
fi
sh tests/checks/headers.sh >/dev/null || refuse "tests/checks/headers.sh fails: run make headers"
[ -n "$tree" ] || for log in log-test log; do
    [ -f "$BUILD/$log/passed" ] && [ -z "$(find pe.h pe_simd.h -newer "$BUILD/$log/passed")" ] ||
        refuse "make test && make check have not passed with these headers"
done

rm -rf "$out" "$work"
mkdir -p "$out" "$work"
sh packaging/dist.sh $tree "$out/$name.tar.gz"
cp pe.h pe_simd.h pe.c "$out/"
sh packaging/single.sh "$out/pe_single.h"

python3 python/posenc_build.py "$out"

# layout FILE COMPILER [RUNNER...]: the table of what this compiler builds.
layout() {
    table=$1 compiler=$2
    shift 2
    python3 generate/declarations.py c >"$work/layout.c"
    $compiler -DPE_EXTERN -I. "$work/layout.c" -o "$work/layout.js"
    "$@" "$work/layout.js" >"$work/layout.txt"
    python3 generate/declarations.py json <"$work/layout.txt" >"$table"
    echo "$table"
}
layout "$out/$name-layout.json" "${CC:-cc}" env
cmp "$work/layout.txt" tests/layout.txt || refuse "the layout is not that of tests/layout.txt: tests/run layout-write"

EMCC=${EMCC:-emcc}
[ ! -d /usr/share/nodejs ] || export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}"
if command -v "$EMCC" >/dev/null && command -v node >/dev/null; then
    # emscripten's programs want a node in which fetch() is for no file.
    node=node
    ! node --no-experimental-fetch -e 0 2>/dev/null || node="node --no-experimental-fetch"
    exported=$(. tests/tools/lib.sh && public_functions | sed 's/^/_/' | tr '\n' ',')_malloc,_free
    "$EMCC" -std=c99 -O3 -msimd128 pe.c -o "$out/$name.wasm" --no-entry -s STANDALONE_WASM=1 \
        -s ALLOW_MEMORY_GROWTH=1 -s TOTAL_STACK=262144 -s "EXPORTED_FUNCTIONS=$exported"
    chmod 644 "$out/$name.wasm"
    echo "$out/$name.wasm"
    node -e '
        const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
        for (const i of WebAssembly.Module.imports(module)) console.log("import", i.kind, i.module + "." + i.name);
        for (const e of WebAssembly.Module.exports(module)) console.log("export", e.kind, e.name);' \
        "$out/$name.wasm" | sort >"$out/$name-wasm.txt"
    echo "$out/$name-wasm.txt"
    # shellcheck disable=SC2086
    layout "$out/$name-wasm-layout.json" "$EMCC" $node
    BUILD=$work sh generate/explorer/make.sh "$out/$name-explorer.html"
    echo "$out/$name-explorer.html"
else
    echo "SKIP: emscripten or node is missing: no $name.wasm, no $name-explorer.html"
fi
# The tests of other programs: docs/oracle.md.
if (. tests/tools/lib.sh && have_library json-c "${CC:-cc}"); then
    ${CC:-cc} -std=c99 -O2 -I. -DPE_SLEEF=0 tool/posenc.c -o "$work/posenc" -ljson-c -lm
    sh packaging/oracle.sh "$work/posenc" "$out" "$name-oracle-"
else
    echo "SKIP: json-c is missing: no $name-oracle-*.json"
fi
rm -rf "$work"
(cd "$out" && sha256sum -- *) >"$out.sums"
mv "$out.sums" "$out/SHA256SUMS"
echo "$out/SHA256SUMS"
