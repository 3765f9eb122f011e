# SPDX-License-Identifier: MIT
eval begin."960,600"
set title "what an attention score of rms 1 is off by" font ',17'
set logscale xy
set xrange [256:3.4e7]
set yrange [1e-8:100]
set xtics ("256" 256, "2,048" 2048, "16,384" 16384, "131,072" 131072, "1 million" 1048576, "8 million" 8388608)
set ytics ("1" 1, "0.1" 0.1, "0.01" 0.01, "1e-3" 1e-3, "1e-4" 1e-4, "1e-5" 1e-5, "1e-6" 1e-6, "1e-7" 1e-7, "1e-8" 1e-8)
set xlabel "position of the query; d = 128, base 500000, keys at any position before it"
set ylabel "rms error"
set key left top maxrows 3
plot file('.dat') using 1:2 with lines lt 2 title "float angles", \
     '' using 1:3 with lines lt 4 title "ggml's chain of products", \
     '' using 1:6 with lines lc rgb '#9096a2' dt 2 lw 2.5 title "queries and keys in bf16", \
     '' using 1:7 with lines lc rgb '#9096a2' lw 2.5 title "queries and keys in f16", \
     '' using 1:4 with lines lt 3 lw 6 title "libm in double", \
     '' using 1:5 with lines lt 1 title "pe"
