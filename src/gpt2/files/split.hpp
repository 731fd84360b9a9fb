// GPT-2's splitting of text into pieces that byte-pair merges never cross (Radford et al. 2019, encoder.py):
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// Bytes that are not UTF-8 form pieces of their own, so that the pieces put together are always the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace attncert {

std::vector<std::string_view> split(std::string_view text);

// Where the text stops being well-formed UTF-8 (Unicode 15, table 3-7), in bytes from its start; nothing when it never
// does.
std::optional<std::size_t> first_ill_formed(std::string_view text);

}  // namespace attncert
