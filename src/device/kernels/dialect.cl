// One dialect for OpenCL C 1.2, CUDA C++17 and, for the parts without groups, plain C++: kernels say these words only.
//
// What makes a result the same everywhere: only + - * and fused() on floats, integers for whatever is summed over a
// row, no division, no square root, no built-in exponential, no contraction by the compiler. IEEE 754-2019 fixes each
// of these to the bit. Kernels of bounds and of the judge add f64 besides, in an order that fold.cl and truths.cl fix.
// tests/device/arithmetic_rule_test.cpp reads the kernels and says where they leave the dialect.
#ifndef ATTNCERT_DIALECT
#define ATTNCERT_DIALECT

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)  // clang without a driver defines the second only

#pragma OPENCL FP_CONTRACT OFF
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
typedef long i64;
#define KERNEL(group) kernel __attribute__((reqd_work_group_size(group, 1, 1))) void
#define WIDE_KERNEL(group) KERNEL(group)  // one that would spill if several groups were to fit at once
// Where a function that is called twice, and calls one with barriers, is not inlined, PoCL 3.1 has one local memory for
// all groups that run at a time: wrong numbers, now and then.
#define DEVICE static inline __attribute__((always_inline))
#ifdef INLINED
#define APART DEVICE
#else
#define APART static __attribute__((noinline))  // without barriers, and too long to compile in several places
#endif
#define GLOBAL global
#define LOCAL local      // declares an array of the group, at the top of a kernel
#define LOCAL_PTR local  // qualifies a pointer to one
#define RESTRICT restrict
#define UNROLL _Pragma("unroll")
#define NO_UNROLL _Pragma("unroll 1")
#ifdef __AMDGCN__  // clang 19 loads at once all that a loop reads of local memory: 256 registers, and spills
#define FOUR_AT_A_TIME _Pragma("unroll 4")
#else
#define FOUR_AT_A_TIME
#endif
#define thread_id() ((u32)get_local_id(0))
#define group_id() ((u64)get_group_id(0))
#define group_barrier() barrier(CLK_LOCAL_MEM_FENCE)
#define fused(a, b, c) fma(a, b, c)
#define larger(a, b) fmax(a, b)  // the number, where the other is NaN
#define bits_of(x) as_uint(x)
#define float_of(x) as_float(x)
#define leading_zeros(x) ((u32)clz(x))
#define high_product(a, b) mul_hi((u64)(a), (u64)(b))  // the upper half of a product of words
#define nearest_float(i) convert_float_rte(i)
#ifdef F64  // for kernels that say so (f64.cl): a device may have none
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double f64;
#define fused64(a, b, c) fma((f64)(a), (f64)(b), (f64)(c))
#define bits64_of(x) as_ulong(x)
#define f64_of(x) as_double(x)
#endif
DEVICE float float_of_half(u16 h) { return vload_half(0, (const half*)&h); }
DEVICE u16 half_of(float x) {
  u16 h;
  vstore_half_rte(x, 0, (half*)&h);
  return h;
}

#elif defined(__CUDACC__)  // with --fmad=false --ftz=false

typedef unsigned char uchar;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;
#define KERNEL(group) extern "C" __global__ void __launch_bounds__(group)
#define WIDE_KERNEL(group) extern "C" __global__ void __launch_bounds__(group, 1)
#define DEVICE static __device__ __forceinline__
#define APART static __device__ __noinline__
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_PTR
#define RESTRICT __restrict__
#define UNROLL _Pragma("unroll")
#define NO_UNROLL _Pragma("unroll 1")
#define FOUR_AT_A_TIME
#define thread_id() (threadIdx.x)
#define group_id() ((u64)blockIdx.x)
#define group_barrier() __syncthreads()
#define fused(a, b, c) fmaf(a, b, c)
#define larger(a, b) fmaxf(a, b)
#define bits_of(x) __float_as_uint(x)
#define float_of(x) __uint_as_float(x)
#define leading_zeros(x) ((u32)__clzll((i64)(x)))
#define high_product(a, b) __umul64hi(a, b)
#define nearest_float(i) __ll2float_rn(i)
typedef double f64;
#define fused64(a, b, c) fma((f64)(a), (f64)(b), (f64)(c))
#define bits64_of(x) ((u64)__double_as_longlong(x))
#define f64_of(x) __longlong_as_double((i64)(x))
DEVICE float float_of_half(u16 h) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
  return x;
}
DEVICE u16 half_of(float x) {
  u16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}

#else  // the host: formulas alone, one element after the other

#include <bit>
#include <cmath>
#include <cstdint>
typedef std::uint32_t u32;
typedef std::uint64_t u64;
typedef std::int64_t i64;
typedef double f64;
#define DEVICE static inline
#define APART static
#define UNROLL
#define NO_UNROLL
#define fused(a, b, c) std::fma(a, b, c)
#define larger(a, b) std::fmax(a, b)
#define nearest_float(i) static_cast<float>(i)
#define bits_of(x) std::bit_cast<u32>(x)
#define float_of(x) std::bit_cast<float>(x)
#define fused64(a, b, c) std::fma(a, b, c)
#define bits64_of(x) std::bit_cast<u64>(x)
#define f64_of(x) std::bit_cast<double>(x)
#define leading_zeros(x) static_cast<u32>(std::countl_zero(x))
DEVICE u64 high_product(u64 a, u64 b) {
  const u64 low_a = a & 0xffffffffu, high_a = a >> 32, low_b = b & 0xffffffffu, high_b = b >> 32;
  const u64 first = high_a * low_b + ((low_a * low_b) >> 32);
  const u64 second = low_a * high_b + (first & 0xffffffffu);
  return high_a * high_b + (first >> 32) + (second >> 32);
}

#endif

#define INFINITY_BITS 0x7f800000u
#define MINUS_INFINITY float_of(INFINITY_BITS | 0x80000000u)
#define PLUS_INFINITY float_of(INFINITY_BITS)
#define NOT_A_NUMBER float_of(0x7fc00000u)

#endif  // ATTNCERT_DIALECT
