# SPDX-License-Identifier: MIT
eval begin."960,480"
set title "near rows are alike: d = 512" font ',17'
set xrange [-400:400]
set yrange [0:256]
set xtics 100
set ytics 64
set xlabel "distance k"
set ylabel "dot product of p and p + k"
plot file('.dat') with lines lt 1 notitle
