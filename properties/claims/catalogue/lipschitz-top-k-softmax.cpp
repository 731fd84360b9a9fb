// Top-k softmax is 1/(2T)-Lipschitz in every l_p between rows of which the same k tokens are the largest
// (docs/specification.md#top-k-softmax): softmax of those tokens.
#include <algorithm>
#include <numeric>

#include "properties/claims/catalogue/sides/known.hpp"
#include "properties/claims/catalogue/sides/lipschitz.hpp"
#include "properties/claims/instances/instances.hpp"

namespace attncert {
namespace {

// The k largest logits, ties to the lowest index; all of them where k >= L.
std::vector<std::size_t> cell(const Instance& instance, const sides::Logits& logits) {
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return logits[i] > logits[j]; });
  const Rational& kept = instance.parameters[parameter::kept];
  if (kept < static_cast<unsigned long>(order.size())) order.resize(kept.get_num().get_ui());
  std::sort(order.begin(), order.end());
  return order;
}

sides::Values weights(const Instance& instance, const sides::Logits& logits, Precision precision) {
  const std::vector<std::size_t> indices = cell(instance, logits);
  sides::Logits chosen;
  for (const std::size_t i : indices) chosen.push_back(logits[i]);
  const sides::Values inside = sides::softmax(instance, chosen, precision);
  sides::Values result(logits.size(), Interval(0.0, precision));
  for (std::size_t k = 0; k < indices.size(); ++k) result[indices[k]] = inside[k];
  return result;
}

Truth whole_number_kept(const Instance& instance) {
  if (sides::has_numbers(instance) != Truth::yes) return Truth::no;
  const Rational& kept = instance.parameters[parameter::kept];
  return truth(kept >= 1 && kept.get_den() == 1);
}
Truth same_cell(const Instance& instance) {
  return truth(cell(instance, instance.logits) == cell(instance, instance.other_logits));
}

}  // namespace

Claim lipschitz_top_k_softmax() {
  return {.statement = {.source = "corrected Lipschitz constants",
                        .section = "13",
                        .text =
                            "Top-k softmax at temperature T is 1/(2T)-Lipschitz in l_p, p in {1, 5/4, 3/2, 2, 3, 4, "
                            "inf}, between rows that choose the same tokens.",
                        .proof =
                            "On those rows it is softmax of the chosen tokens, 1/(2T)-Lipschitz in their logits, whose "
                            "step is a part of the whole one.",
                        .domain = "pairs of rational rows, L <= 24, k <= 8, T from 10^-30 to 10^30",
                        .kind = Sided{.parts = sides::lipschitz_parts<weights>(
                                          sides::all_exponents, {"1/(2T)", sides::constant_over_temperature<1, 2>}),
                                      .hypotheses = sides::pair_hypotheses(
                                          {{"k >= 1, a whole number", whole_number_kept},
                                           {"the same k tokens are chosen in both rows", same_cell}}),
                                      .generate = ruled_pair,
                                      .known =
                                          [] {
                                            return known::Instances{known::around({0, 0, -5}, {1, -1, 0}, known::small,
                                                                                  known::numbers(1, 0, 2))};
                                          }}},
          .expected = Expected::supported};
}

}  // namespace attncert
