#include "properties/conformance/budget_classes/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "src/core/number_in.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

using Sum = Arithmetic::Sum;

constexpr double largest_number = 0x1p30;  // no row is longer

constexpr ArithmeticOption options[] = {
    {"pairwise", "sums of depth ceil(log2 n); so it is unless another is named",
     [](Arithmetic& a, double) { a.sum = Sum::pairwise; }},
    {"running", "sums from the first term to the last", [](Arithmetic& a, double) { a.sum = Sum::running; }},
    {"lanes", "so many running sums side by side, added in pairs",
     [](Arithmetic& a, double n) { a.sum = Sum::lanes, a.lanes = n; }, 1},
    {"compensated", "sums that keep what they round off", [](Arithmetic& a, double) { a.sum = Sum::compensated; }},
    {"online", "the sum is scaled when a block of so many logits has a new maximum",
     [](Arithmetic& a, double n) { a.block = n; }, 1},
    {"unshifted", "the maximum is not subtracted where |max z| <= 60 T (f64: 600 T)",
     [](Arithmetic& a, double) { a.shifted = false; }},
    {"exp", "an exponential or power that errs by so many ulp [1]", [](Arithmetic& a, double n) { a.exponential = n; },
     0.5, false},
    {"exponent", "so many roundings of an exponent, that of z - max included [1 at T = 1, else 3]",
     [](Arithmetic& a, double n) { a.exponent = n; }, 1},
    {"log1p", "log-softmax: the logarithm is that of 1 + the sum of all but one largest term",
     [](Arithmetic& a, double) { a.log1p = true; }},
    {"saved", "sigmoid-vjp: s (1 - s) of the rounded s", [](Arithmetic& a, double) { a.saved = true; }},
    {"threshold",
     "sparsemax, entmax: the threshold in units of (alpha - 1) z / T is off by so much, and weights are "
     "divided by their sum",
     [](Arithmetic& a, double n) { a.threshold = n; }, 0x1p-60, false},
};

// "online=128" at `word`; what is wrong with it, or nothing.
std::string take(Arithmetic& arithmetic, std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const auto option = std::ranges::find(options, name, &ArithmeticOption::name);
  if (option == std::end(options)) return "no option of a class";
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
  constexpr std::string_view family = "plain";
  std::string_view rest = name;
  for (bool first = true;; first = false) {
    const std::size_t end = std::min(rest.find('+'), rest.size());
    const std::string_view word = rest.substr(0, end);
    const std::string wrong = !first ? take(made, word) : word == family ? "" : "no class of budgets";
    if (!wrong.empty())
      return Error{std::string(name) + ": \"" + std::string(word) + "\" " + wrong +
                   "; write plain, plain+running, plain+online=128: docs/budgets.md"};
    if (end == rest.size()) return made;
    rest.remove_prefix(end + 1);
  }
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
