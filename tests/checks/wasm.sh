#!/bin/sh
# SPDX-License-Identifier: MIT
#
# wasm.sh: checks that WebAssembly, compiled by emscripten, gives the bits of tests/golden.txt. The builds use SIMD128,
# which -msimd128 chooses with or without -msse2, and scalar code. They run in node, and in Chromium if it is installed.
set -u
. tests/tools/lib.sh
WORK=$BUILD/wasm
EMCC=${EMCC:-emcc}
have "$EMCC" || skip "emscripten is missing: sh tests/tools/deps.sh wasm"
node=
for candidate in node nodejs; do
    ! have $candidate || node=${node:-$candidate}
done
[ -n "$node" ] || skip "node is missing: sh tests/tools/deps.sh wasm"
rm -rf "$WORK"
mkdir -p "$WORK"
# Debian's emscripten needs modules that only Debian's node finds by default. The programs that it makes need a node
# without fetch(), which cannot read files.
[ ! -d /usr/share/nodejs ] || export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}"
! $node --no-experimental-fetch -e 0 2>/dev/null || node="$node --no-experimental-fetch"
cat >"$WORK/print.js" <<'X'
Module["print"] = line => {
    if (typeof document == "undefined") console.log(line);
    else document.body.append(line + "\n");
};
X
browser=
for candidate in chromium chromium-browser google-chrome; do
    ! have $candidate || browser=${browser:-$candidate}
done

# build NAME FLAGS...: compiles tests/unit/hash.c as a program for node and as a page. WASM_ASYNC_COMPILATION=0 makes
# the browser compile while it loads the page. Otherwise the browser sometimes dumped a page that had not run yet.
build() {
    name=$1
    shift
    echo "<body><script src=$name.js></script>" >"$WORK/$name.html"
    "$EMCC" -std=c99 -DPE_SLEEF=0 "$@" -I. tests/unit/hash.c -o "$WORK/$name.js" --pre-js "$WORK/print.js" \
        -s SINGLE_FILE=1 -s ALLOW_MEMORY_GROWTH=1 -s WASM_ASYNC_COMPILATION=0
}
# golden FILE ISA: succeeds if the file has the hashes of tests/golden.txt, and comes from that instruction set.
golden() {
    head -n 1 "$1"
    grep -q "^# pe .*, $2, none" "$1" && sh tests/checks/golden.sh check "$1"
}
in_node() {
    # shellcheck disable=SC2086
    $node "$WORK/$1.js" >"$WORK/$1.txt" && golden "$WORK/$1.txt" "$2"
}
in_browser() {
    timeout 300 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$WORK/profile" \
        --dump-dom "file://$PWD/$WORK/$1.html" >"$WORK/dom" 2>"$WORK/errors"
    echo "$browser: exit status $?, $(wc -c <"$WORK/dom") bytes"
    sed 's/^.*\(# pe \)/\1/' "$WORK/dom" | grep -E '^(# pe |pe_selftest: |[a-z].* elements  [0-9a-f]{16}$)' >"$WORK/$1.page"
    golden "$WORK/$1.page" "$2"
}
for kind in simd:-O2:-msimd128 sse:-O3:-msimd128:-msse2:-ffp-contract=fast scalar:-O2; do
    name=${kind%%:*} isa="WASM SIMD128"
    [ "$name" != scalar ] || isa=scalar
    # shellcheck disable=SC2046
    check "$kind" build "$name" $(echo "${kind#*:}" | tr : ' ')
    check "... in node" in_node "$name" "$isa"
    if [ -n "$browser" ]; then
        check "... in $browser" in_browser "$name" "$isa"
    else
        skipping "chromium is missing, sh tests/tools/deps.sh wasm: in a browser"
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
