#include "properties/conformance/accuracy/contract.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace attncert {
namespace {

using enum Behaviour;

constexpr Behaviours set(std::initializer_list<Behaviour> behaviours) {
  Behaviours all = 0;
  for (const Behaviour one : behaviours) all |= bit(one);
  return all;
}

// In the order of Situation.
constexpr Choice list[] = {
    {"masked-row", "every entry masked", set({absent, nan_row, uniform})},
    {"-inf-row", "every kept entry -inf", set({absent, nan_row, uniform})},
    {"-inf", "-inf at a kept entry", set({formula, nan_row, nan_there})},
    {"nan", "NaN at a kept entry", set({nan_row, nan_there, dropped, absent})},
    {"masked-nan", "NaN or infinity at a masked entry", set({formula, nan_row, nan_there})},
    {"+inf", "+inf at a kept entry", set({limit, nan_row, nan_there, absent})},
    {"equal", "all that takes part is equal", set({formula, nan_row, absent, uniform})},
};
static_assert(std::size(list) == choice_count);

constexpr Contract catalogue[] = {
    {"default", "docs/contracts.md", {absent, absent, formula, nan_row, formula, limit, formula}},
    {"zeros-or-nan",
     "fused attention kernels that skip empty rows (Dao-AILab/flash-attention)",
     {absent, absent, formula, nan_row, formula, nan_row, formula}},
    {"nan-rows",
     "exp(x - max) / sum on an empty row (pytorch/pytorch#41508, #103749)",
     {nan_row, nan_row, formula, nan_row, formula, nan_row, formula}},
    {"finite-mask",
     "masks of a large finite number: an empty row is uniform (pytorch/pytorch#109517)",
     {uniform, uniform, formula, nan_row, formula, nan_row, formula}},
    {"nan-in-place",
     "vector maxima that drop NaN (oneDNN 2.6.3)",
     {nan_row, nan_row, formula, nan_there, formula, nan_row, formula}},
};

constexpr std::string_view behaviour_names[] = {"absent",  "nan-row", "nan-there", "uniform",       "limit",
                                                "dropped", "formula", "refused",   "something-else"};
static_assert(std::size(behaviour_names) == behaviour_count);

Error refusal(std::string_view declared, std::string_view word, std::string_view what, std::string known) {
  return Error{"contract \"" + std::string(declared) + "\": \"" + std::string(word) + "\" is no " + std::string(what) +
               "; write one of " + known + " (docs/contracts.md)"};
}

std::string joined(const auto& things) {
  std::string all;
  for (const auto& thing : things) all += (all.empty() ? "" : ", ") + std::string(thing.name);
  return all;
}

Result<Done> change(Contract& contract, std::string_view declared, std::string_view word, std::size_t equals) {
  const auto chosen = std::ranges::find(list, word.substr(0, equals), &Choice::name);
  if (chosen == std::end(list)) return refusal(declared, word.substr(0, equals), "choice", joined(list));
  const auto option = std::ranges::find(behaviour_names, word.substr(equals + 1));
  const auto behaviour = static_cast<Behaviour>(option - std::begin(behaviour_names));
  if (option == std::end(behaviour_names) || (chosen->options & bit(behaviour)) == 0)
    return refusal(declared, word.substr(equals + 1), "option of " + std::string(chosen->name),
                   names(chosen->options, ", "));
  contract.behaviours[static_cast<std::size_t>(chosen - std::begin(list))] = behaviour;
  return Done{};
}

}  // namespace

std::string_view name(Behaviour behaviour) { return behaviour_names[static_cast<std::size_t>(behaviour)]; }

std::string names(Behaviours behaviours, std::string_view between) {
  std::string all;
  for (std::size_t b = 0; b < behaviour_count; ++b)
    if ((behaviours >> b & 1) != 0) all += (all.empty() ? "" : std::string(between)) + std::string(behaviour_names[b]);
  return all;
}

std::span<const Choice> choices() { return list; }
std::span<const Contract> presets() { return catalogue; }

Result<Contract> contract_named(std::string_view declared) {
  Contract contract = catalogue[0];
  if (declared.ends_with(',')) return Error{"contract \"" + std::string(declared) + "\": drop the last comma"};
  for (std::string_view rest = declared; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const bool first = rest.size() == declared.size();
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (const std::size_t equals = word.find('='); equals != word.npos) {
      if (("," + std::string(rest)).find("," + std::string(word.substr(0, equals + 1))) != std::string::npos)
        return Error{"contract \"" + std::string(declared) + "\": says " + std::string(word.substr(0, equals)) +
                     " twice; leave one out"};
      if (const Result<Done> changed = change(contract, declared, word, equals); !changed) return changed.error();
      continue;
    }
    const auto preset = std::ranges::find(catalogue, word, &Contract::name);
    if (preset == std::end(catalogue) || !first) return refusal(declared, word, "contract", joined(catalogue));
    contract = *preset;
  }
  return contract;
}

std::string declaration(std::span<const Behaviours, choice_count> consistent) {
  const auto differs = [&](const Contract& preset, std::size_t c) {
    return (consistent[c] & bit(preset.behaviours[c])) == 0;
  };
  const auto differences = [&](const Contract& preset) {
    std::size_t count = 0;
    for (std::size_t c = 0; c < choice_count; ++c) count += differs(preset, c);
    return count;
  };
  std::size_t fewest = choice_count + 1;
  for (const Contract& preset : catalogue) fewest = std::min(fewest, differences(preset));
  std::string all;
  for (const Contract& preset : catalogue) {
    if (differences(preset) != fewest) continue;
    if (fewest > 0 && !all.empty()) break;  // one way to say it is enough
    all += (all.empty() ? "" : " or ") + std::string(preset.name);
    for (std::size_t c = 0; c < choice_count; ++c)
      if (differs(preset, c))
        all += "," + std::string(list[c].name) + "=" + (consistent[c] == 0 ? "varies" : names(consistent[c], "|"));
  }
  return all;
}

}  // namespace attncert
