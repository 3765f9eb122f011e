# SPDX-License-Identifier: MIT
eval begin."1240,700"
set multiplot title "each pair (sine, cosine) is the hand of a clock" font ',17'
set yrange [15.6:-0.6]
set xrange [-0.6:15.6]
set size ratio -1
set xtics 2 out
set ytics 1 out
unset grid
set border 0
unset key
unset colorbox
set palette defined (0 '#cb423a', 15 '#2054a0')
set cbrange [0:15]
set style fill solid 1 noborder
set xlabel "pair: hands to the right go slower"
set tmargin at screen 0.86
set bmargin at screen 0.1
# 12 o'clock is position 0, hands go clockwise; rows count downwards.
clocks = "file('.dat') index k using 2:1:(0.45) with circles fc rgb '#d3d8e0', \
    '' index k using 2:1:(0.42) with circles fc rgb '#f8f9fb', \
    '' index k using 2:1:(0.4 * $3):(-0.4 * $4):2 with vectors nohead lw 2.2 lc palette, \
    '' index k using 2:1:(0.06):2 with circles fc palette"
set lmargin at screen 0.07
set rmargin at screen 0.49
set ylabel "position" offset 1
set title "consecutive positions"
k = 0
eval "plot ".clocks
set lmargin at screen 0.56
set rmargin at screen 0.98
unset ylabel
set title "every 500th position"
set ytics ()
do for [n = 0:15] { set ytics add (sprintf("%d", 500 * n) n) }
k = 1
eval "plot ".clocks
unset multiplot
