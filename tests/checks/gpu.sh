#!/bin/sh
# SPDX-License-Identifier: MIT
#
# gpu.sh: tests pe_fixed.h and pe_fixed.wgsl on devices that are emulated by the CPU.
#
# Each backend computes the tables of tests/gpu/tables.c, four of which are in tests/golden.txt. The backends are OpenCL
# on PoCL, also with -cl-fast-relaxed-math, WebGPU in Chromium on SwiftShader, and GLSL on lavapipe and SwiftShader. The
# programs of examples/gpu run also. nvcc, NVRTC and clang compile for GPUs without a warning, and nvcc needs at most 40
# registers and spills none. A device or compiler that is missing is a SKIP.
#
#   gpu.sh [opencl|webgpu|vulkan|cuda|nvrtc|amdgcn ...]     runs only these parts
set -u
. tests/tools/lib.sh
WORK=$BUILD/gpu
NVCC=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
rm -rf "$WORK"
mkdir -p "$WORK"
skipped=0
skipping() {
    skipped=$((skipped + 1))
    echo "SKIP: $*"
}

# Compiles a C program of the host, with pe's scalar code, which takes the least time to compile.
# shellcheck disable=SC2086
host() { # NAME SOURCE LIBS...
    name=$1 source=$2 && shift 2
    "$CC" -std=c99 -O2 -DPE_ISA=PE_ISA_SCALAR -DPE_SLEEF=0 $WARNINGS $EXTRA_CFLAGS -I. "$source" \
        -o "$WORK/$name" "$@" -lm
}
# runs WHAT COMMAND...: is like check, but shows the output, and counts a SKIP if the command exits with 77.
runs() {
    what=$1 && shift
    "$@" >"$WORK/out" 2>&1
    status=$?
    if [ $status = 77 ]; then
        skipping "$what: $(tail -n 1 "$WORK/out" | sed 's/^SKIP: //')"
    else
        check "$what" sh -c "cat '$WORK/out'; exit $status"
        [ $status != 0 ] || sed 's/^/    /' "$WORK/out"
    fi
    return $status
}
# tables DEVICE COMMAND...: checks that the command makes the tables, and that they have pe's bits.
tables() {
    name=$1 && shift
    runs "tables by $name" "$@" && runs "... have pe's bits" "$WORK/tables" check "$WORK" "$name"
}

check "tables for devices" host tables tests/gpu/tables.c
check "... written" "$WORK/tables" write "$WORK"

# ---- OpenCL -----------------------------------------------------------------------------------------

opencl() {
    if ! echo 'int main(void) { return 0; }' | links "$CC" -lOpenCL; then
        skipping "OpenCL: its library is missing: make deps"
        return
    fi
    check "tests/gpu/opencl.c" host opencl tests/gpu/opencl.c -lOpenCL
    tables opencl "$WORK/opencl" "$WORK" opencl || return
    tables opencl-fast "$WORK/opencl" "$WORK" opencl-fast "-cl-fast-relaxed-math -cl-mad-enable"
    check "examples/gpu/opencl.c" host example-opencl examples/gpu/opencl.c -lOpenCL
    runs "... rotates as pe.h does" "$WORK/example-opencl"
}

# ---- WebGPU -----------------------------------------------------------------------------------------

webgpu() {
    browser='' node=''
    for candidate in chromium chromium-browser google-chrome; do
        ! have $candidate || browser=${browser:-$candidate}
    done
    for candidate in node nodejs; do
        ! have $candidate || node=${node:-$candidate}
    done
    if [ -z "$browser" ] || [ -z "$node" ]; then
        skipping "WebGPU: chromium or node is missing: make deps"
        return
    fi
    check "examples/gpu/increments.c" host increments examples/gpu/increments.c
    "$WORK/increments" >"$WORK/increments.json"
    # webgpu.js also runs examples/gpu/webgpu.html.
    tables webgpu "$node" tests/gpu/webgpu.js "$browser" "$WORK" webgpu
}

# ---- GLSL on Vulkan ---------------------------------------------------------------------------------

vulkan() {
    if ! have glslangValidator || ! echo 'int main(void) { return 0; }' | links "$CC" -lvulkan; then
        skipping "GLSL: glslangValidator or Vulkan's library is missing: make deps"
        return
    fi
    check "tests/gpu/vulkan.c" host vulkan tests/gpu/vulkan.c -lvulkan
    check "pe_fixed.glsl is compiled" glslangValidator -V -I. tests/gpu/fill.comp -o "$WORK/fill.spv"
    glsl_on lavapipe /usr/share/vulkan/icd.d/lvp_icd.*.json
    glsl_on swiftshader /usr/lib/chromium/vk_swiftshader_icd.json
}
glsl_on() { # NAME DRIVER
    if [ -f "$2" ]; then
        tables "$1" env VK_ICD_FILENAMES="$2" VK_DRIVER_FILES="$2" "$WORK/vulkan" "$WORK/fill.spv" "$WORK" "$1"
    else
        skipping "GLSL on $1: there is no $2: make deps"
    fi
}

# ---- what compilers make for GPUs -------------------------------------------------------------------

