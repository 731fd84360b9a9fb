// attncert gpt2: what the heads of a model do on a text at the planned queries, and how exact its weights are.
#include <fmt/core.h>

#include <cmath>
#include <map>
#include <utility>

#include "properties/accuracy/captured.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/console.hpp"
#include "src/cli/places.hpp"

namespace attncert::cli {
namespace {

struct Head {
  std::size_t rows = 0;
  double largest = 0, entropy = 0, effective = 0;  // sums over rows of: max weight, entropy in bits, 1 / sum w^2
};

void add(Head& head, const CapturedRow& row) {
  double largest = 0, entropy = 0, squares = 0;
  for (const float w : row.weights) {
    largest = std::max<double>(largest, w);
    if (w > 0) entropy -= w * std::log2(static_cast<double>(w));
    squares += static_cast<double>(w) * w;
  }
  ++head.rows;
  head.largest += largest;
  head.entropy += entropy;
  head.effective += 1 / squares;
}

}  // namespace

int gpt2(const Gpt2Options& options) {
  const Result<CapturedAttention> attention = captured(options.real);
  if (!attention) return fail(attention.error());
  std::map<std::pair<std::size_t, std::size_t>, Head> heads;
  CapturedCheck total;
  ProgressLine line("rows");
  for (std::size_t i = 0; i < attention->rows.size(); ++i) {
    const CapturedRow& row = attention->rows[i];
    add(heads[{row.layer, row.head}], row);
    const CapturedCheck check = check_captured(row.logits, row.weights);
    total.weights += check.weights;
    total.outside += check.outside;
    total.undecided += check.undecided;
    total.worst_ulp = std::max(total.worst_ulp, check.worst_ulp);
    total.budget_ulp = check.budget_ulp;
    line.show(i + 1, attention->rows.size(), "");
  }
  fmt::print("windows {}, tokens left over {}, captured rows {}\n", attention->windows, attention->dropped_tokens,
             attention->rows.size());
  fmt::print("{:>5} {:>4} {:>12} {:>14} {:>10}   means over {} rows\n", "layer", "head", "max weight", "entropy (bits)",
             "1/sum w^2", heads.empty() ? 0 : heads.begin()->second.rows);
  for (const auto& [which, head] : heads) {
    const auto n = static_cast<double>(head.rows);
    fmt::print("{:>5} {:>4} {:>12.4f} {:>14.3f} {:>10.2f}\n", which.first, which.second, head.largest / n,
               head.entropy / n, head.effective / n);
  }
  fmt::print(
      "weights against the enclosure of softmax of the captured logits: {} checked, {} outside the budget of {} ulp, "
      "{} undecided, worst {:.3f} ulp\n",
      total.weights, total.outside, total.budget_ulp, total.undecided, total.worst_ulp);
  return total.outside > 0 ? differs : total.undecided > 0 ? undecided : all_as_expected;
}

}  // namespace attncert::cli
