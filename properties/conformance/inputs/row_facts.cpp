#include "properties/conformance/inputs/row_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attncert {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

RowFacts::RowFacts(const LogitRow& of, const Format& f)
    : row(of),
      format(f),
      kind(attncert::kind(of)),
      length(of.logits.size()),
      tail(length - length % vector_entries),
      top(-infinity),
      bottom(infinity),
      body_top(-infinity),
      tail_top(-infinity) {
  look_at_mask();
  if (kind != RowKind::ordinary) return;
  const double normal = std::ldexp(1.0, f.min_exponent - 1);
  double largest = 0;
  std::size_t raised = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const double z = row.logits[i];
    minus_infinity = minus_infinity || (row.visible(i) && z == -infinity);
    if (!row.present(i)) continue;
    ++present;
    bottom = std::min(bottom, z);
    largest = std::max(largest, std::abs(z));
    (i < tail ? body_top : tail_top) = std::max(i < tail ? body_top : tail_top, z);
    if (z == top) ++tops;
    if (!(z > top)) continue;
    longest_wait = std::max(longest_wait, i - raised);
    top = z;
    tops = 1;
    first_top = raised = i;
  }
  longest_wait = std::max(longest_wait, length - 1 - raised);
  range = (static_cast<long double>(top) - bottom) / row.temperature;
  subnormal = largest > 0 && largest < normal;
  look_at_upstream();
}

void RowFacts::look_at_mask() {
  kept = row.mask.empty() ? length : 0;
  double visible = -infinity, hidden = -infinity;
  std::size_t run = 0;
  for (std::size_t i = 0; i < row.mask.size(); ++i) {
    const double z = row.logits[i];
    if (row.mask[i] != 0) {
      if (kept++ == 0) first_kept = i;
      last_kept = i;
      visible = std::max(visible, z);
      run = 0;
      continue;
    }
    masked_nan = masked_nan || !std::isfinite(z);
    hidden = std::max(hidden, z);
    run = i % vector_entries == 0 ? 1 : run + (run > 0);
    masked_vector = masked_vector || run == vector_entries;
  }
  masked_on_top = kept > 0 && hidden > visible;
}

void RowFacts::look_at_upstream() {
  double least = infinity, most = 0;
  std::size_t used = 0;
  for (std::size_t i = 0; i < row.upstream.size(); ++i) {
    if (!row.present(i) || row.upstream[i] == 0) continue;
    ++used;
    least = std::min(least, std::abs(row.upstream[i]));
    most = std::max(most, std::abs(row.upstream[i]));
  }
  upstream_zero = used == 0;
  upstream_one = used == 1;
  // A quarter of the exponents from the end of the format.
  upstream_tiny = used > 0 && most < std::ldexp(1.0, format.min_exponent / 4 * 3);
  upstream_huge = used > 0 && least > std::ldexp(1.0, format.max_exponent / 4 * 3);
}

}  // namespace attncert
