#include "properties/conformance/accuracy/cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "properties/conformance/accuracy/degenerate_rows.hpp"
#include "properties/conformance/accuracy/rows.hpp"
#include "properties/conformance/inputs/wide_row.hpp"
#include "properties/conformance/rows/logits.hpp"
#include "properties/conformance/rows/masks.hpp"
#include "properties/conformance/rows/temperatures.hpp"
#include "src/core/counter.hpp"
#include "src/core/number_in.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

// Ends of vectors and blocks, then odd lengths that leave a tail, up to 2^20.
constexpr std::size_t ladder[] = {1,   2,   3,   5,   7,    8,    9,    16,   17,   31,    33,    64,     65,
                                  127, 128, 257, 513, 1024, 1025, 2049, 4096, 4097, 16385, 65535, 262147, 1048576};
constexpr double spreads[] = {3, 20};
constexpr std::size_t longest_regime_row = 300;  // several blocks and a tail on every instruction set
constexpr std::uint64_t bad_temperature_every = 32;

// Rows beyond this length cost seconds over all kernels: they are run at one temperature of each spread. The
// double-double tier's rows go through all of them.
constexpr std::size_t long_row = 5000;
bool long_rows_at(double spread, double temperature) { return spread == 3 ? temperature == 1 : temperature == 0.7; }

constexpr std::size_t vanishing_lengths[] = {1, 9};  // one alone, and a vector with a tail

// z / T between the logarithms of 1 / (largest number) and of half the smallest one: exp(z / T) is still something, and
// a normalizer with a term beside the logits (the one of softmax1, of sigmoid) shows what it does with it, exp(-z / T)
// overflows.
std::vector<double> vanishing_logits(attncert_dtype dtype, std::uint64_t seed, std::size_t length, double temperature) {
  const Format& f = format(dtype);
  const double ln2 = std::log(2.0), high = -f.max_exponent * ln2, low = (f.min_exponent - f.digits - 1) * ln2;
  std::vector<double> row(length);
  for (std::size_t i = 0; i < length; ++i) {
    const double part = std::ldexp(static_cast<double>(random_word(seed, i) >> 11), -53);
    row[i] = rounded(dtype, temperature * (high + part * (low - high)));
  }
  return row;
}

// Many equal exponentials beside one larger: what a sum loses of each when it is added to the peak's, it loses of all.
// At the longest length one temperature does.
constexpr std::size_t peak_lengths[] = {1025, 65535};

std::vector<double> peak_logits(attncert_dtype dtype, std::uint64_t seed, std::size_t length, double temperature) {
  const double part = std::ldexp(static_cast<double>(random_word(seed, 0) >> 11), -53);
  const double depth =
      std::log(static_cast<double>(length)) + 3 * part;  // together a twentieth of the peak to all of it
  std::vector<double> row(length, rounded(dtype, -depth * temperature));
  row[length / 2 + 5] = 0;
  return row;
}

// The smaller logit lies 2^-k above where sparsemax (gap 1) and 1.5-entmax (gap 2) cut, which leaves it a weight near
// 2^-k and 4^-k: in so short a row a class of budgets allows least to it.
constexpr double edge_gaps[] = {1, 2};
constexpr std::uint64_t deepest_edge = 52;

constexpr std::size_t unrepeated_length = 65536, longest_unrepeated_length = 1048576;

constexpr std::string_view regime = "regime:", wide = "wide:";

AccuracyCase regime_case(std::uint64_t number) {
  return {std::string(regime) + std::to_string(number), AccuracyCase::Source::regime, 0, 0, 0, number};
}
AccuracyCase wide_case(std::uint64_t number) {
  return {std::string(wide) + std::to_string(number), AccuracyCase::Source::wide, 0, 0, wide_length(number), number};
}

std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

}  // namespace

std::optional<Effort> effort_named(std::string_view name) {
  const auto found = std::ranges::find(efforts, name, &EffortLimits::name);
  if (found == std::end(efforts)) return std::nullopt;
  return static_cast<Effort>(found - std::begin(efforts));
}

std::vector<AccuracyCase> accuracy_cases(Effort effort) {
  const EffortLimits& limit = limits(effort);
  std::vector<AccuracyCase> cases;
  for (const double s : spreads)
    for (const double t : campaign_temperatures())
      for (const std::size_t length : ladder)
        if (length <= limit.longest && (length <= long_row || long_rows_at(s, t)))
          cases.push_back({"normal:s=" + short_text(s) + ":T=" + short_text(t) + ":L=" + std::to_string(length),
                           AccuracyCase::Source::normal, s, t, length, cases.size()});
  for (const double s : spreads)
    for (const double t : campaign_temperatures())
      for (const std::size_t length : {unrepeated_length, longest_unrepeated_length})
        if (length <= limit.longest_unrepeated)
          cases.push_back({"unrepeated:s=" + short_text(s) + ":T=" + short_text(t) + ":L=" + std::to_string(length),
                           AccuracyCase::Source::long_unrepeated, s, t, length, cases.size()});
  for (const double t : campaign_temperatures())
    for (const std::size_t length : vanishing_lengths)
      cases.push_back({"vanishing:T=" + short_text(t) + ":L=" + std::to_string(length), AccuracyCase::Source::vanishing,
                       0, t, length, cases.size()});
  for (const double t : campaign_temperatures())
    for (const std::size_t length : peak_lengths)
      if (length <= limit.longest && (length <= long_row || t == 0.7))
        cases.push_back({"peak:T=" + short_text(t) + ":L=" + std::to_string(length), AccuracyCase::Source::peak, 0, t,
                         length, cases.size()});
  for (std::size_t c = 0; c < choice_count; ++c)
    for (std::uint64_t n = 0; n < limit.degenerate_rows; ++n)
      cases.push_back({"degenerate:" + std::string(choices()[c].name) + ":" + std::to_string(n),
                       AccuracyCase::Source::degenerate, 0, 0, 0, n, static_cast<Situation>(c)});
  for (std::uint64_t n = 0; n < limit.regime_rows; ++n) cases.push_back(regime_case(n));
  for (std::uint64_t n = 0; n < limit.wide_passes * wide_rows_to(limit.longest_wide); ++n)
    cases.push_back(wide_case(n));
  for (const double gap : edge_gaps)
    for (std::uint64_t k = 1; k <= deepest_edge; ++k)
      cases.push_back(
          {"edge:gap=" + short_text(gap) + ":k=" + std::to_string(k), AccuracyCase::Source::edge, gap, 1, 2, k});
  return cases;
}

