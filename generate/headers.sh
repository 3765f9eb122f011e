#!/bin/sh
# SPDX-License-Identifier: MIT
#
# headers.sh [DIR]: makes pe.h, pe_simd.h, pe_fixed.h, pe_fixed.wgsl, examples/gpu/pe_fixed.glsl and
# python/posenc/_fixed.py from src/. They are written to DIR, or to the top of the tree. It needs Python.
#
# src/pe.h, src/pe_simd.h and src/pe_fixed.h include the files of src/. Each include is replaced by the file, once,
# after the files that it includes itself. A line before it says which file it is. Its lines #include "...", #pragma
# once and its licence are left out. The first include of pe_simd.h stays. In pe.h, macros that define functions are
# then replaced by these functions (generate/expand.py).
set -eu
cd "$(dirname "$0")/.."
to=${1:-.}
python3 -c '' 2>/dev/null || { echo "headers.sh: python3 is missing, which generate/expand.py needs" >&2 && exit 1; }
for header in pe.h pe_simd.h pe_fixed.h; do
    LC_ALL=C awk -v header="$header" '
        function included(file, line) { # its path below src/; "" if the line includes none of src/
            if (line !~ /^#include "/) return ""
            sub(/[^\/]*$/, "", file)
            split(line, part, "\"")
            file = file part[2]
            while (sub(/[^\/]*\/\.\.\//, "", file)) {}
            return file
        }
        function put(line) { print line; last = line }
        function room(file,    line, lines, n, i, path, marked) {
            made[file] = 1
            while ((getline line <("src/" file)) > 0) lines[++n] = line
            close("src/" file)
            if (n == 0) { print "there is no src/" file >"/dev/stderr"; exit status = 1 }
            for (i = 1; i <= n && file != header; i++) {
                path = included(file, lines[i])
                if (path != "" && path != "pe_simd.h" && !made[path]) room(path)
            }
            marked = file == header
            for (i = 1; i <= n; i++) {
                path = included(file, lines[i])
                if (path == "pe_simd.h" && !made[path]) {
                    made[path] = 1
                    lines[i] = "#include \"pe_simd.h\""
                } else if (path != "") {
                    if (!made[path]) room(path)
                    if (file == header) marked = 0
                    continue
                } else if (file != header && lines[i] ~ /^#pragma once$|^\/\* SPDX-/) continue
                if (!marked && last != "") put("")
                if (!marked) put("/* ==== src/" file " ==== */")
                marked = 1
                put(lines[i])
            }
        }
        BEGIN {
            put("/* made from src/ by make headers: change that */")
            room(header)
        }
        END { exit status }' </dev/null >"$to/$header.new" || {
        rm -f "$to/$header.new"
        exit 1
    }
    if [ $header = pe.h ]; then
        python3 generate/expand.py <"$to/pe.h.new" >"$to/pe.h.expanded" || {
            rm -f "$to/pe.h.new" "$to/pe.h.expanded"
            exit 1
        }
        mv "$to/pe.h.expanded" "$to/pe.h.new"
    fi
    mv "$to/$header.new" "$to/$header"
done
{
    echo "// made from src/ by make headers: change that"
    cat src/fixed/pe_fixed.wgsl
} >"$to/pe_fixed.wgsl"
mkdir -p "$to/examples/gpu" "$to/python/posenc"
python3 generate/shader_glsl.py "$to/pe_fixed.wgsl" >"$to/examples/gpu/pe_fixed.glsl"
python3 generate/fixed_python.py >"$to/python/posenc/_fixed.py"
