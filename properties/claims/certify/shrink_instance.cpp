#include "properties/claims/certify/shrink_instance.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/shrink.hpp"
#include "properties/claims/instances/weights.hpp"

namespace attncert {
namespace {

using Numbers = std::vector<Rational>;

// An instance of the same numbers with other tokens, where it has tokens.
Instance with_tokens(const Instance& instance, std::size_t dimension, Numbers values) {
  Instance result = instance.fresh();
  if (instance.tokens) result.tokens = std::make_shared<TokenSet>(instance.length, dimension, std::move(values));
  return result;
}

void normalise(Numbers& weights) {
  if (std::any_of(weights.begin(), weights.end(), [](const Rational& weight) { return sgn(weight) != 0; }))
    weights = normalized(std::move(weights));
}

// What the parameters belong to: nothing but the claim's hypotheses tells where their number is L.
enum class Parameters { of_the_rule, of_tokens };

Instance without_token(const Instance& instance, std::size_t i, Parameters parameters) {
  Instance result = instance.fresh();
  const auto at = static_cast<std::ptrdiff_t>(i);
  for (const auto& [row, runs] : rows_of_numbers)
    if (!(result.*row).empty()) (result.*row).erase((result.*row).begin() + at);
  if (parameters == Parameters::of_tokens) result.parameters.erase(result.parameters.begin() + at);
  normalise(result.weights);
  normalise(result.other_weights);
  result.selected.clear();
  for (const std::size_t j : instance.selected)
    if (j != i) result.selected.push_back(j < i ? j : j - 1);
  result.count = result.selected.size();
  --result.length;
  Numbers values = instance.token_values();
  const auto begin = values.begin() + at * static_cast<std::ptrdiff_t>(instance.dimension());
  if (instance.tokens) {
    values.erase(begin, begin + static_cast<std::ptrdiff_t>(instance.dimension()));
    result.tokens = std::make_shared<TokenSet>(result.length, instance.dimension(), std::move(values));
  }
  return result;
}

Instance without_dimension(const Instance& instance, std::size_t dropped) {
  Numbers values;
  for (std::size_t i = 0; i < instance.length; ++i)
    for (std::size_t k = 0; k < instance.dimension(); ++k)
      if (k != dropped) values.push_back(instance.tokens->token(i)[k]);
  return with_tokens(instance, instance.dimension() - 1, std::move(values));
}

// The multiple of 1/denominator nearest to the value.
Rational rounded(const Rational& value, unsigned long denominator) {
  const Rational scaled = value * denominator + ratio(1, 2);
  mpz_class floor;
  mpz_fdiv_q(floor.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  Rational result(floor, denominator);
  result.canonicalize();
  return result;
}

class InstanceShrinker {
 public:
  InstanceShrinker(const Statement& statement, std::size_t part, const Instance& instance, std::size_t budget)
      : statement_(statement), part_(part), instance_(instance.fresh()), budget_(budget) {}

  Instance run() {
    bool better = true;
    while (better && budget_ > 0) {
      better = drop_tokens();
      better |= drop_dimensions();
      better |= round_all();
      better |= round_each();
    }
    return instance_;
  }

 private:
  bool accept(const Instance& candidate) {
    if (budget_ == 0 || !(size_of(candidate) < size_of(instance_))) return false;
    --budget_;
    if (!violates(statement_, part_, candidate)) return false;
    instance_ = candidate;
    return true;
  }

  bool drop_token(std::size_t i) {
    return accept(without_token(instance_, i, Parameters::of_the_rule)) ||
           (instance_.parameters.size() == instance_.length &&
            accept(without_token(instance_, i, Parameters::of_tokens)));
  }

  bool drop_tokens() {
    bool better = false;
    for (std::size_t i = 0; i < instance_.length && instance_.length > 1;)
      if (drop_token(i)) better = true;
      else ++i;
    return better;
  }

  bool drop_dimensions() {
    bool better = false;
    for (std::size_t k = 0; k < instance_.dimension() && instance_.dimension() > 1;)
      if (accept(without_dimension(instance_, k))) better = true;
      else ++k;
    return better;
  }

  // All numbers of one kind on one grid: weights can only change together.
  bool round_all() {
    bool better = false;
    for (const unsigned long grid : grids) {
      for (const auto& [row, runs] : rows_of_numbers) {
        Instance candidate = instance_.fresh();
        for (Rational& value : candidate.*row) value = rounded(value, grid);
        if (row == &Instance::weights || row == &Instance::other_weights) normalise(candidate.*row);
        better |= accept(candidate);
      }
      Numbers values = instance_.token_values();
      for (Rational& value : values) value = rounded(value, grid);
      better |= accept(with_tokens(instance_, instance_.dimension(), std::move(values)));
    }
    return better;
  }

  bool round_each() {
    bool better = false;
    for (const unsigned long grid : grids) {
      for (const auto row : {&Instance::logits, &Instance::F, &Instance::dF, &Instance::other_logits,
                             &Instance::other_F, &Instance::parameters})
        for (std::size_t i = 0; i < (instance_.*row).size(); ++i) {
          Instance candidate = instance_.fresh();
          (candidate.*row)[i] = rounded((candidate.*row)[i], grid);
          better |= accept(candidate);
        }
      for (std::size_t i = 0; i < instance_.length * instance_.dimension(); ++i) {
        Numbers values = instance_.token_values();
        values[i] = rounded(values[i], grid);
        better |= accept(with_tokens(instance_, instance_.dimension(), std::move(values)));
      }
      if (!instance_.temperature) continue;
      Instance candidate = instance_.fresh();
      candidate.temperature = rounded(*instance_.temperature, grid);
      better |= accept(candidate);
    }
    return better;
  }

  static constexpr unsigned long grids[] = {1, 2, 3, 4, 5, 6, 8, 10, 16, 32, 100, 1000, 65536};
  const Statement& statement_;
  const std::size_t part_;
  Instance instance_;
  std::size_t budget_;
};

}  // namespace

Instance shrink_instance(const Statement& statement, std::size_t part, const Instance& instance, std::size_t budget) {
  return InstanceShrinker(statement, part, instance, budget).run();
}

}  // namespace attncert
