#include "bench/rounds.hpp"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "src/core/mixer.hpp"

namespace attncert::bench {
namespace {

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double thread_seconds() { return seconds(CLOCK_THREAD_CPUTIME_ID); }
double wall_seconds() { return seconds(CLOCK_MONOTONIC); }

std::vector<Measured> interleave(const std::vector<Subject>& subjects, std::size_t elements, std::size_t rounds,
                                 double seconds) {
  std::vector<Measured> measured;
  std::vector<std::size_t> passes;
  for (const Subject& subject : subjects) {
    subject.run();
    const double start = thread_seconds();
    subject.run();
    const double once = std::max(thread_seconds() - start, 1e-7);
    passes.push_back(std::max<std::size_t>(1, static_cast<std::size_t>(seconds / once)));
    measured.push_back({subject.name, {}});
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      const double start = thread_seconds();
      for (std::size_t pass = 0; pass < passes[i]; ++pass) subjects[i].run();
      const double each = (thread_seconds() - start) / static_cast<double>(passes[i]);
      measured[i].nanoseconds.push_back(1e9 * each / static_cast<double>(elements));
    }
  }
  return measured;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

std::vector<double> ratios_of(const Measured& numerator, const Measured& denominator) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < numerator.nanoseconds.size(); ++i) {
    ratios.push_back(numerator.nanoseconds[i] / denominator.nanoseconds[i]);
  }
  return ratios;
}

double median_ratio(const Measured& numerator, const Measured& denominator) {
  return median(ratios_of(numerator, denominator));
}

double fitted_exponent(const std::vector<double>& lengths, const std::vector<double>& times) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const double a = std::log(lengths[i]), b = std::log(times[i]);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

Floats::Floats(std::size_t count, bool random) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const std::size_t bytes = (count * sizeof(float) + huge_page - 1) / huge_page * huge_page;
  data_ = static_cast<float*>(std::aligned_alloc(huge_page, bytes));
  madvise(data_, bytes, MADV_HUGEPAGE);
  std::memset(data_, 0, bytes);
  if (!random) return;
  constexpr std::size_t period = std::size_t{1} << 22;  // larger buffers repeat: Box-Muller takes 30 ns
  for (std::size_t i = 0; i < std::min(count, period); ++i) {
    const double u = (static_cast<double>(mixed(2 * i) >> 11) + 1) * 0x1p-53;
    const double v = static_cast<double>(mixed(2 * i + 1) >> 11) * 0x1p-53;
    data_[i] = static_cast<float>(3 * std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v));
  }
  for (std::size_t i = period; i < count; ++i) data_[i] = data_[i - period];
}

Floats::~Floats() { std::free(data_); }

}  // namespace attncert::bench
