#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fixed_point.sh [PART...]: tests pe_fixed.h without a GPU. Without PART, it runs all of these parts:
#
#   languages   The header compiles without a warning as C99 to C17, C++11 to C++20 and OpenCL C 1.2 (clang, which also
#               compiles it for amdgcn), and where int has 16 bits (AVR). It can be included before pe.h and after it,
#               as they have no name in common, and after macros that other headers are known to define.
#   hash        The hash of fixed_hash.c is the same from gcc and clang, from -O0 to -Ofast, with the sanitizer of
#               undefined behaviour, and on a big-endian machine.
#   shader      pe_fixed.glsl, of which pe_fixed.wgsl is made, gives these bits when it is compiled as C++, and
#               glslangValidator accepts it.
#   proof       fixed_proof.py proves the error bounds from the header's constants.
#   certify     fixed_certify.c finds no undecided pair in the tables of tests/theorem.txt, at any position in f32, in
#               6 s; with CERTIFY=3 also in f16 and bf16, in 30 s.
#   mutants     The proof or the hash notices each change of a number in the header by 1: 390 changes in 40 s.
set -u
. tests/tools/lib.sh
WORK=$BUILD/fixed_point
rm -rf "$WORK"
mkdir -p "$WORK"

languages() {
    for std in c99 c11 c17 c++11 c++17 c++20; do
        for cc in "$GCC" "$CLANG"; do
            have "$cc" || { skipping "$cc is missing: -std=$std" && continue; }
            language=c
            case $std in c++*) language=c++ ;; esac
            # shellcheck disable=SC2086
            check "$cc -std=$std" "$cc" -std=$std -x $language -O2 $WARNINGS -Werror -fsyntax-only pe_fixed.h
        done
    done
    for order in "pe.h pe_fixed.h" "pe_fixed.h pe.h"; do
        # shellcheck disable=SC2086
        check "$order" "$CC" -std=c99 -DPE_ISA=PE_ISA_SCALAR -I. -fsyntax-only -x c -include ${order% *} -include ${order#* } \
            /dev/null
    done
    # A header of Windows defines the first macro. CUDA's headers define the second one, also when g++ compiles them.
    check "macros of the program" "$CC" -std=c99 -Dsmall=char "-D__noinline__=__attribute__((noinline))" -fsyntax-only \
        -x c pe_fixed.h
    if have avr-gcc; then
        check "int of 16 bits" avr-gcc -std=c99 -Wall -Wextra -Wconversion -Wsign-conversion -Werror -S -o /dev/null -x c \
            pe_fixed.h
    else
        skipping "avr-gcc is missing: int of 16 bits"
    fi
    cat >"$WORK/all.cl" <<X
#include "pe_fixed.h"
__kernel void all(__global float *out, __global ushort *half_out, __global const uint *w, int position)
{
    pe_fixed_increment increment;
    for (int k = 0; k < 4; k++) increment.w[k] = w[k];
    const pe_fixed_pair x = pe_fixed_sincos_f32(position, increment);
    const pe_fixed_pair y = pe_fixed_sincos_scaled_f32(position, increment, 1.25f);
    const pe_fixed_rotated r = pe_fixed_rotate_f32(x.sine, y.cosine, x);
    out[0] = r.first;
    out[1] = r.second;
    half_out[0] = pe_fixed_sincos_scaled_f16(position, increment, 1.25f).sine;
    half_out[1] = pe_fixed_sincos_scaled_bf16(position, increment, 1.0f).cosine;
}
X
    if have "$CLANG" && "$CLANG" -print-targets 2>/dev/null | grep -q amdgcn; then
        for target in "" "-target amdgcn -mcpu=gfx90a"; do
            # shellcheck disable=SC2086
            check "OpenCL C 1.2 $target" "$CLANG" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header $target -Wall -Wextra \
                -Werror -I. -O2 -S -emit-llvm -o /dev/null "$WORK/all.cl"
        done
    else
        skipping "no clang with amdgcn: OpenCL C"
    fi
}

