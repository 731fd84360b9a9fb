// exp of the f32 kernels on every argument that their reduction accepts at T = 1, [-382, 256] (reach 256, depth 126),
// on every instruction set of the machine: relative error at most exp_bound() (docs/budgets.md builds on it), and order
// kept.
//
// Truth: a double R with |R / exp(x) - 1| < kTruth = 2^-50. x - n high is exact (multiples of 2^-49 below 1/2, for |x|
// >= 2^-26), n low is rounded by 2^-77, the difference by 2^-55; Taylor's remainder of degree 13 is below 2^-57 for |t|
// < 0.3467; Horner's rule in double rounds by less than 4.5 2^-53 of the result. An error within kTruth of the bound is
// left to MPFR at 100 bits.
//
// |x| < 2^-26 needs no truth: exp(x) lies within 2^-25.9 of 1, so 1 is right, and 1 is demanded.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "src/kernel/kernel.hpp"
#include "src/normalizers/exponential/exp_rows.hpp"

namespace attncert {
namespace {

// What docs/budgets.md has of the form that the instruction set takes: vectors of 16 go by a table of powers.
double exp_bound() {
  static const double of_table = 1.14 * 0x1p-24, of_polynomial = 1.45 * 0x1p-24;
  return current_instruction_set().starts_with("AVX3") ? of_table : of_polynomial;
}
constexpr double kTruth = 0x1p-50;
constexpr std::size_t kBlock = 8192;
constexpr float kSmallest = 0x1p-26f;

// An increasing run of floats of one sign, as a range of bit patterns, in a row whose largest logit is `largest`.
struct Span {
  float from, to, largest;
};
// Each within 100 of the largest of its row, so that no exponential is clamped or leaves the format.
constexpr Span kSpans[] = {{-382, -300, -256}, {-300, -256, -256},   {-256, -156, -156},
                           {-156, -56, -56},   {-56, -kSmallest, 0}, {kSmallest, 40, 0},
                           {40, 140, 140},     {140, 240, 240},      {240, 256, 256}};

std::uint32_t ordered(float x) {  // increasing with x, for numbers of one sign
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return x < 0 ? ~bits : bits;
}
float from_ordered(std::uint32_t key, bool negative) { return std::bit_cast<float>(negative ? ~key : key); }

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
void truths(const float* x, double* out, std::size_t count) {
  constexpr double log2_e = 0x1.71547652b82fep+0, round = 0x1.8p52;
  constexpr double high = 0x1.62e42feep-1, low = 0x1.a39ef35793c76p-33;  // ln 2 to 32 bits, and the rest (MPFR)
  for (std::size_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(x[i]), n = (value * log2_e + round) - round;
    const double t = (value - n * high) - n * low;
    double p = 1.0 / 6227020800;
    p = p * t + 1.0 / 479001600;
    p = p * t + 1.0 / 39916800;
    p = p * t + 1.0 / 3628800;
    p = p * t + 1.0 / 362880;
    p = p * t + 1.0 / 40320;
    p = p * t + 1.0 / 5040;
    p = p * t + 1.0 / 720;
    p = p * t + 1.0 / 120;
    p = p * t + 1.0 / 24;
    p = p * t + 1.0 / 6;
    p = p * t + 1.0 / 2;
    p = p * t + 1;
    p = p * t + 1;
    const auto exponent = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(n + round) & 0xFFF) << 52;
    out[i] = std::bit_cast<double>(static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(p)) + exponent);
  }
}

bool within_bound_by_mpfr(float x, double computed) {
  mpfr_t exact, error;
  mpfr_inits2(100, exact, error, nullptr);
  mpfr_set_flt(exact, x, MPFR_RNDN);
  mpfr_exp(exact, exact, MPFR_RNDN);
  mpfr_d_sub(error, computed, exact, MPFR_RNDN);
  mpfr_div(error, error, exact, MPFR_RNDN);
  const bool within = std::abs(mpfr_get_d(error, MPFR_RNDA)) <= exp_bound();
  mpfr_clears(exact, error, nullptr);
  return within;
}

struct Found {
  double worst = 0;
  float at = 0;
  std::uint64_t tried = 0, wrong = 0, unordered = 0, by_mpfr = 0;

  void add(const Found& other) {
    if (other.worst > worst) worst = other.worst, at = other.at;
    tried += other.tried, wrong += other.wrong, unordered += other.unordered, by_mpfr += other.by_mpfr;
  }
};

