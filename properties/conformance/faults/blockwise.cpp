#include "properties/conformance/faults/blockwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/conformance/faults/exponential_steps.hpp"

namespace attncert::plain {
namespace {

constexpr Real nothing = -std::numeric_limits<Real>::infinity();

}  // namespace

Reals blockwise_weights(const Row& row, const Blockwise& form) {
  Real maximum = nothing, sum = 0;
  for (std::size_t begin = 0; begin < row.length(); begin += form.block) {
    const std::size_t end = std::min(begin + form.block, row.length());
    Real next = maximum;
    bool any = false;
    for (std::size_t i = begin; i < end; ++i)
      if (row.present(i)) {
        next = std::max(next, row.z(i));
        any = true;
      }
    if (!any && form.skips_empty_blocks) continue;
    next = form.carried_maximum(next);
    Real block_sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (!row.present(i) && form.skips_empty_blocks) continue;
      block_sum += std::exp(((row.present(i) ? row.z(i) : nothing) - next) / row.t());
    }
    const Real kept = sum == 0 ? 0 : sum * form.rescale((maximum - next) / row.t());
    sum = form.carried_sum(kept + block_sum);
    maximum = next;
  }
  return at_present(row, [&](std::size_t i) { return std::exp((row.z(i) - maximum) / row.t()) / sum; });
}

RowFunction blockwise_softmax(Blockwise form, Contract contract) {
  return guarded(std::move(contract), [form = std::move(form)](Row& row) { row.out = blockwise_weights(row, form); });
}

Real log_of_sum_of_exponentials(std::span<const Real> terms) {
  const Real largest = *std::max_element(terms.begin(), terms.end());
  if (largest == nothing) return nothing;
  Reals exponentials;
  for (const Real term : terms) exponentials.push_back(std::exp(term - largest));
  return largest + std::log(sum_of(exponentials));
}

Reals split_weights(const Row& row, std::size_t parts, const Merge& merge) {
  const Real top = largest_present(row);
  Reals lse;
  for (std::size_t part = 0; part < parts; ++part) {
    Reals exponents{nothing};  // a part may be empty
    for (std::size_t i = row.length() * part / parts; i < row.length() * (part + 1) / parts; ++i)
      if (row.present(i)) exponents.push_back((row.z(i) - top) / row.t());
    lse.push_back(log_of_sum_of_exponentials(exponents));
  }
  const Real whole = merge(lse);
  return at_present(row, [&](std::size_t i) { return std::exp((row.z(i) - top) / row.t() - whole); });
}

RowFunction split_softmax(std::size_t parts, Merge merge) {
  return guarded(default_contract("softmax"),
                 [parts, merge = std::move(merge)](Row& row) { row.out = split_weights(row, parts, merge); });
}

}  // namespace attncert::plain
