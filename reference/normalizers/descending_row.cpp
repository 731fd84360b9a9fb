#include "reference/normalizers/descending_row.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace attncert::reference {
namespace {

// Numbers the different logits in the order in which they come: a long row of a campaign has few, and sorting all of it
// took a tenth of a sweep.
class Numbering {
 public:
  std::uint32_t number_of(double logit) {
    logit += 0.0;  // -0 is 0
    if (2 * logits_.size() >= slots_.size()) grow();
    std::uint32_t& slot = slot_of(logit);
    if (slot == none) {
      slot = static_cast<std::uint32_t>(logits_.size());
      logits_.push_back(logit);
    }
    return slot;
  }
  const std::vector<double>& logits() const { return logits_; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t& slot_of(double logit) {
    // 2^64 over the golden ratio; of the product its first bits: the last ones of narrow types are all 0.
    const std::uint64_t product = std::bit_cast<std::uint64_t>(logit) * 0x9E3779B97F4A7C15u;
    for (std::size_t at = product >> (64 - bits_);; ++at) {
      std::uint32_t& slot = slots_[at & (slots_.size() - 1)];
      if (slot == none || logits_[slot] == logit) return slot;
    }
  }
  void grow() {
    slots_.assign(std::size_t{1} << ++bits_, none);
    for (std::uint32_t n = 0; n < logits_.size(); ++n) slot_of(logits_[n]) = n;
  }

  int bits_ = 10;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(std::size_t{1} << bits_, none);
  std::vector<double> logits_;
};

constexpr std::uint32_t absent = ~std::uint32_t{0};

}  // namespace

DescendingRow::DescendingRow(const LogitRow& row) : row_(row), ranks_(row.logits.size(), absent) {
  ATTNCERT_ASSERT(kind(row_) == RowKind::ordinary && row_.logits.size() < absent);
  Numbering numbering;
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (!row_.present(i)) continue;
    ++present_count_;
    ranks_[i] = numbering.number_of(row_.logits[i]);
    counts.resize(numbering.logits().size());
    ++counts[ranks_[i]];
  }
  const std::vector<double>& logits = numbering.logits();
  std::vector<std::uint32_t> sorted(logits.size()), rank_of(logits.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) { return logits[a] > logits[b]; });
  for (const std::uint32_t number : sorted) {
    rank_of[number] = static_cast<std::uint32_t>(distinct_.size());
    distinct_.push_back(logits[number]);
    count_.push_back(counts[number]);
  }
  for (std::uint32_t& rank : ranks_)
    if (rank != absent) rank = rank_of[rank];
}

std::vector<std::size_t> DescendingRow::order() const {
  std::vector<std::size_t> order(present_count_), next(distinct_.size(), 0);
  for (std::size_t k = 1; k < next.size(); ++k) next[k] = next[k - 1] + count_[k - 1];
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    if (ranks_[i] != absent) order[next[ranks_[i]]++] = i;
  return order;
}

std::size_t DescendingRow::index_of(double logit) const {
  const auto found = std::lower_bound(distinct_.begin(), distinct_.end(), logit, std::greater<>());
  ATTNCERT_ASSERT(found != distinct_.end() && *found == logit);
  return static_cast<std::size_t>(found - distinct_.begin());
}

Interval DescendingRow::deficit(double logit, Precision precision) const {
  return (Interval(largest(), precision) - Interval(logit, precision)) / Interval(row_.temperature, precision);
}

}  // namespace attncert::reference
