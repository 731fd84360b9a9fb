// The rule that gives every device the same bits, read in the text of its kernels (src/device/kernels/dialect.cl): + -
// * and the words of the dialect, nothing else is called; no division; barriers stand in no loop but a do ... while
// with one exit, since PoCL 3.1 runs others wrongly, and no thread leaves a kernel before one.
#include "tests/device/arithmetic_rule.hpp"

#include <gtest/gtest.h>

#include <string>

namespace attncert {
namespace {

TEST(ArithmeticRule, HoldsForEveryKernel) {
  const std::string all = kernels_without_dialect();
  EXPECT_GE(functions_of(without_comments(all)).size(), 20u);
  for (const std::string& why : objections(all, dialect_words())) ADD_FAILURE() << why;
}

// The dialect itself: what IEEE 754-2019 or C fix to the bit, and what contracts nothing.
TEST(ArithmeticRule, TheDialectCallsWhatIsExact) {
  const std::string text = without_comments(text_of(device_kernels_folder() / "dialect.cl"));
  EXPECT_LT(text.find("#pragma OPENCL FP_CONTRACT OFF"), text.find("DEVICE"));
  EXPECT_NE(text.find("#define DEVICE static inline __attribute__((always_inline))"), std::string::npos)
      << "PoCL 3.1 shares the local memory of functions that are not inlined between groups";
  Words known{"defined",
              "kernel",
              "__attribute__",
              "reqd_work_group_size",
              "_Pragma",
              "get_local_id",
              "get_group_id",
              "barrier",
              "fma",
              "fmax",
              "as_uint",
              "as_float",
              "clz",
              "mul_hi",
              "convert_float_rte",
              "vload_half",
              "vstore_half_rte",
              "__launch_bounds__",
              "__syncthreads",
              "fmaf",
              "fmaxf",
              "as_ulong",
              "as_double",
              "__double_as_longlong",
              "__longlong_as_double",
              "__float_as_uint",
              "__uint_as_float",
              "__clzll",
              "__umul64hi",
              "__ll2float_rn",
              "asm"};
  for (const std::string& word : dialect_words()) known.insert(word);
  for (const std::string& word : all_of(text, "\\b([A-Za-z_][A-Za-z0-9_]*)\\s*\\(")) {
    EXPECT_TRUE(known.contains(word) || word == "countl_zero") << word;
  }
}

// The judge judged.
TEST(ArithmeticRule, RefusesWhatItMust) {
  const Words words = dialect_words();
  const auto refused = [&](const std::string& body) {
    return !objections("KERNEL(64) k(GLOBAL float* x) {" + body + "}", words).empty();
  };
  EXPECT_FALSE(refused("x[0] = fused(x[1], 2.0f, 1.0f); group_barrier(); x[2] = 0.0f;"));
  EXPECT_FALSE(refused("for (int i = 0; i < 4; ++i) x[i] = 0.0f; group_barrier();"));
  EXPECT_FALSE(refused("do { group_barrier(); } while (x[0] > 0.0f);"));
  for (const char* body :
       {"x[0] = x[1] / x[2];", "x[0] = exp(x[1]);", "x[0] = sqrt(x[1]);", "x[0] = native_exp(x[1]);",
        "x[0] = (float)(1.0 * (double)x[0]);", "atomic_add(x, 1);", "x[0] = mad(x[0], x[1], x[2]);",
        "for (int i = 0; i < 4; ++i) { group_barrier(); }", "for (int i = 0; i < 4; ++i) group_barrier();",
        "while (x[0] > 0.0f) { group_barrier(); }",
        "do { group_barrier(); if (x[0] > 0.0f) break; } while (x[1] > 0.0f);",
        "if (x[0] > 0.0f) return; group_barrier();", "x[0] = half_divide(x[0], x[1]);", "x[0] = x[1] % 3;"})
    EXPECT_TRUE(refused(body)) << body;
  EXPECT_FALSE(objections("APART void f(LOCAL_PTR u32* a) { group_barrier(); }\n", words).empty());
  EXPECT_TRUE(objections("APART u32 f(u32 a) { return a + 1u; }\n", words).empty());
  EXPECT_FALSE(objections("DEVICE void f(LOCAL_PTR u32* a) { group_barrier(); }\n"
                          "KERNEL(64) k(GLOBAL u32* x) { for (;;) { f(x); } }",
                          words)
                   .empty());
}

}  // namespace
}  // namespace attncert
