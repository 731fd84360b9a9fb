#include "properties/dumps/rounding_named.hpp"

#include <cmath>
#include <string_view>

#include "src/core/number_in.hpp"

namespace attncert {
namespace {

using reference::BlockOrder;
using reference::RoundingClass;

// That a class's name ends with: of keys in a block, or of parts.
std::optional<std::size_t> number_at_the_end(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  const auto number = dash == std::string::npos ? std::nullopt : number_in<std::size_t>(name.substr(dash + 1));
  return number && *number >= 1 && *number <= 1 << 20 ? number : std::nullopt;
}

std::optional<RoundingClass> class_alone(const std::string& name) {
  const std::size_t number = number_at_the_end(name).value_or(1);
  for (const reference::NamedClass& known : reference::named_classes(number, number))
    if (known.name == name) return known.rounding;
  return std::nullopt;
}

// What stands behind a class's name and a plus sign.
struct Addition {
  std::string_view text;  // before its number, if it has one
  // Whether the class may have it, with this number.
  bool (*add)(RoundingClass& rounding, std::optional<double> number);
};

// An exponential of f32 ends at e^88: half of that is farther than any pivot may lag to some use.
bool add_lazy(RoundingClass& rounding, std::optional<double> number) {
  const double most = rounding.weights == reference::f16_rounding ? 11 : 44;  // f16 ends below e^11.1
  if (!number || !(*number > 0 && *number <= most) || rounding.lazy != 0 || rounding.three_pass) return false;
  rounding.lazy = *number;
  return true;
}

bool add_descending(RoundingClass& rounding, std::optional<double> number) {
  if (number || rounding.order != BlockOrder::ascending) return false;
  rounding.order = BlockOrder::descending;
  return true;
}

// As f32-split-N has it, of other classes.
bool add_split(RoundingClass& rounding, std::optional<double> number) {
  constexpr double most = 1 << 20;
  if (!number || !(*number >= 2 && *number <= most) || *number != std::floor(*number)) return false;
  if (rounding.parts > 1 || rounding.three_pass) return false;
  rounding.parts = static_cast<std::size_t>(*number);
  return true;
}

// Of a split, outputs of parts that are stored so before they are merged.
template <reference::Rounding kFormat>
bool add_stored_parts(RoundingClass& rounding, std::optional<double> number) {
  if (number || rounding.parts == 1 || rounding.part_output != reference::Rounding{}) return false;
  rounding.part_output = kFormat;
  return true;
}

bool add_fma_rescale(RoundingClass& rounding, std::optional<double> number) {
  if (number || rounding.three_pass || rounding.fma_rescale) return false;
  return rounding.fma_rescale = true;
}

// 2^20 keys by pairs are 20.
bool add_levels(RoundingClass& rounding, std::optional<double> number) {
  for (std::size_t levels = 2; levels <= 20; ++levels)
    if (number == static_cast<double>(levels) && rounding.parts > 1 && rounding.levels == 1)
      return rounding.levels = levels, true;
  return false;
}

bool scales_in_f32(const RoundingClass& rounding) {
  return rounding.operands == reference::Rounding{reference::scaled_in_f32, reference::f32_underflow};
}

// q, where no narrow format takes it already as it is scaled: before that or afterwards.
template <reference::Rounding kFormat>
bool add_rounded_q(RoundingClass& rounding, std::optional<double> number) {
  if (number || !scales_in_f32(rounding)) return false;
  // So may be what it is multiplied by before.
  const double twice = (1 + kFormat.relative) * (1 + kFormat.relative);
  rounding.operands = {twice * (1 + reference::scaled_in_f32) - 1, kFormat.absolute};
  return true;
}

// Products of q and k are scaled, neither is before: by the scale, rounded, and log2 e, or the product of both.
bool add_scaled_after(RoundingClass& rounding, std::optional<double> number) {
  if (number || !scales_in_f32(rounding)) return false;
  rounding.operands.relative = 0;
  rounding.constants += 1;
  return true;
}

// tanh y = 2 sigmoid(2 y) - 1: the exponential is off by 4 u, its argument by 3 u |2 y|, of which 0.37 may be left, and
// a quarter of both is in the sigmoid; with its sum, its quotient and the difference less than 16 u of 1.
bool add_sigmoid_tanh(RoundingClass& rounding, std::optional<double> number) {
  if (number || rounding.tanh.absolute != 0) return false;
  rounding.tanh.absolute = sigmoid_tanh;
  return true;
}

template <reference::Rounding kFormat>
bool add_rounded_kv(RoundingClass& rounding, std::optional<double> number) {
  if (number || rounding.scaled == reference::f16_rounding || rounding.scaled == reference::bf16_rounding) return false;
  rounding.scaled = kFormat;
  return true;
}

bool add_stored_heads(RoundingClass& rounding, std::optional<double> number) {
  if (number || rounding.heads_stored) return false;
  return rounding.heads_stored = true;
}

constexpr Addition additions[] = {{"lazy=", add_lazy},
                                  {"descending", add_descending},
                                  {"fma-rescale", add_fma_rescale},
                                  {"split=", add_split},
                                  {"levels=", add_levels},
                                  {"parts=f16", add_stored_parts<reference::f16_rounding>},
                                  {"parts=bf16", add_stored_parts<reference::bf16_rounding>},
                                  {"scaled-after", add_scaled_after},
                                  {"sigmoid-tanh", add_sigmoid_tanh},
                                  {"heads-stored", add_stored_heads},
                                  {"q=f16", add_rounded_q<reference::f16_rounding>},
                                  {"q=bf16", add_rounded_q<reference::bf16_rounding>},
                                  {"kv=f16", add_rounded_kv<reference::f16_rounding>},
                                  {"kv=bf16", add_rounded_kv<reference::bf16_rounding>}};

bool add(RoundingClass& rounding, std::string_view text) {
  for (const Addition& addition : additions) {
    if (!text.starts_with(addition.text)) continue;
    const std::string_view rest = text.substr(addition.text.size());
    const std::optional<double> number = number_in<double>(rest);
    return (number || rest.empty()) && addition.add(rounding, number);
  }
  return false;
}

}  // namespace

std::optional<RoundingClass> rounding_named(const std::string& name) {
  std::size_t plus = name.find('+');
  std::optional<RoundingClass> rounding = class_alone(name.substr(0, plus));
  while (rounding && plus != std::string::npos) {
    const std::size_t next = name.find('+', plus + 1);
    if (!add(*rounding, std::string_view(name).substr(plus + 1, next == std::string::npos ? next : next - plus - 1)))
      return std::nullopt;
    plus = next;
  }
  return rounding;
}

std::vector<reference::NamedClass> roundings_beside(const std::string& name) {
  const auto number = number_at_the_end(name.substr(0, name.find('+')));
  std::vector<reference::NamedClass> others;
  for (const reference::NamedClass& known : reference::named_classes(number.value_or(1), number.value_or(1)))
    if (known.name != name && (number || !number_at_the_end(known.name))) others.push_back(known);
  return others;
}

std::string rounding_names() {
  std::string names;
  for (const reference::NamedClass& known : reference::named_classes(1, 1)) {
    const std::string name = known.name;
    const bool counts = name.size() > 2 && name.ends_with("-1");
    names += (names.empty() ? "" : ", ") + (counts ? name.substr(0, name.size() - 1) + "N" : name);
  }
  names += ";";
  for (const Addition& addition : additions)
    names += " +" + std::string(addition.text) + (addition.text.ends_with("=") ? "N" : "");
  return names + " may follow";
}

}  // namespace attncert
