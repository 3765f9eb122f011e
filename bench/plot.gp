# SPDX-License-Identifier: MIT
# How the picture of `bench.py plot` looks; the data, the cache sizes and the output come before this.
set multiplot title "Filling a table of 512 floats a row, one thread: lower is faster\n{/*0.7 ".caption."; the others were measured to 256 MB}"
set logscale x 2
set logscale y 10
set xrange [2**11:2**31]
set yrange [0.03:10]
set xtics ("2K" 2**11, "64K" 2**16, "2M" 2**21, "64M" 2**26, "2G" 2**31) nomirror
set ytics ("0.03" 0.03, "0.1" 0.1, "0.3" 0.3, "1" 1, "3" 3, "10" 10) nomirror
set grid ytics back lt 1 lw 0.75 lc rgb '#e2e2e2'
set tics textcolor rgb '#444444'
set border 3 lc rgb '#666666'
set xlabel "size of the table, bytes" offset 0,0.3
set tmargin at screen 0.78
set bmargin at screen 0.16
# Panel k of n: side by side, with room for one key on the right.
left(k, n) = 0.095 + (0.7 / n) * (k - 1)
right(k, n) = left(k, n) + 0.7 / n - 0.07
set key at screen 0.745, screen 0.77 left top Left reverse spacing 1.2 samplen 1.2
