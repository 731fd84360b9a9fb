// Text inside LaTeX: nothing of it can be read as a command.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "src/core/printable.hpp"

namespace attncert::report {

// The ten characters that mean something to TeX, and four that its usual fonts do not have; bytes that are no ASCII,
// for which a font may lack a glyph, as the code point's number.
inline std::string tex_text(std::string_view shown) {
  const std::string text = printable_lines(shown);
  constexpr std::pair<char, std::string_view> special[] = {{'\\', "\\textbackslash{}"},
                                                           {'{', "\\{"},
                                                           {'}', "\\}"},
                                                           {'$', "\\$"},
                                                           {'&', "\\&"},
                                                           {'#', "\\#"},
                                                           {'%', "\\%"},
                                                           {'_', "\\_"},
                                                           {'^', "\\textasciicircum{}"},
                                                           {'~', "\\textasciitilde{}"},
                                                           {'<', "\\textless{}"},
                                                           {'>', "\\textgreater{}"},
                                                           {'|', "\\textbar{}"},
                                                           {'"', "\\textquotedbl{}"}};
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n') {
      safe += ' ';
      continue;
    }
    if (byte >= 0x80) {
      std::size_t more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC0 ? 1 : 0;
      unsigned long code = more == 3 ? byte & 0x07u : more == 2 ? byte & 0x0Fu : more == 1 ? byte & 0x1Fu : byte;
      for (; more > 0 && i + 1 < text.size(); --more)
        code = code << 6 | (static_cast<unsigned char>(text[++i]) & 0x3Fu);
      constexpr std::string_view digits = "0123456789ABCDEF";
      std::string number;
      for (; code > 0 || number.empty(); code >>= 4) number.insert(number.begin(), digits[code & 15]);
      safe += "[U+" + number + "]";
      continue;
    }
    std::string_view as;
    for (const auto& [c, command] : special)
      if (c == text[i]) as = command;
    if (as.empty()) safe += text[i];
    else safe += as;
  }
  return safe;
}

}  // namespace attncert::report
