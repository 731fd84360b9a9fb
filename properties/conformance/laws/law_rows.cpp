#include "properties/conformance/laws/law_rows.hpp"

#include <map>

#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/accuracy/entry_bounds.hpp"
#include "properties/conformance/accuracy/observed.hpp"
#include "properties/conformance/inputs/wide_row.hpp"
#include "reference/ulp.hpp"
#include "src/core/hex_text.hpp"
#include "src/core/power_of_two.hpp"

namespace attncert::laws {
namespace {

UlpFormat ulps(const Format& f) { return {f.digits, f.min_exponent}; }

constexpr std::size_t pool = 64;  // different upstreams of a long row

long double unit(long double value, const UlpFormat& format) {
  const int exponent = ulp_exponent(value, format);
  return exponent >= -1022 && exponent <= 1023 ? power_of_two(exponent) : std::ldexp(1.0L, exponent);
}

}  // namespace

void draw_rest(LawChoices& choices, const Subject& subject, const attncert_kernel& kernel, LogitRow& row) {
  row.parameters = draw_parameters(choices, subject);
  if (!subject.derivative) return;
  row.upstream = draw_upstream(choices, kernel.dtype_in, choices.length() == 0 ? row.logits.size() : pool);
  for (std::size_t i = row.upstream.size(); i < row.logits.size(); ++i)  // few different ones: ties, and enclosures
    row.upstream.push_back(row.upstream[random_below(pool, i, pool)]);
}

LogitRow draw_row(LawChoices& choices, const Subject& subject, const attncert_kernel& kernel) {
  LogitRow row;
  if (choices.length() == 0) {
    row.logits = expand(draw_logits(choices, longest), kernel.dtype_in);
    row.temperature = draw_temperature(choices);
  } else {
    WideRecipe recipe = drawn_recipe(choices, 1);
    recipe.length = choices.length();
    recipe.mask = MaskKind::none;
    row = wide_row(recipe, kernel.dtype_in);
  }
  draw_rest(choices, subject, kernel, row);
  return row;
}

GuardedOutcome answered(const attncert_kernel& kernel, const LogitRow& batch, std::size_t rows, const Layout& layout) {
  GuardedOutcome outcome = guarded_call(kernel, batch, rows, layout);
  if (outcome.status != ATTNCERT_OK) throw NoAnswer{outcome.status};
  return outcome;
}

std::vector<double> values(const attncert_kernel& kernel, const LogitRow& row) {
  if (ordinary(row) && !by_formula(kernel.contract, row)) throw OutOfTheFormula{};
  return answered(kernel, row).output;
}

std::vector<Output> outputs(const Subject& subject, const attncert_kernel& kernel, const LogitRow& row) {
  const Budget budget = budget_of(kernel);
  const Format& out = format(kernel.dtype_out);
  const auto truth = ordinary(row) ? subject.truth(row) : nullptr;
  const EntryBounds bounds(subject, row);
  std::map<std::pair<double, double>, long double> magnitudes;  // by logit and upstream, which long rows have few of
  const auto magnitude_of = [&](std::size_t i) {
    if (!subject.derivative) return truth->magnitude(i);
    const auto [at, fresh] = magnitudes.try_emplace({row.logits[i], row.upstream[i]}, 0);
    if (fresh) at->second = truth->magnitude(i);
    return at->second;
  };
  std::vector<Output> result;
  result.reserve(row.logits.size());
  const double bound = bounds.of(budget);
  for (const double value : values(kernel, row)) {
    const std::size_t i = result.size();
    if (truth == nullptr || !row.present(i) || !std::isfinite(value)) {
      result.push_back({value, 0});
      continue;
    }
    const long double magnitude = std::max<long double>(std::abs(value), magnitude_of(i));
    const UlpFormat inner = budget.narrowed ? ulp_format<float> : ulps(out);
    const long double slack = budget.last * unit(value, ulps(out)) + budget.inner_last * unit(value, inner) +
                              bound * unit(magnitude, inner) + bounds.absolute(budget, i);
    result.push_back({value, 2 * slack});
  }
  return result;
}

bool may_agree(const Output& a, const Output& b, const attncert_kernel& kernel) {
  if (a.value == b.value) return true;
  if (std::isinf(a.value) != std::isinf(b.value)) {  // one overflows: the other must lie at the end of the format
    const Output& finite = std::isinf(a.value) ? b : a;
    const Format& f = format(kernel.dtype_out);
    return std::signbit(a.value) == std::signbit(b.value) &&
           std::abs(static_cast<long double>(finite.value)) + finite.slack >=
               std::ldexp(1.0L - std::ldexp(1.0L, -f.digits), f.max_exponent);
  }
  return std::abs(static_cast<long double>(a.value) - static_cast<long double>(b.value)) <= a.slack + b.slack;
}

bool same_bits(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool fits(const attncert_kernel& kernel, double value) { return rounded(kernel.dtype_in, value) == value; }

std::string pair_text(const std::string& what, std::size_t i, double a, double b) {
  return what + " at entry " + std::to_string(i) + ": " + hex_text(a) + " and " + hex_text(b);
}

}  // namespace attncert::laws
