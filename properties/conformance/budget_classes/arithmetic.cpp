#include "properties/conformance/budget_classes/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "src/core/number_in.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

using Sum = Arithmetic::Sum;

constexpr double largest_number = 0x1p30;  // no row is longer

bool has_sums(std::string_view normalizer) { return normalizer != "sigmoid" && normalizer != "sigmoid-vjp"; }

bool subtracts_a_maximum(std::string_view normalizer) {
  constexpr std::string_view families[] = {"softmax", "ssmax", "top-k-softmax", "log-softmax", "sa-softmax"};
  return std::ranges::any_of(families, [&](std::string_view family) { return normalizer.starts_with(family); });
}

bool finds_a_threshold(std::string_view normalizer) {
  return normalizer.starts_with("sparsemax") || normalizer.starts_with("entmax");
}

bool has_exponentials_or_powers(std::string_view normalizer) {  // what is squared or not raised at all has none
  return normalizer != "sparsemax" && normalizer != "entmax-1.5";
}

bool has_exponents(std::string_view normalizer) {
  return subtracts_a_maximum(normalizer) || finds_a_threshold(normalizer);
}

constexpr ArithmeticOption options[] = {
    {.name = "pairwise",
     .text = "sums of depth ceil(log2 n); so it is unless another is named",
     .set = [](Arithmetic& a, double) { a.sum = Sum::pairwise; },
     .of = has_sums,
     .is_sum = true},
    {.name = "running",
     .text = "sums from the first term to the last",
     .set = [](Arithmetic& a, double) { a.sum = Sum::running; },
     .of = has_sums,
     .is_sum = true},
    {.name = "lanes",
     .text = "so many running sums side by side, added in pairs",
     .set = [](Arithmetic& a, double n) { a.sum = Sum::lanes, a.lanes = n; },
     .least = 1,
     .of = has_sums,
     .is_sum = true},
    {.name = "compensated",
     .text = "sums that keep what they round off",
     .set = [](Arithmetic& a, double) { a.sum = Sum::compensated; },
     .of = has_sums,
     .is_sum = true},
    {.name = "online",
     .text = "the sum is scaled when a block of so many logits has a new maximum",
     .set = [](Arithmetic& a, double n) { a.block = n; },
     .least = 1,
     .of = has_sums},
    {.name = "unshifted",
     .text = "the maximum is not subtracted where |max z| <= 60 T (f64: 600 T)",
     .set = [](Arithmetic& a, double) { a.shifted = false; },
     .of = subtracts_a_maximum},
    {.name = "exp",
     .text = "an exponential or power that errs by so many ulp [1]",
     .set = [](Arithmetic& a, double n) { a.exponential = n; },
     .least = 0.5,
     .whole = false,
     .of = has_exponentials_or_powers},
    {.name = "exponent",
     .text = "so many roundings of an exponent, that of z - max included [1 at T = 1, else 3]",
     .set = [](Arithmetic& a, double n) { a.exponent = n; },
     .least = 1,
     .of = has_exponents},
    {.name = "log1p",
     .text = "log-softmax: the logarithm is that of 1 + the sum of all but one largest term",
     .set = [](Arithmetic& a, double) { a.log1p = true; },
     .of = [](std::string_view normalizer) { return normalizer == "log-softmax"; }},
    {.name = "saved",
     .text = "sigmoid-vjp: s (1 - s) of the rounded s",
     .set = [](Arithmetic& a, double) { a.saved = true; },
     .of = [](std::string_view normalizer) { return normalizer == "sigmoid-vjp"; }},
    {.name = "threshold",
     .text = "sparsemax, entmax: the threshold in units of (alpha - 1) z / T is off by so much, and weights are "
             "divided by their sum",
     .set = [](Arithmetic& a, double n) { a.threshold = n; },
     .least = 0x1p-60,
     .whole = false,
     .of = finds_a_threshold},
};

const ArithmeticOption* option_of(std::string_view word) {
  const auto option = std::ranges::find(options, word.substr(0, word.find('=')), &ArithmeticOption::name);
  return option == std::end(options) ? nullptr : option;
}

std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  for (;; name.remove_prefix(words.back().size() + 1)) {
    words.push_back(name.substr(0, name.find('+')));
    if (words.back().size() == name.size()) return words;
  }
}

