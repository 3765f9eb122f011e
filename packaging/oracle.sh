#!/bin/sh
# SPDX-License-Identifier: MIT
#
# oracle.sh POSENC DIR [PREFIX]: DIR/PREFIXname.json for each model of packaging/oracle.txt, by the program posenc.
set -eu
posenc=$1 to=$2 prefix=${3:-}
mkdir -p "$to"
grep -v '^#' packaging/oracle.txt | while read -r name settings; do
    # shellcheck disable=SC2086
    "$posenc" table $settings "$to/$prefix$name.json" || { echo "oracle: $name is not understood" && exit 1; }
done
