#include "properties/dumps/removed_keys.hpp"

#include <algorithm>
#include <limits>

namespace attncert {
namespace {

// By the mask of all heads, if there is one.
bool keeps(const CaseInputs& in, std::size_t batch, std::size_t query, std::size_t key) {
  const std::size_t past = query + (in.top_left ? in.queries : in.keys);  // the diagonal's key is past - queries
  if (!in.lengths.empty() && static_cast<double>(key) >= in.lengths[batch]) return false;
  if (in.causal && key + in.queries > past) return false;
  if (in.window > 0 && key + in.queries + in.window <= past) return false;
  if (in.window_after > 0 && key + in.queries >= past + in.window_after) return false;
  return in.mask.empty() || in.mask[query * in.keys + key] != 0;
}

void put_nan(std::vector<double>& numbers, std::size_t row, std::size_t size) {
  std::fill_n(numbers.begin() + static_cast<std::ptrdiff_t>(row * size), size,
              std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

std::vector<std::vector<std::size_t>> removed_keys(const CaseInputs& in) {
  std::vector<std::vector<std::size_t>> removed(in.batches);
  for (std::size_t batch = 0; batch < in.batches; ++batch)
    for (std::size_t key = 0; key < in.keys; ++key) {
      bool kept = false;
      for (std::size_t query = 0; query < in.queries && !kept; ++query) kept = keeps(in, batch, query, key);
      if (!kept) removed[batch].push_back(key);
    }
  return removed;
}

void put_nan_in_removed_keys(CaseInputs& in) {
  const auto removed = removed_keys(in);
  for (std::size_t batch = 0; batch < in.batches; ++batch)
    for (std::size_t head = 0; head < in.kv_heads; ++head)
      for (const std::size_t key : removed[batch]) {
        const std::size_t row = (batch * in.kv_heads + head) * in.keys + key;
        put_nan(in.k, row, in.size);
        put_nan(in.v, row, in.value_size);
      }
}

}  // namespace attncert
