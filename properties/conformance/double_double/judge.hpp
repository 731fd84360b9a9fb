// The judgement of a computed row against a truth in double-double with a proved error: |computed - exact| / ulp(m)
// against what is allowed, m the magnitude (the exact value itself, unless given). What is neither certainly inside nor
// certainly outside is undecided and left to Interval. The unit is that of reference/ulp.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "properties/conformance/double_double/double_double.hpp"
#include "src/core/share_counts.hpp"

namespace attncert::double_double {

// Type of the computed numbers, as std::numeric_limits has it. Numbers of 16 bits are judged widened to float.
struct OutputFormat {
  int digits, min_exponent, max_exponent;
};
inline constexpr OutputFormat f32{24, -125, 128};  // what kernels of 16 bits compute in

// 2^scale exact_i = (high[i] + low[i]) (times.high + times.low) + e_i, |e_i| <= relative 2^scale m_i + absolute +
// error[i], of magnitude at most 2^1000.
struct Truth {
  std::size_t length = 0;
  const double *high = nullptr, *low = nullptr;  // |low| <= 2^-40 |high|, readable up to a multiple of 16
  DoubleDouble times{1, 0};
  int scale = 0;  // at least 64 when f64 is judged, so that subnormal units have a reciprocal; at most 512
  double relative = 0, absolute = 0;
  const double* error = nullptr;      // null = 0
  const double* magnitude = nullptr;  // m_i 2^scale to within 2^-45 of itself; null = |exact|
  // high[i] = NaN: nothing but absent_value is right there. high[i] = infinity: the truth is not known, which leaves
  // the element undecided.
  double absent_value = 0;
};

struct Allowance {
  double constant = 0;                // ulp
  std::span<const double> each = {};  // instead, by position
};

struct Judgement {
  std::uint64_t elements = 0, outside = 0;
  std::vector<std::size_t> undecided;  // positions
  // A certain upper bound of the error in ulp of every element that is not undecided (+inf for a wrong special value),
  // at most 2 too large where the exact value is within the truth's error of a power of two, else next to the error
  // itself.
  double worst_ulp = 0;
  double worst_fraction = 0;  // the largest upper bound divided by what was allowed there
  double worst_allowed = 0;   // that, in ulp
  // Where worst_fraction is. Looked for only if some error may exceed `seen`, in ulp, else 0.
  std::size_t worst_position = 0;
  double truth_error = 0;          // ulp: how much of these bounds may be the truth's own
  std::vector<EntryError> sample;  // evenly spread over the row, of what is decided and not absent
};

// What a truth with these errors, the absolute one at 2^scale times itself, may err by in ulp of the format: above all
// of its numbers.
double error_in_ulp(double relative, double absolute, int scale, const OutputFormat& format);

// T: float or double, what the computed row is stored or widened to. `judgement` is overwritten, its memory kept.
// sample: how many entries at most are sampled.
template <class T>
void judge(Judgement& judgement, const Truth& truth, std::span<const T> computed, const OutputFormat& format,
           const Allowance& allowance, double seen = 0, std::size_t sample = 0);
extern template void judge<float>(Judgement&, const Truth&, std::span<const float>, const OutputFormat&,
                                  const Allowance&, double, std::size_t);
extern template void judge<double>(Judgement&, const Truth&, std::span<const double>, const OutputFormat&,
                                   const Allowance&, double, std::size_t);

}  // namespace attncert::double_double
