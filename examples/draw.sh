#!/bin/sh
# SPDX-License-Identifier: MIT
#
# draw.sh DIRECTORY NAMES...: NAME.png in DIRECTORY, of the data that the examples have written there, by
# gnuplot and examples/plots/NAME.gp. Without gnuplot it says so; the data are there all the same.
set -eu
directory=$1
shift
[ $# -gt 0 ] || exit 0
command -v gnuplot >/dev/null || {
    echo "NO PICTURES: gnuplot is missing. What they would show is in $directory, in text."
    exit 0
}
for name; do
    gnuplot -e "where = '$directory'; name = '$name'" "examples/plots/style.gp" "examples/plots/$name.gp"
    echo "    $directory/$name.png"
done
