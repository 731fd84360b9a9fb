#include "properties/conformance/budget_classes/allowances.hpp"

#include <algorithm>
#include <iterator>

#include "properties/conformance/budget_classes/row_terms.hpp"
#include "src/core/assert.hpp"

namespace attncert {
namespace {

using namespace classes;

constexpr struct {
  std::string_view normalizer;
  Reals (*allowed)(std::string_view normalizer, const Row& row);
} table[] = {{"softmax", softmax},
             {"softmax1", softmax},
             {"ssmax", softmax},
             {"top-k-softmax", softmax},
             {"log-softmax", log_softmax},
             {"sigmoid", sigmoid},
             {"sigmoid-normalized", separable},
             {"relu-normalized", separable},
             {"taylor-softmax", separable},
             {"sa-softmax-v0", self_adjusted},
             {"sa-softmax-v1", self_adjusted},
             {"sa-softmax-v2", self_adjusted},
             {"sa-softmax-v3", self_adjusted},
             {"sparsemax", sparse},
             {"entmax-1.5", sparse},
             {"entmax", sparse},
             {"softmax-vjp", derivative},
             {"softmax1-vjp", derivative},
             {"ssmax-vjp", derivative},
             {"top-k-softmax-vjp", derivative},
             {"sigmoid-normalized-vjp", derivative},
             {"relu-normalized-vjp", derivative},
             {"taylor-softmax-vjp", derivative},
             {"log-softmax-vjp", log_softmax_derivative},
             {"sigmoid-vjp", sigmoid_derivative},
             {"sparsemax-vjp", sparse_derivative},
             {"entmax-1.5-vjp", sparse_derivative},
             {"entmax-vjp", sparse_derivative},
             {"sa-softmax-v0-vjp", self_adjusted_derivative},
             {"sa-softmax-v1-vjp", self_adjusted_derivative},
             {"sa-softmax-v2-vjp", self_adjusted_derivative},
             {"sa-softmax-v3-vjp", self_adjusted_derivative}};

}  // namespace

bool has_threshold(const Normalizer& normalizer) {
  return normalizer.name.starts_with("sparsemax") || normalizer.name.starts_with("entmax");
}

std::vector<long double> allowances(const Normalizer& normalizer, const LogitRow& row, const Arithmetic& arithmetic) {
  const auto one = std::ranges::find_if(table, [&](const auto& of) { return of.normalizer == normalizer.name; });
  ATTNCERT_ASSERT(one != std::end(table));
  Reals allowed = one->allowed(normalizer.name, Row(row, arithmetic));
  // The rounding to a half costs 1/2 ulp, and half of what came before more where that crossed a power of two.
  if (arithmetic.narrowed)
    for (Real& most : allowed) most *= 1.5L;
  return allowed;
}

}  // namespace attncert
