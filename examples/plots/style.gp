# SPDX-License-Identifier: MIT
# What the pictures share: where data are, one look. A picture calls begin with its size.
set output where."/".name.".png"
file(suffix) = where."/".name.suffix
begin = "set terminal pngcairo noenhanced font 'DejaVu Sans,13' background '#ffffff' size "
set border 3 lc rgb '#9096a2'
set tics nomirror textcolor rgb '#5c626e'
set grid lt 1 lw 1 lc rgb '#e4e7ed'
set key textcolor rgb '#262a33' Left reverse spacing 1.3 samplen 2
do for [k = 1:4] { set linetype k lw 2.5 lc rgb word("#2054a0 #cb423a #2e8b57 #c88214", k) }
# -1 is blue, 0 nearly white, 1 red.
set palette defined (-1 '#18326a', -0.75 '#2d67a8', -0.5 '#7aadd4', -0.25 '#ccdfec', 0 '#f8f6f3', \
    0.25 '#fad8c4', 0.5 '#ee9978', 0.75 '#ce4c42', 1 '#801228')
set cbrange [-1:1]
