#!/bin/sh
# SPDX-License-Identifier: MIT
#
# release.sh: checks what `make release` writes for the tree as it is. It must write the same bytes each time. The tables
# must say what tests/layout.txt does. The WebAssembly must have the public functions and pass its own self test.
set -u
. tests/tools/lib.sh
. ./packaging/version.sh
WORK=$PWD/$BUILD/release.check
rm -rf "$WORK"
mkdir -p "$WORK"
git ls-files --error-unmatch pe.h >"$WORK/log" 2>&1 || skip "this is no git checkout: $(head -n 1 "$WORK/log")"
have python3 || skip "python3 is missing"
have sha256sum || skip "sha256sum is missing"
name=posenc-$VERSION

# The refusal must be for the date, and for nothing else.
undated() {
    ! sh packaging/release.sh "$WORK/none" >"$WORK/said" 2>&1 && cat "$WORK/said" && grep -qF "first entry is '[$VERSION] - unreleased'" "$WORK/said"
}
check "every place says this version" sh -c "sh packaging/release.sh version >'$WORK/places' || ! grep -v 'CHANGELOG.md.* - unreleased\|date-released' '$WORK/places'"
places() { # a copy whose pe.h says 9.8.7: the places that are named
    mkdir -p "$WORK/copy" && cp -R pe.h CHANGELOG.md CITATION.cff meson.build README.md docs packaging "$WORK/copy/" &&
        sed -i 's/PE_VERSION_STRING "[0-9.]*"/PE_VERSION_STRING "9.8.7"/' "$WORK/copy/pe.h" || return 1
    (cd "$WORK/copy" && sh packaging/release.sh version) >"$WORK/places" && return 1
    cat "$WORK/places"
    for place in CHANGELOG.md CITATION.cff meson.build README.md docs/building.md packaging/debian/changelog \
        packaging/debian/control packaging/debian/libposenc9.8.install packaging/debian/libposenc9.8.symbols; do
        grep -qF "$place" "$WORK/places" || return 1
    done
}
check "... and the places of another one are listed" places
export CFLAGS=-O0 # of the wheel and of the program, which the python and tool steps test
if grep -q "^## \[$VERSION\] - unreleased" CHANGELOG.md; then
    check "without a date there is none" undated
fi
check "make release" env BUILD="$WORK/build" sh packaging/release.sh tree "$WORK/one"
[ -f "$WORK/one/SHA256SUMS" ] || { echo "$passed passed, $failed failed" && exit 1; }
again() {
    (umask 077 && TZ=Asia/Tokyo LANG=C.UTF-8 LC_ALL=C.UTF-8 BUILD=$WORK/other/build sh packaging/release.sh tree "$WORK/two") &&
        diff -r "$WORK/one" "$WORK/two"
}
check "the same bytes again" again
sums() { (cd "$WORK/one" && sha256sum -c SHA256SUMS && [ "$(wc -l <SHA256SUMS)" = "$(($(ls | wc -l) - 1))" ]); }
check "SHA256SUMS are those of all files" sums
for file in pe.h pe_simd.h pe.c; do check "$file as it is" cmp $file "$WORK/one/$file"; done
check "what others have to make is not in the archive" sh -c \
    "gzip -dc '$WORK/one/$name.tar.gz' | tar tf - >'$WORK/files' && grep -q /pe.h$ '$WORK/files' && ! grep explorer.html$ '$WORK/files' | grep -v generate/explorer/"
installs() { # from what was written and nothing else
    "$python" -m venv --without-pip "$WORK/venv" && site=$("$WORK/venv/bin/python" -c 'import site; print(site.getsitepackages()[0])') &&
        "$python" -m zipfile -e "$WORK"/one/$name-py3-none-*.whl "$site" &&
        (cd "$WORK" && PYTHONPATH=$("$python" -c 'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))') \
            "$WORK/venv/bin/python" -c 'import posenc; print(posenc.__file__, posenc.__version__)' | grep "$WORK/venv/.* $VERSION\$")
}
python=
for candidate in python3 /usr/bin/python3; do
    ! "$candidate" -c 'import numpy, venv' 2>/dev/null || python=${python:-$candidate}
done
if [ -n "$python" ]; then
    check "the wheel is imported where it is unpacked" installs
else
    skipping "python3 with numpy is missing: the wheel"
fi
cat >"$WORK/lines.py" <<'X2'
import json, sys
table = json.load(open(sys.argv[1]))
for name, struct in table["structs"].items():
    print(name, struct["size"])
    for field, at in struct["fields"].items():
        print(f"{name}.{field}", at["offset"], at["size"])
for constants in table["enums"].values():
    for constant, value in constants.items():
        print(constant, value)
X2
table() { python3 "$WORK/lines.py" "$WORK/one/$name-layout.json" | diff tests/layout.txt -; }
check "the table says what tests/layout.txt does" table

if [ -f "$WORK/one/$name.wasm" ]; then
    page() {
        sh generate/explorer/make.sh text >"$WORK/page"
        sed 's/^const WASM = "[A-Za-z0-9+\/=]*";/const WASM = "@WASM@";/' "$WORK/one/$name-explorer.html" | cmp - "$WORK/page"
    }
    check "the explorer has its page's text" page
    wasm() { # its exports that have a name of pe, and what else it has to do with
        public_functions >"$WORK/public"
        sed -n 's/^export function \(pe_\)/\1/p' "$WORK/one/$name-wasm.txt" | diff "$WORK/public" - || return 1
        grep -v '^export function pe_' "$WORK/one/$name-wasm.txt"
        [ "$(grep -c '^import' "$WORK/one/$name-wasm.txt")" -le 1 ]
    }
    check "the WebAssembly exports the public functions and imports nothing but word of its growth" wasm
    cat >"$WORK/run.js" <<'X2'
const code = new WebAssembly.Module(require("fs").readFileSync(process.argv[2]));
const pe = new WebAssembly.Instance(code, { env: { emscripten_notify_memory_growth() {} } }).exports;
pe._initialize();
const text = (at, bytes = new Uint8Array(pe.memory.buffer, at)) => Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString();
const out = pe.malloc(4 * 512 * 512);
console.log(pe.pe_selftest(), pe.pe_sinusoidal_f32(out, 512, 512), text(pe.pe_isa_name()), pe.pe_version());
console.log(new Float32Array(pe.memory.buffer, out, 513)[512].toFixed(4));
X2
    runs() {
        node "$WORK/run.js" "$WORK/one/$name.wasm" >"$WORK/said" && cat "$WORK/said" &&
            [ "$(sed 's/ [0-9]*$//' "$WORK/said" | tr '\n' ' ')" = "0 0 WASM SIMD128 0.8415 " ]
    }
    check "... and its self test passes in node" runs
else
    skipping "emscripten or node is missing: the WebAssembly"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
