#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make.sh [DIR]: the contracts of pe.h as pages, in DIR, build/api-doc: index.html. A warning of doxygen's is an error.
set -eu
. ./packaging/version.sh
out=${1:-${BUILD:-build}/api-doc}
command -v doxygen >/dev/null || { echo "make docs needs doxygen" && exit 1; }
rm -rf "$out"
mkdir -p "$out"
{
    cat docs/api/Doxyfile
    echo "PROJECT_NUMBER = $VERSION"
    echo "OUTPUT_DIRECTORY = $out"
    echo "HTML_OUTPUT = ."
    echo "GENERATE_TAGFILE = $out/posenc.tag"
} >"$out/Doxyfile"
doxygen "$out/Doxyfile"
rm "$out/Doxyfile"
echo "$out/index.html"