bool runs_at_every_length(const AccuracyCase& which) {
  return which.length <= unrepeated_length || long_rows_at(which.spread, which.temperature);
}

std::vector<AccuracyCase> accuracy_case(Effort effort, std::string_view name) {
  for (const auto& [prefix, made] : {std::pair(regime, &regime_case), std::pair(wide, &wide_case)}) {
    if (!name.starts_with(prefix)) continue;
    const auto number = number_in<std::uint64_t>(name.substr(prefix.size()));
    if (!number) return {};
    return {made(*number)};
  }
  std::vector<AccuracyCase> cases = accuracy_cases(effort);
  std::erase_if(cases, [&](const AccuracyCase& which) { return which.name != name; });
  return cases;
}

LogitRow case_row(const AccuracyCase& which, std::uint64_t seed, Effort effort, attncert_dtype dtype) {
  if (which.source == AccuracyCase::Source::degenerate)
    return degenerate_row(which.situation, seed, which.number, dtype);
  if (which.source == AccuracyCase::Source::wide) return wide_row(dealt_recipe(which.number, seed), dtype);
  if (which.source == AccuracyCase::Source::edge)
    return {
        {0, rounded(dtype, std::ldexp(1.0, -static_cast<int>(which.number)) - which.spread)}, which.temperature, {}};
  if (which.source != AccuracyCase::Source::regime) {
    const std::uint64_t key = mixed(mixed(seed) ^ which.length) ^ static_cast<std::uint64_t>(which.spread * 64) << 32 ^
                              static_cast<std::uint64_t>(which.temperature * 1024);
    if (which.source == AccuracyCase::Source::vanishing)
      return {vanishing_logits(dtype, key, which.length, which.temperature), which.temperature, {}};
    if (which.source == AccuracyCase::Source::peak)
      return {peak_logits(dtype, key, which.length, which.temperature), which.temperature, {}};
    const std::size_t pool = which.source == AccuracyCase::Source::normal ? limits(effort).pool : 0;
    return {normal_logits(dtype, key, which.length, which.spread, pool), which.temperature, {}};
  }
  const Tape tape = random_tape(seed, "accuracy", which.number, 96);
  Choices choices(tape);
  const LogitRecipe recipe = draw_logits(choices, longest_regime_row);
  const bool bad = which.number % bad_temperature_every == bad_temperature_every - 1;
  const double temperature = bad ? draw_invalid_temperature(choices) : draw_temperature(choices);
  return {expand(recipe, dtype), temperature, draw_mask(choices, recipe.length).keep};
}

// With as much room as a campaign takes for the rows that are at work: all of a quick one's.
std::shared_ptr<SharedRows::Entry> SharedRows::entry_of(const AccuracyCase& which, attncert_dtype dtype) {
  const std::lock_guard lock(mutex_);
  if (elements_ > elements_in_memory) {
    entries_.clear();
    elements_ = 0;
  }
  std::shared_ptr<Entry>& entry = entries_[{which.name, dtype}];
  if (entry) return entry;
  elements_ += std::max(which.length, longest_regime_row);
  return entry = std::make_shared<Entry>();
}

LogitRow SharedRows::row(const AccuracyCase& which, std::uint64_t seed, Effort effort, attncert_dtype dtype) {
  const std::shared_ptr<Entry> entry = entry_of(which, dtype);
  std::call_once(entry->drawn, [&] { entry->row = case_row(which, seed, effort, dtype); });
  return entry->row;
}

void add_parameters(LogitRow& row, const AccuracyCase& which, std::uint64_t seed, attncert_dtype dtype,
                    const Normalizer& normalizer) {
  if (which.source == AccuracyCase::Source::wide)
    return add_wide_parameters(row, which.number, seed, dtype, normalizer);
  // The names of streams decide what is drawn: other names would give every case other parameters.
  const std::string_view stream = which.source == AccuracyCase::Source::regime ? "parameters" : "bar-parameters";
  const Tape tape = random_tape(seed, stream, which.number, 64);
  Choices choices(tape);
  row.parameters = draw_parameters(choices, normalizer);
  row.upstream.clear();
  if (normalizer.derivative) row.upstream = draw_upstream(choices, dtype, row.logits.size());
}

}  // namespace attncert
