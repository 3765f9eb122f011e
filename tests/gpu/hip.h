// SPDX-License-Identifier: MIT
//
// This header has what tests/gpu/fill.cu needs of HIP's headers, so that clang compiles it without
// ROCm. The code is not run.
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __global__ __attribute__((global))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

struct uint4 {
    unsigned x, y, z, w;
};
struct float2 {
    float x, y;
};
struct index_of_thread {
    unsigned x, y;
};
#define threadIdx (index_of_thread{__builtin_amdgcn_workitem_id_x(), 0})
#define blockIdx                                                                                   \
    (index_of_thread{__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y()})
#define blockDim (index_of_thread{__builtin_amdgcn_workgroup_size_x(), 0})

extern "C" __device__ inline void *memcpy(void *to, const void *from, __SIZE_TYPE__ size)
{
    return __builtin_memcpy(to, from, size);
}
