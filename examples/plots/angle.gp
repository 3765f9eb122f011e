# SPDX-License-Identifier: MIT
eval begin."960,360"
number(k) = system(sprintf("awk '!/^#/ { print $%d }' '%s'", k, file('.dat'))) + 0
exact = number(2); is = number(3); float = number(4); was = number(5); step = number(6)
set title sprintf("pair %d of 256 at position 131,071: its angle exactly, and in float32", number(1)) font ',17'
set xrange [float - 1.7 * step:float + 1.7 * step]
set autoscale y
set offsets 0, 0, 0.003, 0.003
set format x "%.4f"
set format y "%.3f"
set xtics float - 2 * step, step
set xlabel sprintf("angle in radians; each tick is a float32: they stand 1/%.0f apart", 1 / step)
set ylabel "cosine"
set key right top
set arrow from exact, is to float, is nohead lc rgb '#9096a2' dt 3
set arrow from float, is to float, was heads size screen 0.006, 30 lc rgb '#cb423a' lw 1.5
set label sprintf("off by %.4f", abs(was - is)) at float - 0.06 * step, (is + was) / 2 right textcolor rgb '#cb423a'
plot cos(x) with lines lc rgb '#9096a2' lw 2 title "cosine", \
     '+' using (float):(was) every ::::0 with points pt 7 ps 2 lc rgb '#cb423a' title sprintf("float32: %.6f", float), \
     '+' using (exact):(is) every ::::0 with points pt 7 ps 2 lc rgb '#2054a0' title sprintf("exact: %.6f", exact)
