#!/bin/sh
# SPDX-License-Identifier: MIT
#
# modules.sh: tests pe in C++ programs with modules, compiled by g++ 16. A header unit would lose the pragmas, so it is
# refused. docs/building.md names two remedies: #include in a named module, and a header unit with PE_EXTERN. Both, and
# a precompiled header, must give the right bits under the options that the pragmas protect from.
set -u
. tests/tools/lib.sh
WORK=$BUILD/modules
rm -rf "$WORK"
mkdir -p "$WORK"
have g++-16 || sh tests/tools/debian_gcc.sh 16 sid binutils-x86-64-linux-gnu libbinutils libsframe3 libjansson4
have g++-16 || skip "there is no g++-16"

flags=-ffast-math
! cpu_has avx2 || flags="$flags -march=x86-64-v3"
cp pe.h pe_simd.h "$WORK/"
cd "$WORK" || exit 1
WORK=.
echo '#include "pe.h"' >ours.h
cat >main.inc <<X
#include <stdio.h>
int main()
{
    float row[4096];
    unsigned long long hash = 14695981039346656037u;
    if (wave(row)) return 1;
    for (float x : row) hash = (hash ^ (unsigned long long)(long long)(x * 16777216.f)) * 1099511628211u;
    printf("%llx\n", hash);
    return broken();
}
X
cat >wave.inc <<X
int wave(float *row) { return (int)pe_sinusoidal_f32(row, 64, 64); }
int broken() { return (int)pe_selftest(); }
X
printf '#include "pe.h"\n#include "wave.inc"\n#include "main.inc"\n' >include.cpp
printf 'import "pe.h";\n#include "wave.inc"\n#include "main.inc"\n' >unit.cpp
printf '#define PE_EXTERN\n#define PE_IMPLEMENTATION\n#include "pe.h"\n' >functions.cpp
sed 's/^int/export &/' wave.inc >exported.inc
printf 'module;\n#include "pe.h"\nexport module waves;\n#include "exported.inc"\n' >waves.cpp
printf 'import waves;\n#include "main.inc"\n' >named.cpp

# refused HEADER: succeeds if the header does not compile as a header unit, and the message names the remedy.
refused() { ! $gxx -fmodules -fmodule-header "$1" >refused 2>&1 && grep -q 'pe_simd.h.* error: .*PE_EXTERN' refused; }
same() { "$1" >got && cmp got want; }
unit() { $gxx -fmodules -DPE_EXTERN -fmodule-header pe.h && $gxx -fmodules -DPE_EXTERN -c unit.cpp && $gxx -c functions.cpp && $gxx unit.o functions.o -o unit; }
named() { $gxx -fmodules -c waves.cpp && $gxx -fmodules -c named.cpp && $gxx waves.o named.o -o named; }
precompiled() { $gxx -x c++-header pe.h -o pe.h.gch && $gxx -H include.cpp -o include && grep -q '^! .*pe.h.gch' "$WORK/log"; }

g++-16 -O1 include.cpp -o include && ./include >want || exit 1
gxx="g++-16 -std=c++20 -O1 $flags"
check "a header unit of pe.h is refused" refused pe.h
check "a header unit that includes pe.h is refused" refused ours.h
check "a header unit with PE_EXTERN, $flags" unit
check "    its bits" same ./unit
rm -rf gcm.cache # if the header unit existed, g++ would import it in place of an #include
check "a named module that includes pe.h, $flags" named
check "    its bits" same ./named
check "pe.h precompiled, $flags" precompiled
check "    its bits" same ./include
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
