// Rounding classes by their names: "f32", "pbf16-block-64", ...; the number behind a name is its own (keys a block,
// parts). Behind it may stand what more is true of the kernel: "+lazy=N" where the pivot lags behind the running
// maximum by up to N (natural units), "+descending" where blocks go from the last to the first, "+levels=N" where parts
// are merged so many times over, "+q=f16" or "+q=bf16" where q is rounded to that format before it meets k, "+kv=f16"
// or "+kv=bf16" where k and v that are a scale times what is stored are rounded to that one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/attention/named_classes.hpp"

namespace attncert {

std::optional<reference::RoundingClass> rounding_named(const std::string& name);
inline constexpr double sigmoid_tanh = 16 * reference::f32_unit;  // of 1: what "+sigmoid-tanh" allows tanh
// The others with nothing behind their names, with the same number; those that have one only where `name` has.
std::vector<reference::NamedClass> roundings_beside(const std::string& name);
std::string rounding_names();  // "f32, f32-three-pass, f32-block-N, ..."

}  // namespace attncert
