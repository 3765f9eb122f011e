#!/bin/sh
# SPDX-License-Identifier: MIT
#
# proven.sh: prints what `make test`, which has just passed, has proven, and what it has not.
set -u
. tests/tools/lib.sh
skipped=$(cat "$PE_LOGS"/*.count | awk '{ n += $3 } END { print n + 0 }')
[ "$skipped" -eq 0 ] || {
    echo "Not proven: what was skipped above ($skipped). STRICT=1 makes that a failure."
    exit
}
with="without SLEEF"
grep -q 'DPE_SLEEF=1' "$PE_LOGS"/library.*.log && with="with SLEEF"
# $all lists the instruction sets that ran everything. If the CPU has a better one than SSE2, only the bits and the
# types of SSE2 are tested; $bits lists such instruction sets.
all='' bits=''
for isa in $(cpu_isas); do
    if [ -f "$PE_LOGS/exact.$isa.count" ]; then all="$all${all:+, }$isa"; else bits="$bits${bits:+, }$isa"; fi
done
cat <<X
Proven for $CC ${CFLAGS:--O2} $with on $all${bits:+ (of $bits: the bits and the types)}:
every element is the float next to the exact value (MPFR) and has the bits of tests/golden.txt; splits,
types, conventions, RoPE, ALiBi and learned tables are as documented; bad input is refused before
anything is written; no call leaves its buffers; README's programs run.
\`make check\` adds gcc and clang, AArch64, sanitizers, warnings, names, fuzzing inputs, packaging, and
some of the other compilers, standards and machines.
X
