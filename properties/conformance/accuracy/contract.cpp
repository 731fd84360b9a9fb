#include "properties/conformance/accuracy/contract.hpp"

#include <algorithm>
#include <cmath>

#include "properties/conformance/accuracy/judge.hpp"

namespace attncert {
namespace {

using enum Behaviour;

// In the order of Situation: nothing present, NaN present, +inf present, bad temperature.
constexpr Contract catalogue[] = {
    {"default", "docs/contracts.md", {absent, nan_row, limit, refused}},
    {"zeros-or-nan",
     "fused attention kernels that skip empty rows (Dao-AILab/flash-attention)",
     {absent, nan_row, nan_row, refused}},
    {"nan-rows",
     "exp(x - max) / sum on an empty row (pytorch/pytorch#41508, #103749)",
     {nan_row, nan_row, nan_row, refused}},
    {"finite-mask",
     "masks of a large finite number: an empty row is uniform (pytorch/pytorch#109517)",
     {uniform, nan_row, nan_row, refused}},
    {"nan-in-place", "vector maxima that drop NaN (oneDNN 2.6.3)", {nan_row, nan_there, nan_row, refused}},
};

constexpr Behaviours bit(Behaviour behaviour) {
  return static_cast<Behaviours>(1u << static_cast<unsigned>(behaviour));
}

Situation situation_of(RowKind kind) {
  switch (kind) {
    case RowKind::bad_temperature:
      return Situation::bad_temperature;
    case RowKind::has_nan:
      return Situation::nan_present;
    case RowKind::has_infinity:
      return Situation::infinity;
    default:
      ATTNCERT_ASSERT(kind == RowKind::nothing_visible);
      return Situation::nothing_present;
  }
}

bool all(std::span<const double> values, auto predicate) {
  return std::all_of(values.begin(), values.end(), predicate);
}

bool is_limit(const Normalizer& normalizer, const LogitRow& row, const Format& format, std::span<const double> computed,
              const Budget& budget) {
  const auto limit = normalizer.at_infinity == nullptr ? std::nullopt : normalizer.at_infinity(row);
  if (!limit) return all(computed, [](double value) { return std::isnan(value); });
  const auto truth = normalizer.truth(*limit);
  const Judgement judgement = judge_row(normalizer, *limit, *truth, format, computed, budget);
  return judgement.outside + judgement.undecided == 0;
}

bool is_nan_there(const LogitRow& row, std::span<const double> computed) {
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const double logit = row.logits[i];
    const bool special = row.visible(i) && (std::isnan(logit) || logit == HUGE_VAL);
    if (std::isnan(computed[i]) != special) return false;
  }
  return true;
}

bool is_uniform(const Normalizer& normalizer, const Format& format, std::span<const double> computed,
                const Budget& budget) {
  const LogitRow ties{std::vector<double>(computed.size(), 0.0), 1.0, {}};
  if (normalizer.derivative) return false;
  const auto truth = normalizer.truth(ties);
  return judge_row(normalizer, ties, *truth, format, computed, budget).outside == 0;
}

}  // namespace

std::string_view name(Situation situation) {
  constexpr std::string_view names[] = {"nothing present", "NaN present", "+inf present", "bad temperature"};
  return names[static_cast<std::size_t>(situation)];
}

std::string_view name(Behaviour behaviour) {
  constexpr std::string_view names[] = {"absent", "NaN row", "NaN in place",  "uniform",
                                        "limit",  "refused", "something else"};
  return names[static_cast<std::size_t>(behaviour)];
}

std::span<const Contract> contracts() { return catalogue; }

const Contract* find_contract(std::string_view name) {
  for (const Contract& contract : catalogue)
    if (contract.name == name) return &contract;
  return nullptr;
}

Observed observe(const Normalizer& normalizer, const LogitRow& row, const Format& format, const GuardedOutcome& outcome,
                 const Budget& budget) {
  Observed observed{situation_of(kind(row)), 0};
  const std::span<const double> computed(outcome.output);
  if (outcome.status != ATTNCERT_OK) {
    const bool right = observed.situation == Situation::bad_temperature && outcome.status == ATTNCERT_BAD_TEMPERATURE;
    observed.behaviours = bit(right && outcome.unwritten == computed.size() ? refused : other);
    return observed;
  }
  if (outcome.unwritten != 0 || observed.situation == Situation::bad_temperature)
    return {observed.situation, bit(other)};
  const auto add = [&](Behaviour behaviour, bool seen) {
    observed.behaviours |= seen ? bit(behaviour) : Behaviours{0};
  };
  add(absent, all(computed, [&](double value) { return value == normalizer.absent; }));
  add(nan_row, all(computed, [](double value) { return std::isnan(value); }));
  if (observed.situation == Situation::nothing_present) add(uniform, is_uniform(normalizer, format, computed, budget));
  else add(nan_there, is_nan_there(row, computed));
  if (observed.situation == Situation::infinity) add(limit, is_limit(normalizer, row, format, computed, budget));
  if (observed.behaviours == 0) observed.behaviours = bit(other);
  return observed;
}

void ContractTally::add(const Observed& observed) {
  const auto index = static_cast<std::size_t>(observed.situation);
  consistent[index] = static_cast<Behaviours>(consistent[index] & observed.behaviours);
  ++rows[index];
}

std::string contract_violation(const Contract& contract, const Observed& observed) {
  const Behaviour promised = contract.behaviours[static_cast<std::size_t>(observed.situation)];
  if ((observed.behaviours & bit(promised)) != 0) return "";
  std::string seen;
  for (std::size_t b = 0; b < behaviour_count; ++b)
    if ((observed.behaviours >> b & 1) != 0)
      seen += (seen.empty() ? "" : " or ") + std::string(name(static_cast<Behaviour>(b)));
  return std::string(name(observed.situation)) + ": " + seen + ", not " + std::string(name(promised));
}

std::string contract_seen(const ContractTally& tally) {
  std::string names;
  for (const Contract& contract : catalogue) {
    bool fits = true;
    for (std::size_t s = 0; s < situation_count; ++s)
      fits = fits && (tally.rows[s] == 0 || (tally.consistent[s] & bit(contract.behaviours[s])) != 0);
    if (fits) names += (names.empty() ? "" : " or ") + std::string(contract.name);
  }
  if (!names.empty()) return names;
  std::string seen = "none of the catalogue (";
  for (std::size_t s = 0; s < situation_count; ++s) {
    if (tally.rows[s] == 0) continue;
    std::string behaviours;
    for (std::size_t b = 0; b < behaviour_count; ++b)
      if ((tally.consistent[s] >> b & 1) != 0) behaviours += " " + std::string(name(static_cast<Behaviour>(b)));
    seen += std::string(s == 0 ? "" : "; ") + std::string(name(static_cast<Situation>(s))) + ":" +
            (behaviours.empty() ? " varies" : behaviours);
  }
  return seen + ")";
}

}  // namespace attncert
