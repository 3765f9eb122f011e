#!/bin/sh
# SPDX-License-Identifier: MIT
#
# structure.sh [OUT]: draws docs/structure.svg (or OUT), the folders of src/ and what they include. An arrow leads from
# a folder to one that it uses. An arrow is left out if other arrows lead the same way. A folder is above all folders
# that it uses.
set -eu
cd "$(dirname "$0")/.."
out=${1:-docs/structure.svg}
# The files are in the order of the headers. simd/ comes first, since pe.h includes it before all others.
files=$(sed -n 's,^#include "\(.*/.*\)".*,src/\1,p' src/pe_simd.h src/pe.h)
# shellcheck disable=SC2086
LC_ALL=C awk '
    function folder(file) { sub(/\/.*/, "", file); return file }
    function reaches(a, b, steps,    c) { # by way of others
        if (steps > n) { print "the folders include each other in a circle" >"/dev/stderr"; exit status = 1 }
        for (c in folders) if (((a, c) in uses) && c != b && (((c, b) in uses) || reaches(c, b, steps + 1))) return 1
        return 0
    }
    # level(a) returns the level of a folder, counted from the bottom: one more than the highest folder that it uses.
    function level(a,    c, l, most) {
        if (a in levels) return levels[a]
        levels[a] = 0
        for (c in folders) if (((a, c) in uses) && (l = level(c) + 1) > most) most = l
        return levels[a] = most + 0
    }
    FNR == 1 {
        name = FILENAME
        sub(/^src\//, "", name)
        f = folder(name)
        if (!(f in folders)) { folders[f] = 1; order[++n] = f }
        sub(/^[^\/]*\//, "", name)
        sub(/\.h$/, "", name)
        line = lines[f, rows[f] + 0]
        if (line == "" || length(line) + length(name) > 32) { rows[f]++; line = "" }
        lines[f, rows[f]] = line (line == "" ? "" : ", ") name
    }
    /^#include "\.\./ {
        split($0, part, "\"")
        to = part[2]
        sub(/^\.\.\//, "", to)
        uses[f, to == "pe_simd.h" ? "simd" : folder(to)] = 1
    }
    END {
        if (status) exit status
        WIDE = 225; COLUMN = 265; GAP = 34
        for (i = 1; i <= n; i++) {
            l = level(order[i])
            if (l > top) top = l
            high = 34 + 15 * rows[order[i]]
            if (high > height[l]) height[l] = high
        }
        y = 20
        for (l = top; l >= 0; l--) { above[l] = y; y += height[l] + GAP }
        # A folder is placed over the middle of what it uses, or moved to the right if another one of its level is
        # there.
        for (l = 0; l <= top; l++) {
            m = sum = 0
            for (i = 1; i <= n; i++) {
                if (level(f = order[i]) != l) continue
                wish = k = 0
                for (c in folders) if (((f, c) in uses) && !reaches(f, c)) { wish += x[c]; k++ }
                x[f] = k ? wish / k : 0
                if (m && x[f] < x[row[m]] + 1) x[f] = x[row[m]] + 1
                row[++m] = f
                sum += x[f] - (k ? wish / k : 0)
            }
            for (i = 1; i <= m; i++) x[row[i]] -= sum / m
        }
        for (f in folders) { if (x[f] < left) left = x[f]; if (x[f] > right) right = x[f] }
        for (f in folders) x[f] = int((x[f] - left) * COLUMN + 20 + WIDE / 2)
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" ", (right - left) * COLUMN + WIDE + 40, y
        print "font-family=\"sans-serif\" text-anchor=\"middle\">"
        print "<!-- made from src/ by generate/structure.sh -->"
        print "<title>the folders of src/ and what they use</title>"
        print "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
        for (i = n; i >= 1; i--) for (j = n; j >= 1; j--) {
            a = order[i]; b = order[j]
            if (!((a, b) in uses) || reaches(a, b)) continue
            y1 = above[level(a)] + 34 + 15 * rows[a]
            y2 = above[level(b)]
            side = x[b] > x[a] ? 1 : x[b] < x[a] ? -1 : 0
            x1 = x[a] + side * 80; x2 = x[b] - side * 40
            long = sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2)
            p = (x2 - x1) / long; q = (y2 - y1) / long
            printf "<path d=\"M%d %d L%d %d\" stroke=\"#57606a\" stroke-width=\"1.5\"/>", x1, y1, x2 - 6 * p, y2 - 6 * q
            printf "<path d=\"M%d %d L%.1f %.1f L%.1f %.1f Z\" fill=\"#57606a\"/>\n", x2, y2, \
                x2 - 10 * p - 4 * q, y2 - 10 * q + 4 * p, x2 - 10 * p + 4 * q, y2 - 10 * q - 4 * p
        }
        for (i = 1; i <= n; i++) {
            f = order[i]
            y = above[level(f)]
            printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#eef4fb\" stroke=\"#2f6aa8\"/>\n", \
                x[f] - WIDE / 2, y, WIDE, 34 + 15 * rows[f]
            printf "<text x=\"%d\" y=\"%d\" font-size=\"15\" font-weight=\"bold\">%s/</text>\n", x[f], y + 20, f
            for (k = 1; k <= rows[f]; k++)
                printf "<text x=\"%d\" y=\"%d\" font-size=\"12\">%s</text>\n", x[f], y + 23 + 15 * k, lines[f, k]
        }
        print "</svg>"
    }' $files >"$out.new"
mv "$out.new" "$out"
