/* SPDX-License-Identifier: MIT
 * softmax of float rows in OpenCL C, one group of 32 items a row: exp, sum and quotient in double, one rounding to
 * float at the end, so that a weight is within 0.51 ulp of the exact one (examples/c-kernel/softmax.c says why).
 *
 *   attncert accuracy --effort quick --memory-limit none --library ./libopencl_kernel.so           is it right?
 *   attncert accuracy --effort quick --under oclgrind --time-limit 60 --library ./libopencl_kernel.so    does it race?
 *
 * Built from the installed header and OpenCL's alone: see CMakeLists.txt. FAULT makes it a wrong kernel: 1 leaves a
 * barrier out, 2 reads a logit behind the row.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <attncert/kernel.h>
#include <math.h>
#include <stddef.h>

#ifndef FAULT
#define FAULT 0
#endif
#define GROUP 32 /* also in the text */

static const char* const text =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "bool keeps(global const uchar* mask, int masked, ulong i, float z) {\n"
    "  return (!masked || mask[i] != 0) && z != -INFINITY;\n"
    "}\n"
    "double weight(float z, double largest, double temperature) {\n"
    "  return largest == INFINITY ? (z == INFINITY ? 1.0 : 0.0) : exp(((double)z - largest) / temperature);\n"
    "}\n"
    "kernel void softmax(global const float* input, ulong input_stride, global const uchar* mask_rows,\n"
    "                    ulong mask_stride, int masked, double temperature, global float* output,\n"
    "                    ulong output_stride, ulong length) {\n"
    "  local double part[32];\n"
    "  const ulong t = get_local_id(0), r = get_group_id(0);\n"
    "  global const float* const z = input + r * input_stride;\n"
    "  global const uchar* const mask = mask_rows + r * mask_stride;\n"
    "  double largest = -INFINITY, sum = 0;\n"
    "  for (ulong i = t; i < length + BEYOND; i += 32)\n"
    "    if (keeps(mask, masked && i < length, i, z[i])) largest = isnan(z[i]) || z[i] > largest ? z[i] : largest;\n"
    "  for (ulong i = t; i < length; i += 32)\n"
    "    if (keeps(mask, masked, i, z[i]) && isnan(z[i])) largest = NAN;\n"
    "  part[t] = largest;\n"
    "  MEET;\n"
    "  for (int k = 0; k < 32; ++k) largest = isnan(part[k]) || part[k] > largest ? part[k] : largest;\n"
    "  for (int k = 0; k < 32; ++k)\n"
    "    if (isnan(part[k])) largest = NAN;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (ulong i = t; i < length; i += 32)\n"
    "    if (keeps(mask, masked, i, z[i])) sum += weight(z[i], largest, temperature);\n"
    "  part[t] = sum;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  sum = 0;\n"
    "  for (int k = 0; k < 32; ++k) sum += part[k];\n"
    "  for (ulong i = t; i < length; i += 32) {\n"
    "    const bool kept = keeps(mask, masked, i, z[i]);\n"
    "    const double w = kept ? weight(z[i], largest, temperature) / sum : 0.0;\n"
    "    output[r * output_stride + i] = isnan(largest) ? NAN : (float)w;\n"
    "  }\n"
    "}\n";

static cl_context context;
static cl_command_queue queue;
static cl_program program;

/* The first device that there is. */
static int opened(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int failed = CL_SUCCESS;
  const char* const options = FAULT == 1   ? "-DMEET= -DBEYOND=0"
                              : FAULT == 2 ? "-DMEET=barrier(CLK_LOCAL_MEM_FENCE) -DBEYOND=1"
                                           : "-DMEET=barrier(CLK_LOCAL_MEM_FENCE) -DBEYOND=0";
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) return 0;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &failed);
  if (failed) return 0;
  queue = clCreateCommandQueue(context, device, 0, &failed);
  if (failed) return 0;
  program = clCreateProgramWithSource(context, 1, (const char**)&text, NULL, &failed);
  return !failed && clBuildProgram(program, 1, &device, options, NULL, NULL) == CL_SUCCESS;
}