// "online=128" at `word`, after others; what is wrong with it, or nothing.
std::string take(Arithmetic& arithmetic, std::string_view word, std::span<const std::string_view> earlier) {
  const ArithmeticOption* const option = option_of(word);
  if (option == nullptr) return "no option of a class";
  for (const std::string_view before : earlier) {
    const ArithmeticOption* const other = option_of(before);
    if (other == option) return "a second time";
    if (other->is_sum && option->is_sum) return "another kind of sums than \"" + std::string(before) + "\"";
  }
  const std::size_t equals = word.find('=');
  const std::string_view name = option->name;
  if (option->least == 0) {
    if (equals != std::string_view::npos) return "takes no number";
    option->set(arithmetic, 0);
    return "";
  }
  const auto number = equals == std::string_view::npos ? std::nullopt : number_in<double>(word.substr(equals + 1));
  const bool good = number && *number >= option->least && *number <= largest_number &&
                    (!option->whole || *number == std::floor(*number));
  if (!good) return "takes a number, as in " + std::string(name) + (option->whole ? "=16" : "=0.5");
  option->set(arithmetic, *number);
  return "";
}

}  // namespace

std::span<const ArithmeticOption> arithmetic_options() { return options; }

long double Arithmetic::additions(std::size_t length, std::size_t present) const {
  if (present < 2) return 0;
  const auto others = static_cast<long double>(present) - 1;
  // Compensated: u + (L u)^2 of the sum of sizes (Neumaier, Z. angew. Math. Mech. 54, 1974); Kahan's sum has 2 u + O(L
  // u^2) (Goldberg, ACM Computing Surveys 23, 1991, theorem 8).
  const auto in_sum = [this, others](long double terms) -> long double {
    if (sum == Sum::running) return others;
    if (sum == Sum::compensated) return std::min(others, 2 + terms * terms * u);
    const long double side_by_side = std::min<long double>(sum == Sum::lanes ? lanes : terms, terms);
    return std::min(others, std::ceil(terms / side_by_side) - 1 + std::ceil(std::log2(side_by_side)));
  };
  const auto terms = static_cast<long double>(length);
  if (of_one_block()) return in_sum(terms);
  // Every later block may scale what there is by a rounded exponential, and is added to it; where the lanes of a block
  // have maxima of their own, so does every addition of two lanes at the end.
  const long double within = std::min<long double>(terms, block);
  const long double scalings = std::ceil(terms / block) - 1 + std::ceil(std::log2(within));
  return in_sum(within) + std::ceil(terms / block) - 1 + std::min(others, scalings) * (exponential_error() + 1);
}

long double Arithmetic::roundings_of_exponent(double temperature) const {
  return exponent != 0 ? exponent : temperature == 1 ? 1 : 3;
}

Result<Arithmetic> arithmetic_named(std::string_view name, attncert_dtype dtype) {
  Arithmetic made;
  made.name = name;
  if (dtype == ATTNCERT_F64) made.u = 0x1p-53L, made.smallest = 0x1p-1074L;
  made.narrowed = format(dtype).bytes == 2;
  if (name == "three-pass") {  // its name before there were others
    made.exponent = 3;
    return made;
  }
  const std::vector<std::string_view> words = words_of(name);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string wrong = i > 0                 ? take(made, words[i], std::span(words).subspan(1, i - 1))
                              : words[i] == "plain" ? ""
                                                    : "no class of budgets";
    if (!wrong.empty())
      return Error{std::string(name) + ": \"" + std::string(words[i]) + "\" " + wrong +
                   "; write plain, plain+running, plain+online=128: docs/budgets.md"};
  }
  return made;
}

std::string_view unread_option(std::string_view name, std::string_view normalizer) {
  for (const std::string_view word : words_of(name))
    if (const ArithmeticOption* const option = option_of(word);
        option != nullptr && option->of != nullptr && !option->of(normalizer))
      return option->name;
  return "";
}

const Arithmetic* find_arithmetic(std::string_view name, attncert_dtype dtype) {
  static std::mutex one_at_a_time;
  static std::map<std::pair<std::string, attncert_dtype>, std::optional<Arithmetic>> known;
  const std::lock_guard lock(one_at_a_time);
  const auto [at, is_new] = known.try_emplace({std::string(name), dtype});
  if (is_new)
    if (Result<Arithmetic> made = arithmetic_named(name, dtype)) at->second = *std::move(made);
  return at->second ? &*at->second : nullptr;
}

}  // namespace attncert
