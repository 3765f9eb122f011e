# SPDX-License-Identifier: MIT
eval begin."1240,560"
set multiplot title "sinusoidal positional encoding, 16 positions x 32 dimensions" font ',17'
set yrange [15.5:-0.5]
set xrange [-0.5:31.5]
set xtics 4 out
set ytics out
unset grid
set border 0
set cbtics 0.5
set xlabel "dimension: even = sine, odd = cosine"
set tmargin at screen 0.83
set bmargin at screen 0.14
set lmargin at screen 0.065
set rmargin at screen 0.45
set ylabel "position" offset 1
set title "consecutive positions: only fast dimensions change"
set ytics 1
unset colorbox
plot file('.dat') index 0 matrix with image notitle
set lmargin at screen 0.53
set rmargin at screen 0.915
unset ylabel
set title "every 500th position: slow dimensions also change"
set ytics ()
do for [k = 0:15] { set ytics add (sprintf("%d", 500 * k) k) }
set colorbox
plot file('.dat') index 1 matrix with image notitle
unset multiplot
