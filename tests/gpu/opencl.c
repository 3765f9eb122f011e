/* SPDX-License-Identifier: MIT
 *
 * opencl: computes tables on an OpenCL device. It reads a file DIR/k.in for each table k = 0, 1 ...
 * and writes DIR/k.NAME. The former come from tests/gpu/tables.c, which also checks the latter.
 *
 *     opencl DIR NAME [OPTIONS]     OPTIONS are passed to clBuildProgram()
 *
 * The exit status is 77 if there is no device.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(cl_int error, const char *what)
{
    if (error == CL_SUCCESS) return;
    (void)fprintf(stderr, "opencl: %s: error %d\n", what, (int)error);
    exit(1);
}

static cl_device_id first_device(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_uint platforms = 0;
    char name[256] = "";
    if (clGetPlatformIDs(1, &platform, &platforms) != CL_SUCCESS || platforms == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
        puts("SKIP: there is no OpenCL device");
        exit(77);
    }
    need(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "the device's name");
    printf("device: %s\n", name);
    return device;
}

static cl_program built(cl_context context, cl_device_id device, const char *options)
{
    static char source[1 << 16], log[1 << 16];
    const char *text = source;
    char all[512];
    cl_int error;
    cl_program program;
    FILE *const f = fopen("tests/gpu/fill.cl", "r");
    if (f == NULL || fread(source, 1, sizeof source - 1, f) == 0) exit(1);
    (void)fclose(f);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    need(error, "the program");
    (void)snprintf(all, sizeof all, "-I . -cl-std=CL1.2 %s", options);
    error = clBuildProgram(program, 1, &device, all, NULL, NULL);
    (void)clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    if (strstr(log, "warning") != NULL || error != CL_SUCCESS) (void)fprintf(stderr, "%s\n", log);
    need(error, "clBuildProgram");
    return program;
}

static cl_mem buffer(cl_context context, cl_mem_flags flags, size_t size, void *from)
{
    cl_int error;
    cl_mem memory = clCreateBuffer(context, flags, size, from, &error);
    need(error, "a buffer");
    return memory;
}

/* Computes table k and writes DIR/k.NAME. Returns 0 if there is no file DIR/k.in. */
static int run(cl_context context, cl_command_queue queue, cl_kernel kernel, const char *directory,
               unsigned k, const char *name)
{
    char path[4096];
    cl_int head[4], zero = 0; /* first position, rows, pairs, amplitude */
    FILE *f;
    (void)snprintf(path, sizeof path, "%s/%u.in", directory, k);
    f = fopen(path, "rb");
    if (f == NULL) return 0;
    if (fread(head, sizeof head, 1, f) != 1) exit(1);
    const size_t size[2] = {(size_t)head[2], (size_t)head[1]}, in = 16 * size[0],
                 out = 8 * size[0] * size[1];
    char *const data = (char *)malloc(out + 4);
    if (data == NULL || fread(data, 1, in, f) != in) exit(1);
    (void)fclose(f);
    cl_mem increments = buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, in, data);
    cl_mem result = buffer(context, CL_MEM_WRITE_ONLY, out, NULL);
    cl_mem undecided = buffer(context, CL_MEM_COPY_HOST_PTR, sizeof zero, &zero);
    need(clSetKernelArg(kernel, 0, sizeof result, &result), "argument 0");
    need(clSetKernelArg(kernel, 1, sizeof increments, &increments), "argument 1");
    need(clSetKernelArg(kernel, 2, sizeof head[0], &head[0]), "argument 2");
    need(clSetKernelArg(kernel, 3, sizeof head[3], &head[3]), "argument 3");
    need(clSetKernelArg(kernel, 4, sizeof undecided, &undecided), "argument 4");
    need(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL), "the kernel");
    need(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, out, data, 0, NULL, NULL), "the table");
    need(clEnqueueReadBuffer(queue, undecided, CL_TRUE, 0, 4, data + out, 0, NULL, NULL),
         "the count");
    (void)snprintf(path, sizeof path, "%s/%u.%s", directory, k, name);
    f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, out + 4, f) != out + 4 || fclose(f) != 0) exit(1);
    free(data);
    need(clReleaseMemObject(increments) | clReleaseMemObject(result) |
             clReleaseMemObject(undecided),
         "release");
    return 1;
}

int main(int argc, char **argv)
{
    cl_int error;
    cl_device_id device;
    if (argc < 3) return 2;
    device = first_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    need(error, "the context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    need(error, "the queue");
    cl_program program = built(context, device, argc > 3 ? argv[3] : "");
    cl_kernel kernel = clCreateKernel(program, "fill", &error);
    need(error, "the kernel");
    for (unsigned k = 0; run(context, queue, kernel, argv[1], k, argv[2]);) k++;
    return 0;
}
