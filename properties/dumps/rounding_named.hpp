// Rounding classes by their names: "f32", "pbf16-block-64", ...; the number behind a name is its own (keys a block,
// parts).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/attention/named_classes.hpp"

namespace attncert {

std::optional<reference::RoundingClass> rounding_named(const std::string& name);
// The other ones, with the same number; those that have one only where `name` has.
std::vector<reference::NamedClass> roundings_beside(const std::string& name);
std::string rounding_names();  // "f32, f32-three-pass, f32-block-N, ..."

}  // namespace attncert
