#!/bin/sh
# SPDX-License-Identifier: MIT
#
# models.sh [VERSION]: asks transformers again about all its model types, and shows what changes in the program's table.
#
# Without VERSION it asks the library in build/peers, which tests/requirements/peers.txt pins. With VERSION, or
# "newest", it first installs this version in an environment of its own, build/transformers-VERSION. All other packages
# are those of build/peers, unless this version needs newer ones, so that differences come from transformers. Nothing is
# installed if VERSION is the pinned one. The script changes tests/models/ and tool/model/transformers.h. Then it prints
# the difference of the table, and of the digests of code that a person has read. For each digest that changes, read the
# code again, correct the line of generate/model_words.txt or tests/models/read.txt that cites it, and run
# generate/model_lines.py. At the end, pin the version in tests/requirements/peers.txt, and write tests/models/gaps.txt
# anew as tests/checks/transformers_parity.py says.
#
# For transformers 5.17.0 it took 8 minutes and 43 seconds, nearly all of it on one core of a Cascade Lake Xeon.
set -eu
. tests/tools/lib.sh
packages='import sysconfig; print(sysconfig.get_path("purelib"))'
python=$BUILD/peers/bin/python
[ -x "$python" ] || { echo "models.sh: $python is missing: make deps"; exit 2; }
if [ $# -gt 0 ]; then
    environment=$BUILD/transformers-$1
    package=transformers==$1
    [ "$1" != newest ] || package=transformers
    [ -x "$environment/bin/python" ] || "$python" -m venv --without-pip "$environment"
    peers=$("$python" -c "$packages")
    python=$environment/bin/python
    echo "$peers" >"$("$python" -c "$packages")/peers.pth" # python finds the packages of build/peers, pip among them
    "$python" -m pip install -q --upgrade "$package"
fi
"$python" generate/model_records.py || echo "correct these citations, then run generate/model_lines.py"
python3 generate/model_lines.py || echo "correct these lines, then run generate/model_lines.py"
git --no-pager diff -U0 --stat --patch -- tool/model/transformers.h tests/models/cited.txt
