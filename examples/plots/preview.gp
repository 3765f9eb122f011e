# SPDX-License-Identifier: MIT
# The social preview of a repository: 1280 x 640; a cell is 9 x 10 pixels.
eval begin."1280,640"
set label 1 "pe: positional encodings in C" at screen 0.05, screen 0.9 font ',42' textcolor rgb '#262a33'
set label 2 "correctly rounded, the same bits everywhere, fast" at screen 0.05, screen 0.79 font ',24' \
    textcolor rgb '#5c626e'
set lmargin at screen 64 / 1280.0
set rmargin at screen 1216 / 1280.0
set tmargin at screen 1 - 180 / 640.0
set bmargin at screen 1 - 580 / 640.0
unset border
unset tics
unset grid
unset colorbox
set xrange [-0.5:127.5]
set yrange [39.5:-0.5]
plot file('.bin') binary array=(128,40) format='%float' using 1 with image notitle
