# SPDX-License-Identifier: MIT
eval begin."960,520"
set title "predicting PE(p + k) from PE(p)" font ',17'
set xrange [0:60]
set yrange [0:1.25]
set xtics 10
set ytics 0, 0.2, 1
set xlabel "k, positions ahead"
set ylabel "share explained (R squared)"
set key top center horizontal
plot file('.dat') using 1:3 with lines lt 1 title "from sine and cosine of the pair", \
     '' using 1:2 with lines lt 2 title "from the sine alone"