void judge(Found& found, const float* x, const float* y, const double* truth, std::size_t count, int k) {
  const double unscale = std::ldexp(1.0, -k), bound = exp_bound();
  double worst = 0;
  std::uint64_t suspects = 0;  // NaN is one
  for (std::size_t i = 0; i < count; ++i) {
    const double error = std::abs(static_cast<double>(y[i]) * unscale - truth[i]) / truth[i];
    worst = error > worst ? error : worst;
    suspects += error <= bound - kTruth ? 0 : 1;
  }
  for (std::size_t i = 1; i < count; ++i) found.unordered += y[i] >= y[i - 1] ? 0 : 1;
  found.tried += count - 1;  // the last one comes again
  if (worst <= found.worst && suspects == 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    const double computed = static_cast<double>(y[i]) * unscale, error = std::abs(computed - truth[i]) / truth[i];
    if (!(error <= found.worst)) found.worst = error, found.at = x[i];
    if (error <= bound - kTruth) continue;
    const bool open = error < bound + kTruth;
    found.by_mpfr += open ? 1 : 0;
    found.wrong += open && within_bound_by_mpfr(x[i], computed) ? 0 : 1;
  }
}

// The block of `span` at `first` and one element more, so that order is checked across blocks.
void sweep_block(const Span& span, std::uint32_t first, std::uint32_t last, Found& found) {
  const std::size_t count = std::min<std::size_t>(kBlock + 1, last - first + 1);
  thread_local std::vector<float> x(kBlock + 1), y(kBlock + 1);
  thread_local std::vector<double> truth(kBlock + 1);
  for (std::size_t i = 0; i < count; ++i) x[i] = from_ordered(first + static_cast<std::uint32_t>(i), span.to < 0);
  const int k = exponentials_of_row(span.largest, x.data(), y.data(), count);
  truths(x.data(), truth.data(), count);
  judge(found, x.data(), y.data(), truth.data(), count, k);
}

// Runs task(i) for i below count on all cores, and gathers what each found.
template <class Task>
Found on_all_cores(std::uint64_t count, const Task& task) {
  Found all;
  std::mutex mutex;
  std::atomic<std::uint64_t> next{0};
  std::vector<std::thread> threads;
  for (unsigned core = 0; core < std::max(1u, std::thread::hardware_concurrency()); ++core) {
    threads.emplace_back([&] {
      Found found;
      for (std::uint64_t i = next++; i < count; i = next++) task(i, found);
      const std::lock_guard lock(mutex);
      all.add(found);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return all;
}

class ExpSweep : public testing::TestWithParam<std::string> {};

TEST_P(ExpSweep, EveryArgument) {
  const ForcedInstructionSet forced(GetParam());
  Found all;
  for (const Span& span : kSpans) {
    const std::uint32_t first = ordered(span.from), last = ordered(span.to);
    all.add(on_all_cores((last - first) / kBlock + 1, [&](std::uint64_t block, Found& found) {
      sweep_block(span, first + static_cast<std::uint32_t>(block * kBlock), last, found);
    }));
  }
  std::printf("  exp f32 %-6s %llu arguments, worst relative error %.4f 2^-24 at %a, %llu decided by MPFR\n",
              GetParam().c_str(), static_cast<unsigned long long>(all.tried), all.worst * 0x1p24,
              static_cast<double>(all.at), static_cast<unsigned long long>(all.by_mpfr));
  EXPECT_EQ(all.wrong, 0u) << "worst at " << all.at;
  EXPECT_EQ(all.unordered, 0u);
  EXPECT_GT(all.worst, exp_bound() / 2) << "the bound is loose, or the sweep blind";
}

// SCALAR takes one in 61 of these 1.7 10^9: they differ in nothing but x < 2^-26, and the whole would last half a
// minute.
TEST_P(ExpSweep, NearZeroIsOne) {
  const ForcedInstructionSet forced(GetParam());
  const std::uint32_t step = GetParam() == "SCALAR" || GetParam() == "EMU128" ? 61 : 1;
  const std::uint32_t count = (ordered(kSmallest) + step - 1) / step;
  const Found found = on_all_cores((count - 1) / (kBlock / 2) + 1, [&](std::uint64_t block, Found& wrong) {
    thread_local std::vector<float> x(kBlock), y(kBlock);
    for (std::size_t i = 0; i < kBlock; i += 2) {
      const std::uint64_t key = std::min<std::uint64_t>(block * (kBlock / 2) + i / 2, count - 1) * step;
      x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(key));
      x[i + 1] = -x[i];
    }
    const float one = std::ldexp(1.0f, exponentials_of_row(0, x.data(), y.data(), kBlock));
    for (const float value : y) wrong.wrong += value == one ? 0 : 1;
  });
  EXPECT_EQ(found.wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, ExpSweep, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
