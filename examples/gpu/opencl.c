/* SPDX-License-Identifier: MIT
 *
 * opencl: heads of queries rotated by the kernel of rope.cl, and compared with pe_rope_f32() by
 * bits. Run it at the top of the tree, where it finds pe_fixed.h.
 *
 *     cc -std=c99 -O2 -I. examples/gpu/opencl.c -o opencl -lOpenCL -lm && ./opencl
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "pe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 256, HEADS = 8, PAIRS = 64, COUNT = TOKENS * HEADS * 2 * PAIRS };

static void need(int ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "opencl: %s failed\n", what);
    exit(1);
}

static cl_kernel kernel_of(cl_context context, cl_device_id device)
{
    static char source[8192];
    const char *text = source;
    cl_int error;
    FILE *const f = fopen("examples/gpu/rope.cl", "r");
    need(f != NULL && fread(source, 1, sizeof source - 1, f) > 0 && fclose(f) == 0,
         "reading rope.cl");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    need(error == CL_SUCCESS &&
             clBuildProgram(program, 1, &device, "-I . -cl-std=CL1.2", NULL, NULL) == CL_SUCCESS,
         "compiling rope.cl");
    cl_kernel kernel = clCreateKernel(program, "rope", &error);
    need(error == CL_SUCCESS, "the kernel");
    return kernel;
}

/* Rotates x on the device; returns whether a pair was undecided. */
static int rotate(cl_device_id device, const uint32_t *increments, const int32_t *positions,
                  float *x)
{
    const size_t size[2] = {PAIRS, TOKENS};
    const cl_mem_flags copy = CL_MEM_COPY_HOST_PTR;
    cl_int heads = HEADS, undecided = 0, error[6] = {0};
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error[0]);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error[1]);
    cl_kernel kernel = kernel_of(context, device);
    cl_mem heads_of_x = clCreateBuffer(context, copy, COUNT * sizeof *x, x, &error[2]);
    cl_mem frequencies =
        clCreateBuffer(context, copy, 16 * PAIRS, (void *)(uintptr_t)increments, &error[3]);
    cl_mem at = clCreateBuffer(context, copy, TOKENS * sizeof *positions,
                               (void *)(uintptr_t)positions, &error[4]);
    cl_mem left = clCreateBuffer(context, copy, sizeof undecided, &undecided, &error[5]);
    for (int i = 0; i < 6; i++) need(error[i] == CL_SUCCESS, "memory on the device");
    need(clSetKernelArg(kernel, 0, sizeof heads_of_x, &heads_of_x) == CL_SUCCESS &&
             clSetKernelArg(kernel, 1, sizeof frequencies, &frequencies) == CL_SUCCESS &&
             clSetKernelArg(kernel, 2, sizeof at, &at) == CL_SUCCESS &&
             clSetKernelArg(kernel, 3, sizeof heads, &heads) == CL_SUCCESS &&
             clSetKernelArg(kernel, 4, sizeof left, &left) == CL_SUCCESS &&
             clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL) ==
                 CL_SUCCESS &&
             clEnqueueReadBuffer(queue, heads_of_x, CL_TRUE, 0, COUNT * sizeof *x, x, 0, NULL,
                                 NULL) == CL_SUCCESS &&
             clEnqueueReadBuffer(queue, left, CL_TRUE, 0, sizeof undecided, &undecided, 0, NULL,
                                 NULL) == CL_SUCCESS,
         "running the kernel");
    return undecided;
}

int main(void)
{
    static float x[COUNT], want[COUNT];
    static uint32_t increments[4 * PAIRS];
    static int32_t positions[TOKENS];
    const pe_heads heads = {
        .heads = HEADS, .head_stride = 2 * PAIRS, .token_stride = HEADS * 2 * PAIRS};
    cl_platform_id platform;
    cl_device_id device;
    pe_plan plan;
    pe_rope_config config = pe_rope_config_default(2 * PAIRS);
    config.rope_theta = 500000;
    void *const memory = malloc(pe_rope_plan_size(&config));
    need(memory != NULL &&
             pe_rope_plan_init(&plan, &config, memory, pe_rope_plan_size(&config)) == PE_OK &&
             pe_fixed_increments(&plan, increments) == PE_OK,
         "the plan");
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
        puts("SKIP: there is no OpenCL device");
        return 77;
    }
    for (int t = 0; t < TOKENS; t++) positions[t] = t * 8388593; /* up to 2^31 */
    for (int i = 0; i < COUNT; i++) x[i] = want[i] = (float)(i % 509 + 1) / 512;
    const int undecided = rotate(device, increments, positions, x);
    need(pe_rope_f32(&plan, pe_at_i32(positions), TOKENS, want, heads) == PE_OK, "pe_rope_f32");
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) wrong += memcmp(x + i, want + i, sizeof *x) != 0;
    printf("%d elements, %d wrong%s\n", COUNT, wrong, undecided ? ", undecided pairs" : "");
    free(memory);
    return wrong != 0 || undecided;
}
