#include "properties/accuracy/cases.hpp"

#include <cstdio>
#include <iterator>

#include "properties/generators/counter.hpp"
#include "properties/generators/logits.hpp"
#include "properties/generators/masks.hpp"
#include "properties/generators/temperatures.hpp"

namespace attncert {
namespace {

// Ends of vectors and blocks, then odd lengths that leave a tail, up to the bars' 2^20.
constexpr std::size_t ladder[] = {1,   2,   3,   5,   7,    8,    9,    16,    17,    31,    33,     64,     65,
                                  127, 128, 257, 513, 1024, 1025, 2049, 4096,  4097,  16385, 65535, 262147, 1048576};
constexpr double spreads[] = {3, 20};
constexpr std::size_t longest_regime_row = 300;  // several blocks and a tail on every instruction set
constexpr std::uint64_t bad_temperature_every = 32;

std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

template <class T>
CaseRow<T> widened(std::vector<T> logits, double temperature, std::vector<std::uint8_t> mask) {
  CaseRow<T> result{std::move(logits), {{}, temperature, std::move(mask)}};
  result.row.logits.assign(result.logits.begin(), result.logits.end());
  return result;
}

}  // namespace

EffortLimits limits(Effort effort) {
  switch (effort) {
    case Effort::quick: return {1025, 0, 64, 100};
    case Effort::normal: return {1048576, 4096, 256, 1000};
    case Effort::full: return {1048576, 0, 65536, 20000};
  }
  return {};
}

std::vector<AccuracyCase> accuracy_cases(Effort effort) {
  const EffortLimits limit = limits(effort);
  std::vector<AccuracyCase> cases;
  for (const double s : spreads)
    for (const double t : bar_temperatures())
      for (const std::size_t length : ladder)
        if (length <= limit.longest)
          cases.push_back({"bar:s=" + short_text(s) + ":T=" + short_text(t) + ":L=" + std::to_string(length),
                           AccuracyCase::Source::bar, s, t, length, 0});
  for (std::uint64_t n = 0; n < limit.regime_rows; ++n)
    cases.push_back({"regime:" + std::to_string(n), AccuracyCase::Source::regime, 0, 0, 0, n});
  return cases;
}

template <class T>
CaseRow<T> case_row(const AccuracyCase& which, std::uint64_t seed, Effort effort) {
  if (which.source == AccuracyCase::Source::bar) {
    const std::uint64_t key = mixed(mixed(seed) ^ which.length) ^ static_cast<std::uint64_t>(which.spread * 64) << 32 ^
                              static_cast<std::uint64_t>(which.temperature * 1024);
    return widened(normal_logits<T>(key, which.length, which.spread, limits(effort).pool), which.temperature, {});
  }
  const Tape tape = random_tape(seed, "accuracy", which.number, 96);
  Choices choices(tape);
  const LogitRecipe recipe = draw_logits(choices, longest_regime_row);
  const bool bad = which.number % bad_temperature_every == bad_temperature_every - 1;
  const double temperature = bad ? draw_invalid_temperature(choices) : draw_temperature(choices);
  return widened(expand<T>(recipe), temperature, draw_mask(choices, recipe.length).keep);
}
template CaseRow<float> case_row<float>(const AccuracyCase&, std::uint64_t, Effort);
template CaseRow<double> case_row<double>(const AccuracyCase&, std::uint64_t, Effort);

}  // namespace attncert
