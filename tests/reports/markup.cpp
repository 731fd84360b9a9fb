#include "tests/reports/markup.hpp"

#include <regex>
#include <vector>

namespace attncert {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto place = text.find(part); place != std::string::npos; place = text.find(part, place + 1)) ++count;
  return count;
}

std::string fault_in_markup(const std::string& text) {
  static const std::regex tag(R"(^<(/?)([a-z][a-z0-9]*)((?: [a-zA-Z][a-zA-Z0-9-]*="[^"<>]*")*)(/?)>)");
  static const std::regex entity(R"(^&(amp|lt|gt|quot|#39);)");
  std::vector<std::string> open;
  const std::string doctype = "<!doctype html>";
  for (std::size_t i = text.starts_with(doctype) ? doctype.size() : 0; i < text.size(); ++i) {
    std::smatch match;
    if (text[i] != '&' && text[i] != '<' && text[i] != '>') continue;
    const std::string rest = text.substr(i, 20000);  // longer than any tag: a path has all its points in one
    if (text[i] == '&' && !std::regex_search(rest, entity)) return "a bare & before: " + rest.substr(0, 40);
    if (text[i] == '>') return "a bare > before: " + rest.substr(0, 40);
    if (text[i] != '<') continue;
    if (!std::regex_search(rest, match, tag)) return "no tag: " + rest.substr(0, 60);
    if (match[1].length() > 0) {
      if (open.empty() || open.back() != match[2].str()) return "closes what is not open: " + match[0].str();
      open.pop_back();
    } else if (match[4].length() == 0) {
      open.push_back(match[2].str());
    }
    i += static_cast<std::size_t>(match[0].length()) - 1;
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

}  // namespace attncert