/* Once, at the first call: what is not to be had then is not asked for again. */
static int open_device(void) {
  static enum { unasked, open, closed } device;
  if (device == unasked) device = opened() ? open : closed;
  return device == open;
}

static cl_mem copied(const void* from, size_t bytes, cl_int* failed) {
  return *failed ? NULL : clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, (void*)from, failed);
}

/* Elements from the first to the last of some rows. */
static size_t reach(const attncert_arguments* a, size_t stride) {
  return a->rows > 1 ? (a->rows - 1) * stride + a->length : a->length;
}

static attncert_status launch(const attncert_arguments* a) {
  const size_t groups = a->rows * GROUP, group = GROUP;
  const size_t out = reach(a, a->output_stride) * sizeof(float);
  const cl_ulong length = a->length, mask_stride = a->rows > 1 ? a->mask_stride : 0,
                 input_stride = a->rows > 1 ? a->input_stride : 0, output_stride = a->rows > 1 ? a->output_stride : 0;
  const cl_int masked = a->mask != NULL;
  cl_int failed = CL_SUCCESS;
  cl_mem input = copied(a->input, reach(a, a->input_stride) * sizeof(float), &failed);
  cl_mem mask = copied(masked ? (const void*)a->mask : a->input, masked ? reach(a, a->mask_stride) : 1, &failed);
  cl_mem output = copied(a->output, out, &failed);
  cl_kernel kernel = failed ? NULL : clCreateKernel(program, "softmax", &failed);
  if (!failed) {
    clSetKernelArg(kernel, 0, sizeof input, &input);
    clSetKernelArg(kernel, 1, sizeof input_stride, &input_stride);
    clSetKernelArg(kernel, 2, sizeof mask, &mask);
    clSetKernelArg(kernel, 3, sizeof mask_stride, &mask_stride);
    clSetKernelArg(kernel, 4, sizeof masked, &masked);
    clSetKernelArg(kernel, 5, sizeof a->temperature, &a->temperature);
    clSetKernelArg(kernel, 6, sizeof output, &output);
    clSetKernelArg(kernel, 7, sizeof output_stride, &output_stride);
    clSetKernelArg(kernel, 8, sizeof length, &length);
    failed = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &groups, &group, 0, NULL, NULL);
  }
  if (!failed) failed = clEnqueueReadBuffer(queue, output, CL_TRUE, 0, out, a->output, 0, NULL, NULL);
  if (kernel != NULL) clReleaseKernel(kernel);
  if (output != NULL) clReleaseMemObject(output);
  if (mask != NULL) clReleaseMemObject(mask);
  if (input != NULL) clReleaseMemObject(input);
  return failed ? ATTNCERT_NO_RESOURCES : ATTNCERT_OK;
}

static attncert_status run(const attncert_arguments* a) {
  if (a == NULL || a->size < sizeof *a) return ATTNCERT_BAD_ARGUMENT;
  if (!(a->temperature > 0) || isinf(a->temperature)) return ATTNCERT_BAD_TEMPERATURE;
  if (a->rows == 0 || a->length == 0) return ATTNCERT_OK;
  if (a->input == NULL || a->output == NULL || a->upstream != NULL) return ATTNCERT_BAD_ARGUMENT;
  if (a->rows > 1 && (a->input_stride < a->length || a->output_stride < a->length)) return ATTNCERT_BAD_ARGUMENT;
  if (a->rows > 1 && a->mask != NULL && a->mask_stride < a->length) return ATTNCERT_BAD_ARGUMENT;
  return open_device() ? launch(a) : ATTNCERT_NO_RESOURCES;
}

static const attncert_kernel softmax_f32 = {
    .abi = ATTNCERT_KERNEL_ABI,
    .size = sizeof(attncert_kernel),
    .name = "opencl-softmax.f32",
    .normalizer = "softmax",
    .dtype_in = ATTNCERT_F32,
    .dtype_out = ATTNCERT_F32,
    .isa = "opencl",
    .contract = "default",
    .run = run,
    .flags = ATTNCERT_ONE_AT_A_TIME,
};

const attncert_kernel* const* attncert_kernels(size_t* count) {
  static const attncert_kernel* const all[] = {&softmax_f32};
  *count = sizeof all / sizeof all[0];
  return all;
}
