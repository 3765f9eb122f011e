#!/bin/sh
# SPDX-License-Identifier: MIT
#
# proven.sh: what `make test`, which has just passed, has proven, and what it has not.
set -u
. tests/tools/lib.sh
with="without SLEEF"
grep -q 'DPE_SLEEF=1' "$PE_LOGS"/library.*.log && with="with SLEEF"
cat <<X
Proven for $CC ${CFLAGS:--O2} $with on $(cpu_isas | sed 's/ /, /g'): elements are the floats next to
the exact values, by MPFR, and have the bits of tests/golden.txt; splits, types, conventions, RoPE,
ALiBi and learned tables keep their promises; bad input is refused before anything is written; no
call leaves its buffers. \`make check\` adds clang, AArch64, sanitizers, warnings, names, fuzzing inputs,
packaging and other compilers, standards and machines.
X
