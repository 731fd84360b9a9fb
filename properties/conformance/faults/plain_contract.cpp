#include "properties/conformance/faults/plain_contract.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "properties/conformance/faults/exponential_steps.hpp"

namespace attncert::plain {
namespace {

bool infinite_at(const Row& row, std::size_t i) { return row.present(i) && std::isinf(row.logits[i]); }

std::size_t infinities(const Row& row) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < row.length(); ++i) count += infinite_at(row, i);
  return count;
}

// The limit as the entries of +inf rise together. `most` counts only the first so many of them.
void uniform_over_infinities(Row& row, std::size_t most) {
  std::size_t left = std::min(infinities(row), most);
  const Real share = 1 / static_cast<Real>(left);
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!infinite_at(row, i) || left == 0) continue;
    row.out[i] = share;
    --left;
  }
}

void log_uniform(Row& row) {
  const Real level = -std::log(static_cast<Real>(infinities(row)));
  for (std::size_t i = 0; i < row.length(); ++i)
    if (infinite_at(row, i)) row.out[i] = level;
}

void scaled_infinities(Row& row) {  // ssmax: s ln(n) * inf
  if (row.parameters.scale < 0) return all_nan(row);
  const std::size_t present = count_present(row);
  if (row.parameters.scale > 0 && present > 1) return uniform_over_infinities(row, row.length());
  row.out = at_present(row, [&](std::size_t) { return 1 / static_cast<Real>(present); });
}

}  // namespace

void all(Row& row, Real value) { std::fill(row.out.begin(), row.out.end(), value); }
void all_nan(Row& row) { all(row, std::numeric_limits<Real>::quiet_NaN()); }

Contract default_contract(std::string_view normalizer) {
  Contract c{all_nan, [](Row& row) { uniform_over_infinities(row, row.length()); }, [](Row&) {}};
  if (normalizer.ends_with("-vjp") || normalizer.starts_with("sa-softmax")) c.infinite = all_nan;
  else if (normalizer == "log-softmax") c.infinite = log_uniform;
  else if (normalizer == "ssmax") c.infinite = scaled_infinities;
  else if (normalizer == "top-k-softmax")
    c.infinite = [](Row& row) { uniform_over_infinities(row, static_cast<std::size_t>(row.parameters.k)); };
  else if (normalizer.starts_with("sigmoid")) c.infinite = nullptr;
  return c;
}

Contract changed_contract(std::string_view normalizer, RowFunction Contract::*part, RowFunction treated) {
  Contract c = default_contract(normalizer);
  c.*part = std::move(treated);
  return c;
}

RowFunction guarded(Contract contract, RowFunction ordinary) {
  return [contract = std::move(contract), ordinary = std::move(ordinary)](Row& row) {
    switch (kind(row)) {
      case RowKind::has_nan:
        return contract.nan(row);
      case RowKind::nothing_visible:
        return contract.empty(row);
      case RowKind::has_infinity:
        return contract.infinite ? contract.infinite(row) : ordinary(row);
      default:
        return ordinary(row);
    }
  };
}

}  // namespace attncert::plain
