#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make.sh: docs/explorer.html, of docs/page/explorer.html and of explorer.c, compiled by emscripten.
set -eu
BUILD=${BUILD:-build}
EMCC=${EMCC:-emcc}
command -v "$EMCC" >/dev/null || { echo "make docs needs emscripten: $EMCC is missing" && exit 1; }
# Debian's emscripten wants modules that Debian's node would find by itself.
[ ! -d /usr/share/nodejs ] || export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}"
mkdir -p "$BUILD"
"$EMCC" -std=c99 -Oz -msimd128 -I. docs/page/explorer.c -o "$BUILD/explorer.wasm" --no-entry \
    -s STANDALONE_WASM=1 -s TOTAL_STACK=262144 -s INITIAL_MEMORY=4194304
base64 <"$BUILD/explorer.wasm" | tr -d '\n' >"$BUILD/explorer.base64"
awk -v code="$BUILD/explorer.base64" '
    /"@WASM@"/ { getline text <code; sub(/@WASM@.*/, ""); print $0 text "\";"; next } { print }' \
    docs/page/explorer.html >"${1:-docs/explorer.html}"
