#include "properties/dumps/gradients/group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/dumps/approximate.hpp"
#include "properties/dumps/judged_rows.hpp"
#include "src/core/assert.hpp"

namespace attncert {
namespace {

double largest(std::span<const double> numbers) {
  double most = 0;
  for (const double number : numbers) most = std::max(most, std::isfinite(number) ? std::abs(number) : INFINITY);
  return most;
}

// dP - D and all that it is made of, with their errors: of each the sum of |dO| times the largest value, and a quarter
// more, which is above (1 + gamma(d_v + 1))(1 + 2^-8)^3 with units of 2^-22 for up to 700,000 channels.
double most_dP(const DumpedRow& dumped) {
  double value = largest(dumped.output);
  for (const std::size_t j : kept_keys(dumped.row)) value = std::max(value, dumped.shared->largest_value[j]);
  double gradients = 0;
  for (const double number : dumped.output_gradient) gradients += std::abs(number);
  return 2.5 * gradients * value;
}

// Of dP and D, dS with its factors, and sums over all rows of a head.
double most_sum(const DumpedRow& dumped, double dP, std::size_t rows) {
  const reference::AttentionRow& row = dumped.row;
  double key = 0;
  for (const std::size_t j : kept_keys(row)) key = std::max(key, dumped.shared->largest_key[j]);
  const double factor = std::max({key, largest(row.query), 1.0}) * std::max({1.0, std::abs(row.scale), row.softcap});
  const double term = std::max(dP * factor, largest(dumped.output_gradient));
  return term * static_cast<double>(std::max(rows, row.key_count()));
}

// Backward passes rebuild weights from an LSE.
constexpr reference::RoundingClass without_pivots = [] {
  reference::RoundingClass rounding;
  rounding.three_pass = true;
  return rounding;
}();

}  // namespace

DumpedGroup::DumpedGroup(const AttentionDump& dump, std::size_t batch, std::size_t kv_head,
                         std::span<const ReadLse> known, const reference::RoundingClass* forward)
    : batch_(batch), kv_head_(kv_head), shared_(dump.keys_and_values(batch, kv_head)) {
  ATTNCERT_ASSERT(dump.has_gradients());
  const DumpShape& shape = dump.shape();
  const std::size_t heads = shape.heads / shape.kv_heads;
  for (std::size_t h = kv_head * heads; h < (kv_head + 1) * heads; ++h)
    for (std::size_t i = 0; i < shape.queries; ++i) add(dump, {batch, h, i});
  if (!unsound_.empty()) return;
  const auto found = known.empty() ? found_lse(dump) : std::vector(known.begin(), known.end());
  for (std::size_t n = 0; n < found.size(); ++n) {
    const DumpedRow& row = dumped_[n];
    double error = found[n].error;
    if (!row.lse && forward != nullptr) {
      const auto truth = reference::attention_truth(row.row, DoublePrecision{});
      error += reference::attention_bound(row.row, truth, *forward).lse.upper();
    }
    rows_.push_back({row.row, row.output_gradient, row.output, found[n].value, error, places_[n].head});
  }
}

// None where the file has some that are not those of the rows: the bounds are about weights of the row.
std::vector<ReadLse> DumpedGroup::found_lse(const AttentionDump& dump) {
  constexpr std::size_t together = 64;  // rows that share what is read of keys and values
  std::vector<ReadLse> found;
  for (std::size_t begin = 0; begin < dumped_.size(); begin += together) {
    std::vector<const reference::AttentionRow*> some;
    for (std::size_t n = begin; n < std::min(begin + together, dumped_.size()); ++n) some.push_back(&dumped_[n].row);
    for (const ApproximateRow& near : approximate(some)) {
      ReadLse lse{near.lse, near.lse_error};
      if (const auto given = dumped_[found.size()].lse) {
        const bool base_2 = dump.settings().lse_base_2;
        lse.value = base_2 ? *given * std::log(2.0) : *given;
        lse.error = base_2 ? 0x1p-51 * std::abs(lse.value) : 0;  // of a product with a rounded constant, in doubles
        if (!(std::abs(lse.value - near.lse) <= 1)) {
          refuse(places_[found.size()], "has an lse that is not the row's");
          return {};
        }
      }
      found.push_back(lse);
    }
  }
  return found;
}

void DumpedGroup::refuse(const Place& place, const std::string& why) {
  if (unsound_.empty()) unsound_ = fmt::format("[{}, {}, {}] {}", place.batch, place.head, place.query, why);
}

bool DumpedGroup::leaves_formats_of(const reference::RoundingClass& rounding) const {
  return std::ranges::any_of(dumped_, [&](const DumpedRow& row) { return attncert::leaves_formats_of(rounding, row); });
}

void DumpedGroup::add(const AttentionDump& dump, const Place& place) {
  DumpedRow dumped = dump.row(place, shared_);
  const Standing stands = standing(dumped, without_pivots);  // D is of the o that is there
  if (stands == Standing::without_key || kept_keys(dumped.row).empty()) {
    empty_.push_back(place);
    // What fills such a row with a mean adds to dk and dv, and one of values of 0 looks like nothing.
    if (stands == Standing::without_key && (largest(dumped.output) != 0 || largest(shared_.largest_value) == 0))
      unsound_sums_ = fmt::format("[{}, {}, {}] has no key, and is not 0", place.batch, place.head, place.query);
    return;
  }
  if (stands == Standing::not_finite || std::isinf(largest(dumped.output_gradient)) ||
      std::isinf(largest(dumped.output)) || (dumped.lse && !std::isfinite(*dumped.lse)))
    return refuse(place, "reads NaN or infinity");
  const double dP = most_dP(dumped);
  const double sum = most_sum(dumped, dP, dump.shape().heads * dump.shape().queries);
  if (stands == Standing::scores_overflow || !(sum < 0x1p126))  // f32 ends at 2^128
    return refuse(place, "may leave the range of f32");
  largest_dP_ = std::max(largest_dP_, dP * std::max({1.0, std::abs(dumped.row.scale), dumped.row.softcap}));
  largest_sum_ = std::max(largest_sum_, sum);
  dumped_.push_back(std::move(dumped));
  places_.push_back(place);
}

}  // namespace attncert
