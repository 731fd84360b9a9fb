// GPT-2's byte alphabet (Radford et al. 2019, encoder.py: bytes_to_unicode): every byte is one printable character.
// The 188 bytes !..~, U+A1..U+AC, U+AE..U+FF stand for themselves; the other 68 are U+0100, U+0101, ... in their order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attncert {

// The bytes that a token of vocab.json or merges.txt (UTF-8) stands for; nothing when it is not in the alphabet.
std::optional<std::string> bytes_of_token(std::string_view token);

std::string token_of_byte(std::uint8_t byte);  // the byte's character in UTF-8

std::array<std::uint8_t, 256> alphabet_order();  // those that stand for themselves, then the others, each ascending

}  // namespace attncert
