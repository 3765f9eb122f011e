#!/bin/sh
# SPDX-License-Identifier: MIT
#
# logits.sh: checks that `answers --logits` prints the same hash of all logits of a model, however it is compiled. The
# builds are scalar code, AVX2, AVX-512, clang's, AArch64 and s390x under qemu-user, and WebAssembly. The command must
# also name the first logit that the machine's sinf and cosf change. The model has random weights (logits_model.c). If
# MODEL is the path of stories260K.bin, the same is done with that model, whose hash is in docs/when.md. In the step
# demo, tests/checks/answers.py compares the logits with numpy's.
set -u
. tests/tools/lib.sh
WORK=$BUILD/logits
rm -rf "$WORK"
mkdir -p "$WORK"
MODEL=${MODEL:-}
MADE=41a5cddec8a6a7ea

"$CC" -std=c99 -O1 tests/checks/logits_model.c -o "$WORK/make" && "$WORK/make" "$WORK/made.bin" || exit 1
public=$(sed -n 's/^logits with pe.s angles  *\([0-9a-f]\{16\}\)$/\1/p' docs/when.md)

# In strict ISO C, gcc for s390x evaluates floats as doubles, which pe refuses; this flag exists in gcc alone.
excess=-fexcess-precision=fast
build() { # NAME COMPILER FLAGS...
    out=$WORK/$1
    shift
    # shellcheck disable=SC2086
    "$@" -std=c99 $WARNINGS -DPE_SLEEF=0 -I. examples/answers.c -o "$out" -lm
}
says() { # HASH MODEL RUNNER...
    hash=$1 model=$2
    shift 2
    "$@" --logits "$model" >"$WORK/out" || return 1
    cat "$WORK/out"
    grep -q "^logits with pe's angles  *$hash\$" "$WORK/out" &&
        ! grep -q "^logits with this machine's sinf, cosf  *$hash\$" "$WORK/out" &&
        grep -Eq '^[1-9][0-9]* of [0-9]+ logits differ; the first is that of token [0-9]+ at position 1: ' "$WORK/out"
}
hashes() { # WHAT RUNNER...
    machine=$1
    shift
    check "$machine: the made model's hash" says "$MADE" "$WORK/made.bin" "$@"
    [ -z "$MODEL" ] || check "$machine: the public model's hash" says "$public" "$MODEL" "$@"
}

[ -n "$MODEL" ] || skipping "MODEL=, the path of stories260K.bin, is not given: the public model's hash"
[ -z "$MODEL" ] || check "docs/when.md has the public model's hash" test -n "$public"
for isa in scalar avx2 avx512; do
    if [ $isa = scalar ] || cpu_has $isa; then
        # shellcheck disable=SC2046
        check "$isa builds" build $isa "$CC" -O1 $(isa_flags $isa)
        hashes $isa "$WORK/$isa"
    else
        skipping "this CPU lacks $isa"
    fi
done
if have "$CLANG"; then # whose default is to contract a product and a sum of one expression
    check "clang builds" build clang "$CLANG" -O2 -march=native
    hashes "clang" "$WORK/clang"
else
    skipping "clang is missing"
fi
if have_arm64; then
    check "AArch64 builds" build arm64 "$ARM64_GCC" -O1
    hashes "AArch64" "$QEMU_ARM64" -L "$ARM64_ROOT" "$WORK/arm64"
else
    skipping "$ARM64_GCC or $QEMU_ARM64 is missing: AArch64"
fi
if have_machine s390x; then
    check "s390x builds" build s390x "$(machine_gcc s390x)" -O1 $excess
    hashes "s390x" "$(machine_qemu s390x)" -L "$(machine_root s390x)" "$WORK/s390x"
else
    skipping "$(machine_gcc s390x) or $(machine_qemu s390x) is missing: s390x"
fi
EMCC=${EMCC:-emcc}
node=$(command -v node || command -v nodejs)
if have "$EMCC" && [ -n "$node" ]; then
    # A file:// address is no URL for the fetch() of newer nodes; without it, emscripten reads the file.
    ! $node --no-experimental-fetch -e 0 2>/dev/null || node="$node --no-experimental-fetch"
    [ ! -d /usr/share/nodejs ] || export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}"
    check "WebAssembly builds" build wasm.js "$EMCC" -O1 -msimd128 -s NODERAWFS=1 -s ALLOW_MEMORY_GROWTH=1
    # shellcheck disable=SC2086
    hashes "WebAssembly" $node "$WORK/wasm.js"
else
    skipping "emscripten or node is missing: WebAssembly"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
