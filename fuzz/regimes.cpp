#include "fuzz/regimes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

// The first six flags are the values of RowKind.
enum Flag : unsigned {
  refused = 6,
  subnormal,      // an output below the smallest normal number
  vanished,       // 0 where the logit takes part
  saturated,      // 1
  tie,            // at the top
  masked_on_top,  // a masked logit above all that take part
  overflow_edge,  // z - max leaves the format, or a logit stands in its last binade
  deep            // (max z - z_i) / T in powers of two, from here on: 8, 16, ... 1024
};
constexpr unsigned depths = 8, long_row = deep + depths;

std::size_t number_of(const NormalizerCase& one) {
  return static_cast<std::size_t>(std::find(subjects().begin(), subjects().end(), one.subject) - subjects().begin());
}

}  // namespace

std::size_t group_of(const NormalizerCase& one) {
  return std::size(formats) * number_of(one) + format_number(one.kernel->dtype_in);
}

void flag_length(const NormalizerCase& one, Guide& guide) {
  if (one.longer > longest_otherwise) guide.flag(number_of(one), long_row);
}

void flag_regimes(const NormalizerCase& one, std::span<const double> output, Guide& guide) {
  const std::size_t group = number_of(one);
  const Format& f = format(one.kernel->dtype_in);
  const double infinity = std::numeric_limits<double>::infinity();
  double top = -infinity, bottom = infinity, masked = -infinity;
  std::size_t tops = 0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const double z = one.row.logits[i];
    if (!one.row.present(i)) {
      if (!one.row.visible(i)) masked = std::max(masked, z);
      continue;
    }
    tops = z > top ? 1 : tops + (z == top);
    top = std::max(top, z);
    bottom = std::min(bottom, z);
    if (output[i] == 0) guide.flag(group, vanished);
    else if (std::abs(output[i]) < std::ldexp(1.0, f.min_exponent - 1)) guide.flag(group, subnormal);
    if (output[i] == 1) guide.flag(group, saturated);
  }
  guide.flag(group, one.refused ? refused : static_cast<unsigned>(kind(one.row)));
  if (tops > 1) guide.flag(group, tie);
  if (masked > top) guide.flag(group, masked_on_top);
  const double edge = std::ldexp(0.5, f.max_exponent);
  if (std::max(top - bottom, std::max(top, -bottom)) / 2 >= edge / 2) guide.flag(group, overflow_edge);
  if (kind(one.row) == RowKind::bad_temperature) return;
  const double depth = std::log2((top - bottom) / one.row.temperature);
  if (depth >= 3) guide.flag(group, deep + std::min(static_cast<unsigned>(std::min(depth, 64.0)) - 3, depths - 1));
}

}  // namespace attncert
