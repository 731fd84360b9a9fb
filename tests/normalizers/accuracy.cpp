#include "tests/normalizers/accuracy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string_view>

#include "src/kernel/budget.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/normalizers/oracle.hpp"

namespace attncert {
namespace {

template <class T>
using Judge = oracle::Worst (*)(std::span<const T>, std::span<const T>, double);

// The campaign tolerance where there is one: the budget is proved, and wider.
double limit_of(const attncert_kernel& kernel, double temperature) {
  const Budget& budget = *built_in_budget(kernel);
  const double tolerance = temperature == 1 ? budget.tolerance_unit : budget.tolerance_other;
  return tolerance > 0 ? tolerance : budget.bound(temperature);
}

template <class T>
void check(const char* normalizer, Judge<T> judge, const Case& c, unsigned long long seed,
           const attncert_kernel* kernel = nullptr) {
  if (kernel == nullptr) kernel = find_kernel(normalizer, sizeof(T) == 4 ? ATTNCERT_F32 : ATTNCERT_F64);
  ASSERT_NE(kernel, nullptr);
  const std::vector<T> logits = oracle::normal_logits<T>(c.rows * c.length, c.sigma, seed);
  std::vector<T> out(logits.size(), std::numeric_limits<T>::quiet_NaN());
  ASSERT_EQ(run<T>(*kernel, logits, out, c.rows, c.length, c.temperature), ATTNCERT_OK);
  double worst = 0;
  for (std::size_t row = 0; row < c.rows; ++row) {
    const std::span<const T> x(logits.data() + row * c.length, c.length), y(out.data() + row * c.length, c.length);
    const oracle::Worst found = judge(x, y, c.temperature);
    worst = std::max(worst, found.ulp);
    EXPECT_LE(found.ulp, limit_of(*kernel, c.temperature))
        << kernel->name << " sigma " << c.sigma << " T " << c.temperature << " L " << c.length << " row " << row
        << " logit " << x[found.index];
    EXPECT_EQ(found.flushed, 0u) << kernel->name;
    EXPECT_TRUE(found.same_support) << kernel->name << " sigma " << c.sigma << " L " << c.length << " row " << row;
  }
  std::printf("  %-16s %-6s sigma %-4g T %-4g L %-8zu worst %.3f ulp\n", kernel->name,
              current_instruction_set().c_str(), c.sigma, c.temperature, c.length, worst);
}

template <class T>
void check_all(const Case& c, unsigned long long seed) {
  check<T>("softmax", oracle::softmax<T>, c, seed);
  check<T>("softmax1", oracle::softmax1<T>, c, seed);
  if (c.length > 1) {
    check<T>(
        "ssmax",
        [](std::span<const T> x, std::span<const T> y, double temperature) {
          return oracle::ssmax<T>(x, y, temperature, 1);
        },
        c, seed);
  }
  check<T>("log-softmax", oracle::log_softmax<T>, c, seed);
  check<T>("sparsemax", oracle::sparsemax<T>, c, seed);
}

}  // namespace

void expect_within_budget(const Case& c, unsigned long long seed) {
  for (const attncert_kernel* kernel : built_in_kernels()) {
    if (std::string_view(kernel->name) == "softmax-half-ulp.f32")
      check<float>("", oracle::softmax<float>, c, seed, kernel);
  }
  check_all<float>(c, seed);
  check_all<double>(c, seed + 1);
}

}  // namespace attncert
