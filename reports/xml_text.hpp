// Text inside HTML and SVG: nothing of it can be read as markup.
#pragma once

#include <string>
#include <string_view>

namespace attncert::report {

// & < > " ' as entities; control characters, which XML forbids, as U+FFFD (line ends and tabs stay).
inline std::string xml_text(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') safe += "\xEF\xBF\xBD";
        else safe += c;
    }
  return safe;
}

}  // namespace attncert::report
