# SPDX-License-Identifier: MIT
eval begin."960,560"
set title "the error of float angles grows with the position" font ',17'
set logscale xy
set format x "%.0s%c"
set format y "10^{%T}"
set xrange [1:2.2e9]
set yrange [1e-9:300]
set xtics ("1" 1, "100" 100, "10,000" 1e4, "1 million" 1e6, "100 million" 1e8)
set ytics ("1" 1, "0.01" 0.01, "1e-4" 1e-4, "1e-6" 1e-6, "1e-8" 1e-8)
set xlabel "position"
set ylabel "largest error in a row of 512"
set key left top
plot file('.dat') using 1:2 with lines lt 2 title "float angles: sinf(p w)", \
     '' using 1:3 with lines lt 4 title "float angles, multiplied from pair to pair (ggml)", \
     '' using 1:4 with lines lt 1 lw 4 title "pe: half a unit in the last place, 3e-8, is the bound"