hashed() { # RUNNER COMPILER FLAGS...
    runner=$1
    shift
    "$@" -std=c99 -Wall -Wextra -I. -o "$WORK/hash" tests/checks/fixed_hash.c && $runner "$WORK/hash" >"$WORK/now" || return 1
    [ -s "$WORK/first" ] || cp "$WORK/now" "$WORK/first"
    diff "$WORK/first" "$WORK/now"
}
hash() {
    for cc in "$GCC" "$CLANG"; do
        have "$cc" || { skipping "$cc is missing: the hash" && continue; }
        for flags in -O0 -O1 -O2 -Os "-O3 -ffast-math" "-O2 -ffp-contract=fast $(isa_flags "$(best_isa)")" \
            "-O1 -fsanitize=undefined -fno-sanitize-recover=undefined"; do
            # shellcheck disable=SC2086
            check "$cc $flags" hashed "" "$cc" $flags
        done
    done
    if have s390x-linux-gnu-gcc && have qemu-s390x; then
        check "big-endian s390x" hashed qemu-s390x s390x-linux-gnu-gcc -O2 -static
    else
        skipping "s390x-linux-gnu-gcc or qemu-s390x is missing: big-endian"
    fi
}

shader() {
    check "fixed_shader.cpp compiles" "$CXX" -std=c++11 -O2 -Wall -Wextra -I. -o "$WORK/shader" tests/checks/fixed_shader.cpp
    check "pe_fixed.glsl has the bits of pe_fixed.h" "$WORK/shader" 2000000
    if have glslangValidator; then
        for version in 450 "310 es"; do
            {
                echo "#version $version"
                echo "layout(local_size_x = 64) in;"
                echo "layout(std430, binding = 0) buffer Words { uvec4 words[]; };"
                cat examples/gpu/pe_fixed.glsl
                echo "void main() {"
                echo "    PeFixedPair x = pe_fixed_sincos_f32(int(words[0].x), words[1]);"
                echo "    words[0] = uvec4(x.sine, x.cosine, uint(x.undecided), 0u);"
                echo "}"
            } >"$WORK/all.comp"
            check "glslangValidator, version $version" glslangValidator "$WORK/all.comp"
        done
    else
        skipping "glslangValidator is missing"
    fi
}

proof() {
    have python3 || { skipping "python3 is missing: the bounds" && return; }
    check "the bounds" python3 tests/checks/fixed_proof.py pe_fixed.h
}

certify() {
    have_library mpfr "$CC" || { skipping "libmpfr is missing: the certificates" && return; }
    [ "$(uname -m)" = x86_64 ] || { skipping "no long double of x86-64: the certificates" && return; }
    cc=$CC
    have "$CLANG" && cc=$CLANG # clang vectorises the search
    # shellcheck disable=SC2086
    check "fixed_certify.c compiles" "$cc" -std=c99 -O3 -march=native -DPE_SLEEF=0 -DPE_ISA=PE_ISA_SCALAR $EXTRA_CFLAGS -I. \
        -o "$WORK/certify" tests/checks/fixed_certify.c -lmpfr -lgmp -lm
    check "no pair of tests/theorem.txt is undecided" "$WORK/certify" "${CERTIFY:-1}"
}

mutants() {
    have python3 || { skipping "python3 is missing: the mutants" && return; }
    cat >"$WORK/run" <<X
"$CC" -std=c99 -O1 -fsanitize=undefined -fno-sanitize-recover=undefined -w -I"\$1" -o "\$1/hash" tests/checks/fixed_hash.c && "\$1/hash"
X
    check "each number changed by 1" python3 tests/checks/fixed_proof.py pe_fixed.h "sh $WORK/run"
}

[ $# -gt 0 ] || set -- languages hash shader proof certify mutants
for part in "$@"; do
    case $part in
    languages | hash | shader | proof | certify | mutants) $part ;;
    *) echo "fixed_point.sh: there is no part $part" && exit 1 ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
