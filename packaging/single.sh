#!/bin/sh
# SPDX-License-Identifier: MIT
#
# single.sh [OUT]: pe.h with pe_simd.h in the place of its include, and nothing else changed.
# OUT is build/pe_single.h by default.
set -eu
out=${1:-${BUILD:-build}/pe_single.h}
mkdir -p "$(dirname "$out")"
awk '
    /^#include "pe_simd\.h"$/ {
        while ((getline line < "pe_simd.h") > 0) print line
        found++
        next
    }
    { print }
    END { exit found != 1 }' pe.h >"$out.tmp" || {
    rm -f "$out.tmp"
    echo "pe.h does not include pe_simd.h exactly once"
    exit 1
}
mv "$out.tmp" "$out"
echo "$out"
