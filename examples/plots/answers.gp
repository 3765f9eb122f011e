# SPDX-License-Identifier: MIT
eval begin."960,600"
set title "how far a small model's answers move if all its positions are shifted" font ',17'
set logscale xy
set xrange [256:3.4e8]
set yrange [1e-13:100]
set xtics ("256" 256, "4,096" 4096, "32,768" 32768, "131,072" 131072, "1 million" 1048576, "8 million" 8388608, "134 million" 134217728)
set ytics ("10" 10, "0.1" 0.1, "1e-3" 1e-3, "1e-5" 1e-5, "1e-7" 1e-7, "1e-9" 1e-9, "1e-11" 1e-11)
set xlabel "all positions shifted by"
set ylabel "mean divergence of a next token, nats"
set key at graph .98,.5 right top Right noreverse
share(x) = x > 0 ? sprintf("%.2g %% of the most likely tokens change", 100 * x) : "no most likely token changes"
wanted(x) = x == 32768 || x == 131072 || x == 1048576 || x == 8388608
plot file('.dat') using 1:15 with lines lc rgb '#9096a2' lw 2.5 title "positions rounded to bf16", \
     '' using 1:9 with lines lt 2 title "float angles", \
     '' using 1:12 with lines lt 4 dt 2 title "ggml's chain of products", \
     '' using 1:6 with lines lt 3 lw 6 title "libm in double", \
     '' using 1:3 with lines lt 1 title "pe", \
     '' using (wanted($1) ? $1 : 1/0):9:(share($10)) with labels right offset -1,.8 font ',12' textcolor rgb '#cb423a' notitle