# registers FILE KERNEL: prints the number of registers that ptxas -v reports for the kernel.
registers() { awk -v kernel="'$2'" '/Compiling entry/ { now = index($0, kernel) } now && /Used/ { print $5 }' "$1"; }
for_cuda() { # ARCHITECTURE
    "$NVCC" -std=c++17 -O3 -arch="sm_$1" -maxrregcount=40 -cubin -Xptxas -v -I. tests/gpu/fill.cu -o "$WORK/fill.cubin" \
        >"$WORK/ptxas.$1" 2>&1 && ! grep -i warning "$WORK/ptxas.$1"
}
nothing_spilled() { # ARCHITECTURE
    [ "$(grep -c ' 0 bytes spill stores' "$WORK/ptxas.$1")" -ge 3 ] && ! grep '[1-9][0-9]* bytes spill' "$WORK/ptxas.$1"
}
# nvrtc: compiles pe_fixed.h at run time, as programs do; NVRTC has no system headers.
nvrtc() {
    runs "NVRTC, pe_fixed.h alone" python3 tests/gpu/nvrtc.py 75 80 89 90 100 120
}
cuda() {
    if ! have "$NVCC"; then
        skipping "CUDA: nvcc is missing"
        return
    fi
    for arch in 75 80 89 90 100 120; do
        check "nvcc for sm_$arch, no warning" for_cuda $arch
        check "... nothing spilled by 40 registers" nothing_spilled $arch
        echo "    registers: table $(registers "$WORK/ptxas.$arch" fill), with an amplitude" \
            "$(registers "$WORK/ptxas.$arch" fill_scaled), heads $(registers "$WORK/ptxas.$arch" rotate)"
    done
    # Warning 1675 is about the gcc pragmas in pe.h, which nvcc passes on to gcc.
    check "examples/gpu/cuda.cu" "$NVCC" -std=c++17 -O1 -arch=sm_90 -diag-suppress 1675 -I. \
        -Xcompiler -DPE_ISA=PE_ISA_SCALAR examples/gpu/cuda.cu -o "$WORK/cuda"
    runs "... rotates as pe.h does" "$WORK/cuda"
    awk '/^```cuda$/ { on = 1; next } /^```$/ { on = 0 } on' docs/gpu.md >"$WORK/page.cu"
    check "the program of docs/gpu.md" "$NVCC" -std=c++17 -O1 -arch=sm_90 -diag-suppress 1675 -I. \
        -Xcompiler -DPE_ISA=PE_ISA_SCALAR "$WORK/page.cu" -o "$WORK/page"
    runs "... rotates as pe.h does" "$WORK/page"
    check "bench/gpu, the kernels" "$NVCC" -std=c++17 -arch=sm_90 -DKERNELS=plain '-DFLAGS=""' -I. \
        -c bench/gpu/kernels.cu -o "$WORK/kernels.o"
    check "bench/gpu, the program" "$NVCC" -std=c++17 -arch=sm_90 -I. -c bench/gpu/main.cu -o "$WORK/main.o"
}

# amdgcn: compiles for AMD's GPUs. clang does so without ROCm, and the code is not run.
amdgcn() {
    if ! "$CLANG" --print-targets 2>/dev/null | grep -q amdgcn; then
        skipping "amdgcn: $CLANG is missing, or not for it"
        return
    fi
    check "clang for amdgcn, OpenCL C" "$CLANG" -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib \
        -Xclang -finclude-default-header -Wall -Wextra -Werror -O2 -I. -S tests/gpu/fill.cl -o "$WORK/opencl.s"
    check "clang for amdgcn, HIP" "$CLANG" -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only \
        -std=c++17 -Wall -Wextra -Werror -O3 -include tests/gpu/hip.h -I. -S tests/gpu/fill.cu -o "$WORK/hip.s"
    check "the rotation: clang for amdgcn, OpenCL C, fast-math" "$CLANG" -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa \
        -mcpu=gfx90a -nogpulib -cl-fast-relaxed-math -Xclang -finclude-default-header -O2 -I. \
        -S examples/gpu/rope.cl -o "$WORK/fast-opencl.s"
    check "... HIP, fast-math" "$CLANG" -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -std=c++17 \
        -ffast-math -ffp-contract=fast -O3 -include tests/gpu/hip.h -I. -S tests/gpu/fill.cu -o "$WORK/fast-hip.s"
    check "... fuse no product" sh -c "grep -q 'v_\(pk_\)*mul_f32' '$WORK/fast-opencl.s' && \
        grep -q 'v_\(pk_\)*mul_f32' '$WORK/fast-hip.s' && ! grep 'v_\(pk_\)*\(fma\|mad\|fmac\|mac\)_\(legacy_\)*f32' '$WORK/fast-opencl.s' '$WORK/fast-hip.s'"
    check "... nothing spilled" sh -c "grep 'vgpr_spill_count: *0' '$WORK/hip.s' && ! grep 'vgpr_spill_count: *[1-9]' '$WORK/hip.s'"
}

[ $# -gt 0 ] || set -- opencl webgpu vulkan cuda nvrtc amdgcn
for what; do
    $what
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
