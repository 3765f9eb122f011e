# SPDX-License-Identifier: MIT
# Each panel is 512 x 480 pixels: a pair is two, a position five.
eval begin."1280,660"
width = 1280.0; height = 660.0
set multiplot title "sinusoidal positional encoding, the first 96 positions of 512 dimensions" font ',17'
set yrange [95.5:-0.5]
set xrange [-0.5:255.5]
set xtics 0, 64 out
set ytics 0, 16 out
unset grid
set border 0
set xlabel "pair"
set tmargin at screen 1 - 88 / height
set bmargin at screen 1 - 568 / height
set lmargin at screen 80 / width
set rmargin at screen 592 / width
set ylabel "position"
set title "sines: dimensions 2i"
unset colorbox
plot file('.bin') binary array=(512,96) format='%float' using 1 with image notitle
set lmargin at screen 660 / width
set rmargin at screen 1172 / width
unset ylabel
set xrange [255.5:511.5]
set xtics ("0" 256, "64" 320, "128" 384, "192" 448)
set title "cosines: dimensions 2i + 1"
set colorbox
set cbtics 0.5
plot file('.bin') binary array=(512,96) format='%float' using 1 with image notitle
unset multiplot
