# SPDX-License-Identifier: MIT
eval begin."1280,480"
set multiplot
set xrange [-12:12]
set xtics 6 offset -0.3,0
set xlabel "distance k"
set tmargin at screen 0.82
set bmargin at screen 0.26
unset key
titles = "index|index / length|sinusoid: the same at any p"
text = "p = 12 in a text of 25|p = 60 in a text of 121|p = 105 in a text of 1001"
part(s, n) = n == 0 ? s[1:strstrt(s, '|') - 1] : part(s[strstrt(s, '|') + 1:*].'|', n - 1)
do for [w = 0:2] {
    set lmargin at screen 0.085 + 0.325 * w
    set rmargin at screen 0.33 + 0.325 * w
    set title part(titles.'|', w) font ',15'
    if (w == 0) { set ylabel "dot product of p and p + k" } else { unset ylabel }
    set yrange [0:word("15000 1 8", w + 1) + 0]
    # one legend for the three, below the middle one
    if (w == 1) { set key at screen 0.5, screen 0.06 center center maxrows 1 width 3 } else { unset key }
    # The three sinusoids are one curve: a wide line, with points of the other two on it by turns.
    if (w < 2) {
        plot for [n = 0:2] file('.dat') using 1:(column(2 + 3 * w + n)) with lines lt n + 1 title part(text.'|', n)
    } else {
        plot file('.dat') using 1:8 with lines lt 1 lw 6, \
            '' every 2::0 using 1:9 with points pt 7 ps 1.5 lc rgb word("#cb423a", 1), \
            '' every 2::1 using 1:10 with points pt 7 ps 1.5 lc rgb word("#2e8b57", 1)
    }
}
unset multiplot
