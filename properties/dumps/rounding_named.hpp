// Rounding classes by their names: "f32", "pbf16-block-64", ...; the number behind a name is its own (keys a block,
// parts). "+q=f16" or "+q=bf16" behind it: q is rounded to that format before it meets k;
// "+kv=f16" or "+kv=bf16": k and v that are a scale times what is stored are rounded to that one. q stands before kv.
#pragma once

#include <optional>
#include <string>

#include "reference/attention/rounding_class.hpp"

namespace attncert {

std::optional<reference::RoundingClass> rounding_named(const std::string& name);
std::string rounding_names();  // "f32, f32-three-pass, f32-block-N, ..."

}  // namespace attncert
