#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [quick|SECONDS] [--pairs N]: compile gpu-bench for this machine's GPU and run it. The report is printed, and
# written to $BUILD/gpu-bench/gpu-bench.txt and .json. NVCC names the compiler, GPU_ARCH another architecture than that
# of the GPU. Without nvcc or a GPU: SKIP, and exit status 77.
set -u
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
GPU_ARCH=${GPU_ARCH:-native}
WORK=${BUILD:-build}/gpu-bench
command -v "$NVCC" >/dev/null 2>&1 || { echo "SKIP: nvcc is missing" && exit 77; }
nvidia-smi -L >/dev/null 2>&1 || { echo "SKIP: there is no NVIDIA GPU" && exit 77; }
mkdir -p "$WORK"

compile() { # OBJECT SOURCE FLAGS...
    object=$1 source=$2
    shift 2
    "$NVCC" -std=c++17 -O3 -arch="$GPU_ARCH" -I. "$@" -c "bench/gpu/$source" -o "$WORK/$object.o"
}
rm -f "$WORK"/*.o
compile plain kernels.cu -DKERNELS=plain '-DFLAGS="no flags"' &
compile fast_math kernels.cu -use_fast_math -DKERNELS=fast_math '-DFLAGS="-use_fast_math"' &
compile unfused kernels.cu --fmad=false -DKERNELS=unfused '-DFLAGS="--fmad=false"' &
compile main main.cu &
compile host host.cpp -Xcompiler -march=native &
wait
"$NVCC" -arch="$GPU_ARCH" "$WORK"/plain.o "$WORK"/fast_math.o "$WORK"/unfused.o "$WORK"/main.o "$WORK"/host.o \
    -o "$WORK/gpu-bench" || exit 1
"$WORK/gpu-bench" "$@" --json "$WORK/gpu-bench.json" >"$WORK/gpu-bench.txt"
status=$?
cat "$WORK/gpu-bench.txt"
exit $status
