#!/bin/sh
# SPDX-License-Identifier: MIT
#
# man.sh POSENC: writes the manual page posenc(1) to standard output, from what the program says with --help.
set -eu
. ./packaging/version.sh
printf '.TH POSENC 1 "" "posenc %s" "User Commands"\n.SH NAME\nposenc \\- positional encodings of model files\n' "$VERSION"
printf '.SH SYNOPSIS\n.nf\n'
"$1" --help | awk '
    {
        gsub(/\\/, "\\e")
        gsub(/-/, "\\-")
        sub(/^usage: /, "       ")
    }
    !described && $0 == "" { described = 1; print ".fi\n.SH DESCRIPTION\n.nf"; next }
    !described { sub(/^       /, "") }
    { print "\\&" $0 }'
printf '.fi\n.SH SEE ALSO\nREADME.md and docs/tool.md of libposenc\\-dev, in /usr/share/doc/libposenc\\-dev.\n'
