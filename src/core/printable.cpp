#include "src/core/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace attncert {
namespace {

// Bytes of the character that the text begins with; 0 where it is no UTF-8, or not to be shown.
std::size_t shown_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  std::uint32_t code = length == 1 ? first : first & (0x7fu >> length);
  for (const char next : text.substr(1, length - 1)) {
    if ((static_cast<unsigned char>(next) & 0xc0) != 0x80) return 0;
    code = code << 6 | (static_cast<unsigned char>(next) & 0x3f);
  }
  constexpr std::array<std::uint32_t, 4> least{0, 0x80, 0x800, 0x10000};  // below: longer than need be, no UTF-8
  constexpr std::pair<std::uint32_t, std::uint32_t> hidden[] = {
      {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},       {0x600, 0x605},        {0x61c, 0x61c},
      {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},      {0xd800, 0xdfff},
      {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}, {0x110000, UINT32_MAX}};
  if (code < least[length - 1]) return 0;
  for (const auto& [from, to] : hidden)
    if (from <= code && code <= to) return 0;
  return length;
}

}  // namespace

std::string printable(std::string_view text) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
  std::string clean(text.begin(), std::find_if_not(text.begin(), text.end(), plain));  // of most texts all
  for (std::size_t i = clean.size(); i < text.size();) {
    const std::size_t bytes = shown_bytes(text.substr(i));
    if (bytes == 0) clean += text[i] == '\t' ? ' ' : '?';
    clean += text.substr(i, bytes);
    i += bytes == 0 ? 1 : bytes;
  }
  return clean;
}

std::string printable_lines(std::string_view text) {
  std::string clean;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    clean += printable(text.substr(0, end)) + "\n";
    text.remove_prefix(end + 1);
  }
  return clean + printable(text);
}

}  // namespace attncert
