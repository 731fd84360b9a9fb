// Text inside HTML and SVG: nothing of it can be read as markup.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace attncert::report {

inline constexpr std::pair<char, std::string_view> xml_entities[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};

// & < > " ' as entities; control characters, which XML forbids, as U+FFFD (line ends and tabs stay).
inline std::string xml_text(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    const auto* const entity = std::ranges::find(xml_entities, c, &std::pair<char, std::string_view>::first);
    if (entity != std::end(xml_entities)) safe += entity->second;
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') safe += "\xEF\xBF\xBD";
    else safe += c;
  }
  return safe;
}

}  // namespace attncert::report
