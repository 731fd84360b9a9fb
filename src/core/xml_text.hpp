// Text inside HTML and SVG: nothing of it can be read as markup.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "src/core/printable.hpp"

namespace attncert::report {

inline constexpr std::pair<char, std::string_view> xml_entities[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};

// & < > " ' as entities; of what remains what is printable, line by line (src/core/printable.hpp).
inline std::string xml_text(std::string_view text) {
  std::string safe;
  for (const char c : printable_lines(text)) {
    const auto* const entity = std::ranges::find(xml_entities, c, &std::pair<char, std::string_view>::first);
    if (entity != std::end(xml_entities)) safe += entity->second;
    else safe += c;
  }
  return safe;
}

}  // namespace attncert::report
