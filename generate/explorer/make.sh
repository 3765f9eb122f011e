#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make.sh [FILE]: makes docs/explorer.html (or FILE) from explorer.html in this folder, pe_fixed.wgsl,
# examples/gpu/webgpu.js, and explorer.c compiled with emscripten.
#
#     make.sh text    prints it without the compiled code: what the tests compare, without emscripten
set -eu
BUILD=${BUILD:-build}
EMCC=${EMCC:-emcc}
mkdir -p "$BUILD"

# The page, with the two files in the place of their names.
text() {
    awk '
        /^@WGSL@$/ { while ((getline line <"pe_fixed.wgsl") > 0) print line; next }
        /^@WEBGPU@$/ {
            while ((getline line <"examples/gpu/webgpu.js") > 0) { sub(/^export /, "", line); print line }
            next
        }
        { print }' generate/explorer/explorer.html
}
[ "${1:-}" != text ] || { text && exit 0; }
command -v "$EMCC" >/dev/null || { echo "make docs needs emscripten: $EMCC is missing" && exit 1; }
# Debian's emscripten wants modules that Debian's node would find by itself.
[ ! -d /usr/share/nodejs ] || export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}"
"$EMCC" -std=c99 -Oz -msimd128 -I. generate/explorer/explorer.c -o "$BUILD/explorer.wasm" --no-entry \
    -s STANDALONE_WASM=1 -s TOTAL_STACK=262144 -s INITIAL_MEMORY=4194304
base64 <"$BUILD/explorer.wasm" | tr -d '\n' >"$BUILD/explorer.base64"
text | awk -v code="$BUILD/explorer.base64" '
    /"@WASM@"/ { getline text <code; sub(/@WASM@.*/, ""); print $0 text "\";"; next } { print }' >"${1:-docs/explorer.html}"
