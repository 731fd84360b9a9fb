// Everything outside printable ASCII is escaped: the message must stay one line on any terminal.
#include "src/files/quoted_name.hpp"

#include <fmt/format.h>

namespace attncert {

std::string quoted_name(std::string_view name) {
  constexpr std::size_t longest = 72;  // leaves room for the quotes and the dots in 80
  std::string text = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
    const std::string piece = plain ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
    if (text.size() + piece.size() > longest) return text + "...\"";
    text += piece;
  }
  return text + "\"";
}

}  // namespace attncert
