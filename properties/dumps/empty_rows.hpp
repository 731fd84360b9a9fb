// What a kernel writes for rows that keep no key and have no sink: a convention, as there is nothing to compute.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attncert {

struct DumpedRow;

enum class EmptyRow { zeros, zeros_lse_inf, nan, uniform, other };

std::string_view name_of(EmptyRow contents);                       // "zeros", as settings have it
std::string_view text_of(EmptyRow contents);                       // "o = 0, lse = -inf"
std::optional<EmptyRow> empty_row_named(const std::string& name);  // of a contract, so not other

// Whether a row without a key, with o of type `dtype`, holds that. uniform: the mean of all values, whatever the masks,
// to what that type and sums in f32 in any order can be off.
bool holds(EmptyRow contract, const DumpedRow& row, const std::string& dtype);
// The first that it holds; V = 0 is both zeros and uniform.
EmptyRow contents_of(const DumpedRow& row, const std::string& dtype);

}  // namespace attncert
