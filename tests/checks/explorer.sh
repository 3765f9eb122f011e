#!/bin/sh
# SPDX-License-Identifier: MIT
#
# explorer.sh: checks that docs/explorer.html is what `make docs` makes. Its text is that of
# generate/explorer/explorer.html. Its WebAssembly gives the bits that the headers give on this machine, in node and, if
# it is installed, in Chromium.
set -u
. tests/tools/lib.sh
WORK=$BUILD/page
rm -rf "$WORK"
mkdir -p "$WORK"
PAGE=docs/explorer.html
[ -f $PAGE ] || [ -e .git ] || skip "$PAGE is not in the archive: make docs"

text() {
    sh generate/explorer/make.sh text >"$WORK/text"
    sed 's/^const WASM = "[A-Za-z0-9+\/=]*";/const WASM = "@WASM@";/' $PAGE | cmp - "$WORK/text"
}
check "$PAGE has the text of generate/explorer/explorer.html, pe_fixed.wgsl and examples/gpu/webgpu.js" text
# shellcheck disable=SC2086
check "generate/explorer/explorer.c has no warning" "$CC" -std=c99 -O1 $WARNINGS $EXTRA_CFLAGS -I. generate/explorer/explorer.c \
    -o "$WORK/explorer" -lm
"$WORK/explorer" >"$WORK/here" || exit 1
hash=$(tail -n 1 "$WORK/here")

cat >"$WORK/node.js" <<'X'
const page = require("fs").readFileSync(process.argv[2], "utf8");
const code = Buffer.from(/^const WASM = "([^"]*)"/m.exec(page)[1], "base64");
const pe = new WebAssembly.Instance(new WebAssembly.Module(code)).exports;
pe._initialize();
const text = new Uint8Array(pe.memory.buffer).subarray(pe.explorer_about());
console.log(Buffer.from(text.subarray(0, text.indexOf(0))).toString());
console.log((pe.explorer_hash() >>> 0).toString(16).padStart(8, "0"));
X
node=
for candidate in node nodejs; do
    ! have $candidate || node=${node:-$candidate}
done
in_node() {
    $node "$WORK/node.js" $PAGE >"$WORK/node" || return 1
    cat "$WORK/node" "$WORK/here"
    [ "$(tail -n 1 "$WORK/node")" = "$hash" ] &&
        [ "$(sed 's/,.*//;q' "$WORK/node")" = "$(sed 's/,.*//;q' "$WORK/here")" ]
}
if [ -n "$node" ]; then
    check "its version and its bits are those of the headers" in_node
else
    skipping "node is missing: the bits of the page"
fi

browser=
for candidate in chromium chromium-browser google-chrome; do
    ! have $candidate || browser=${browser:-$candidate}
done
# in_browser: opens the page, and compares the hash that it shows. The page compiles its WebAssembly on another thread,
# and sometimes the browser dumps a page that has no hash yet; then the page is opened again. A wrong hash is an error
# at once.
in_browser() {
    for try in 1 2 3 4 5; do
        timeout 300 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$WORK/profile" \
            --virtual-time-budget=5000 --dump-dom "file://$PWD/$PAGE" >"$WORK/dom" 2>"$WORK/dom.errors"
        echo "$browser: exit status $?, $(wc -c <"$WORK/dom") bytes, $try"
        grep -o 'data-hash="[0-9a-f]*"' "$WORK/dom" && break
    done
    grep -q "data-hash=\"$hash\"" "$WORK/dom" && grep -q 'id="cell"[^>]*>position 7' "$WORK/dom" &&
        grep -q 'id="scaled"><tr><th>pair 5' "$WORK/dom" && grep -q 'id="noise-say">query at 7: float angles' "$WORK/dom"
}
# at_the_end: opens the page with positions near 2^31, a shift k beyond that, and a row and a column that do not exist.
# The page must reduce k to 64 and draw every card.
at_the_end() {
    for try in 1 2 3 4 5; do
        timeout 300 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$WORK/profile" --virtual-time-budget=5000 \
            --dump-dom "file://$PWD/$PAGE#d=32&base=10000&p=2147483520&k=100000&row=1e9&column=-3" >"$WORK/dom" 2>"$WORK/dom.errors"
        echo "$browser: exit status $?, $(wc -c <"$WORK/dom") bytes, $try"
        grep -o 'data-hash="[0-9a-f]*"' "$WORK/dom" && break
    done
    ! grep -q 'id="about"[^>]*>This page needs' "$WORK/dom" && grep -q 'id="cell"[^>]*>position 2147483583' "$WORK/dom" &&
        grep -q 'id="scaled"><tr><th>pair 0' "$WORK/dom" &&
        grep -q 'id="noise-say">query at 2147483583: float angles' "$WORK/dom"
}
if [ -n "$browser" ]; then
    check "a browser shows it, with these bits" in_browser
    check "a browser shows it at the end of the positions" at_the_end
else
    skipping "chromium is missing: the page in a browser"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
