// All characters of the alphabet lie below U+0144, so UTF-8 needs one or two bytes for each.
#include "src/gpt2/files/byte_alphabet.hpp"

#include <array>

namespace attncert {
namespace {

bool stands_for_itself(unsigned byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr unsigned end_of_alphabet = 0x100 + 68;

struct Alphabet {
  std::array<unsigned, 256> character{};    // of a byte
  std::array<int, end_of_alphabet> byte{};  // of a character, -1 outside the alphabet
  Alphabet() {
    byte.fill(-1);
    unsigned next = 0x100;
    for (unsigned b = 0; b < 256; ++b) {
      character[b] = stands_for_itself(b) ? b : next++;
      byte[character[b]] = static_cast<int>(b);
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet the_alphabet;
  return the_alphabet;
}

}  // namespace

std::optional<std::string> bytes_of_token(std::string_view token) {
  std::string bytes;
  for (std::size_t i = 0; i < token.size(); ++i) {
    unsigned character = static_cast<unsigned char>(token[i]);
    if (character >= 0x80) {
      if (character < 0xC2 || character > 0xDF || ++i == token.size()) return std::nullopt;  // two-byte sequences only
      const unsigned low = static_cast<unsigned char>(token[i]);
      if (low < 0x80 || low > 0xBF) return std::nullopt;
      character = (character & 0x1F) << 6 | (low & 0x3F);
    }
    if (character >= end_of_alphabet || alphabet().byte[character] < 0) return std::nullopt;
    bytes += static_cast<char>(alphabet().byte[character]);
  }
  return bytes;
}

std::string token_of_byte(std::uint8_t byte) {
  const unsigned character = alphabet().character[byte];
  if (character < 0x80) return {static_cast<char>(character)};
  return {static_cast<char>(0xC0 | character >> 6), static_cast<char>(0x80 | (character & 0x3F))};
}

std::array<std::uint8_t, 256> alphabet_order() {
  std::array<std::uint8_t, 256> order{};
  std::size_t next = 0;
  for (const bool itself : {true, false})
    for (unsigned byte = 0; byte < 256; ++byte)
      if (stands_for_itself(byte) == itself) order[next++] = static_cast<std::uint8_t>(byte);
  return order;
}

}  // namespace attncert
