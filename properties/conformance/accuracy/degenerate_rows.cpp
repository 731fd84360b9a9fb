#include "properties/conformance/accuracy/degenerate_rows.hpp"

#include <cmath>
#include <iterator>
#include <limits>

#include "properties/conformance/accuracy/rows.hpp"
#include "src/core/counter.hpp"
#include "src/core/mixer.hpp"

namespace attncert {
namespace {

// The shortest that can hold two other entries, an odd row, a vector with a tail, several blocks with one.
constexpr std::size_t lengths[] = {3, 5, 17, 300};

// Masks one entry in three. `at` is masked as the situation wants it, the two entries behind it are kept.
void mask_some(LogitRow& row, std::uint64_t seed, std::size_t at, bool masked) {
  const std::size_t length = row.logits.size();
  row.mask.resize(length);
  for (std::size_t i = 0; i < length; ++i) row.mask[i] = random_below(seed, i, 3) != 0;
  row.mask[at] = masked ? 0 : 1;
  row.mask[(at + 1) % length] = row.mask[(at + 2) % length] = 1;
}

double special_value(Situation situation, const LogitRow& row, bool infinite) {
  switch (situation) {
    case Situation::low_row:
    case Situation::low:
      return -HUGE_VAL;
    case Situation::infinity:
      return HUGE_VAL;
    case Situation::equal:
      return row.logits[0];
    case Situation::masked_nan:
      if (infinite) return HUGE_VAL;
      [[fallthrough]];
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

LogitRow degenerate_row(Situation situation, std::uint64_t seed, std::uint64_t number, attncert_dtype dtype) {
  const std::uint64_t key = mixed(mixed(seed) + number * choice_count + static_cast<std::uint64_t>(situation));
  const auto coin = [&](std::uint64_t n) { return random_below(key, n, 2) != 0; };
  const std::size_t length = lengths[number % std::size(lengths)], at = random_below(key, 0, length);
  constexpr double spread = 3;
  LogitRow row{normal_logits(dtype, key, length, spread), coin(1) ? 1.0 : 0.7, {}};
  const bool under_mask = situation == Situation::masked_nan;
  if (under_mask || coin(2)) mask_some(row, mixed(key), at, under_mask);
  if (situation == Situation::masked_row) {
    row.mask.assign(length, 0);
    return row;
  }
  const bool everywhere = situation == Situation::low_row || situation == Situation::equal, many = coin(3);
  const double special = special_value(situation, row, coin(4));
  for (std::size_t i = 0; i < length; ++i) {
    const bool behind = i == (at + 1) % length || i == (at + 2) % length;  // two that differ are left
    const bool here = i == at || (many && !behind && coin(5 + i) && row.visible(i) != under_mask);
    if (everywhere || here) row.logits[i] = special;
  }
  return row;
}

}  // namespace attncert
