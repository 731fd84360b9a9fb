#include "properties/claims/catalogue/sides/family.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace attncert::sides {
namespace {

struct Group {
  Rational weight, token;
  std::size_t size;
};

// Runs of equal weight and token, heaviest first; equal weights keep their order, so the lowest index is selected
// first.
std::vector<Group> groups_by_weight(const ExactInstance& member) {
  std::vector<Group> groups;
  auto weight = member.weights.begin();
  auto token = member.tokens.begin();
  std::size_t weights_left = weight->count, tokens_left = token->count;
  for (std::size_t done = 0; done < member.length;) {
    const std::size_t size = std::min(weights_left, tokens_left);
    groups.push_back({weight->value, token->value.at(0), size});
    done += size;
    if ((weights_left -= size) == 0 && ++weight != member.weights.end()) weights_left = weight->count;
    if ((tokens_left -= size) == 0 && ++token != member.tokens.end()) tokens_left = token->count;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.weight > b.weight; });
  return groups;
}

// The member with F of the logit.
template <class Function>
ExactInstance with_F(ExactInstance member, Function F) {
  member.F = member.logits;
  for (auto& run : member.F) run.value = F(run.value);
  return member;
}

}  // namespace

std::vector<std::string> given_top_weights(const std::vector<std::string>& more) {
  std::vector<std::string> given{"1 <= N and N <= L", "a_i >= 0 and sum(i: a_i) = 1",
                                 "max(i not in I: a_i) <= min(i in I: a_i)"};
  given.insert(given.end(), more.begin(), more.end());
  return given;
}

Rational one_dimensional_distance(const ExactInstance& member) {
  const std::vector<Group> groups = groups_by_weight(member);
  Rational s = 0, distance = 0;
  std::size_t left = member.count;
  for (const Group& group : groups) {
    const std::size_t taken = std::min(left, group.size);
    s += Rational(taken) * group.weight * group.token;
    left -= taken;
  }
  left = member.count;
  for (const Group& group : groups) {
    const std::size_t taken = std::min(left, group.size);
    distance += Rational(group.size - taken) * abs(group.weight * group.token - s);
    left -= taken;
  }
  return distance;
}

Rational one_dimensional_distance_over_length(const ExactInstance& member) {
  return one_dimensional_distance(member) / member.length;
}

Rational length_over_one_dimensional_distance(const ExactInstance& member) {
  const Rational distance = one_dimensional_distance(member);
  return sgn(distance) == 0 ? Rational(0) : Rational(Rational(member.length) / distance);
}

Rational length_times_first_separable_weight(const ExactInstance& member) {
  Rational total = 0;
  for (const auto& run : member.F) total += Rational(run.count) * run.value;
  return Rational(member.length) * member.F.front().value / total;
}

Rational length_times_first_separable_weight_less_one(const ExactInstance& member) {
  return length_times_first_separable_weight(member) - 1;
}

Rational inverse_of_length_times_first_separable_weight(const ExactInstance& member) {
  return 1 / length_times_first_separable_weight(member);
}

Rational length_times_first_weight_of_one_plus_square(const ExactInstance& member) {
  return length_times_first_separable_weight(with_F(member, [](const Rational& l) { return Rational(1 + l * l); }));
}

Rational inverse_of_length_times_first_weight_of_inverse_square(const ExactInstance& member) {
  return inverse_of_length_times_first_separable_weight(
      with_F(member, [](const Rational& l) { return Rational(1 / (1 + l * l)); }));
}

// The threshold tau is the largest with sum max(z - tau, 0) = 1 over prefixes of the sorted runs.
FormFamily one_token_sparsemax(const std::string& name, const std::vector<std::string>& more) {
  std::vector<std::string> given{"a_i = max(l_i - tau, 0) and sum(i: a_i) = 1 and |l_i| <= B"};
  given.insert(given.end(), more.begin(), more.end());
  return {.name = name,
          .first = 2,
          .tokens = {{{1}, false, {{"a", {{1}}}, {"l", {{1}}}}}, {{-1, 1}, false, {{"a", {{0}}}, {"l", {{0}}}}}},
          .numbers = {{"B", {{1}}}, {"tau", {{0}}}},
          .value = {{0, 1}},
          .given = given,
          .constant = {"B"}};
}

Rational length_times_first_sparsemax_weight(const ExactInstance& member) {
  std::vector<Run<Rational>> runs = member.logits;
  std::stable_sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.value > b.value; });
  Rational sum = 0, threshold = 0;
  std::size_t size = 0;
  for (const auto& run : runs) {
    if (size > 0 && run.value <= threshold) break;
    sum += Rational(run.count) * run.value;
    size += run.count;
    threshold = (sum - 1) / size;
  }
  return Rational(member.length) * std::max(Rational(member.logits.front().value - threshold), Rational(0));
}

}  // namespace attncert::sides
