// Contracts for degenerate rows, as data. What a kernel does where the formula says nothing, or where careless code
// does not follow it, is a choice for each situation by itself. A contract is one option for every choice; presets are
// the combinations that public projects have. A kernel declares one in words, "nan-rows" or "default,+inf=nan-row"
// (docs/contracts.md); observed.hpp tells what its rows really show.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "src/core/result.hpp"

namespace attncert {

// What may be the case with a row, in the order of choices(). A row can be in several situations, or in none.
enum class Situation : std::uint8_t { masked_row, low_row, low, nan, masked_nan, infinity, equal, bad_temperature };
inline constexpr std::size_t choice_count = 7;  // the last is none: a bad temperature is refused

enum class Behaviour : std::uint8_t {
  absent,     // every entry has the absent value: 0, for log-softmax -inf
  nan_row,    // every entry is NaN
  nan_there,  // NaN at the entries that made the situation, a number elsewhere
  uniform,    // 1 / L everywhere, masked entries included
  limit,      // the limit as the +inf entries rise together (Normalizer::at_infinity)
  dropped,    // as if what is NaN were masked
  formula,    // what the mathematics says of the entries that take part: an ordinary row
  refused,    // an error code, and nothing written
  other       // none of these
};
inline constexpr std::size_t behaviour_count = 9;
std::string_view name(Behaviour behaviour);  // as a contract is declared with it: "nan-row"

using Behaviours = std::uint16_t;  // a set: bit b for Behaviour b
constexpr Behaviours bit(Behaviour behaviour) {
  return static_cast<Behaviours>(1u << static_cast<unsigned>(behaviour));
}
std::string names(Behaviours behaviours, std::string_view between);

struct Choice {
  std::string_view name, text;  // "nan", as a contract is declared with it; "NaN at a kept entry"
  Behaviours options;
};
std::span<const Choice> choices();

struct Contract {
  std::string_view name, source;                     // of a preset
  std::array<Behaviour, choice_count> behaviours{};  // in the order of choices()
};
std::span<const Contract> presets();

// "PRESET", "PRESET,CHOICE=OPTION,..." or "CHOICE=OPTION,...", which changes the default.
Result<Contract> contract_named(std::string_view declared);
// How a kernel would declare what these sets of behaviours, one for each choice, leave open: the presets that fit, or
// the one that differs least with the differences ("nan-rows,+inf=limit"); "varies" for an empty set.
std::string declaration(std::span<const Behaviours, choice_count> consistent);

}  // namespace attncert
