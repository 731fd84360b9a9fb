#include "tests/reports/markup.hpp"

#include <string_view>
#include <vector>

#include "tests/pattern.hpp"

namespace attncert {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto place = text.find(part); place != std::string::npos; place = text.find(part, place + 1)) ++count;
  return count;
}

// What stands in a script or a style is no markup (HTML, 13.1.2: raw text elements).
std::string fault_in_markup(std::string text) {
  for (const std::string name : {"script", "style"}) {
    const auto begin = text.find("<" + name + ">"), end = text.find("</" + name + ">");
    if (begin != std::string::npos && begin < end) text.erase(begin, end - begin + name.size() + 3);
  }
  static const Pattern tag(R"(\A<(/?)([a-z][a-z0-9]*)((?: [a-zA-Z][a-zA-Z0-9-]*="[^"<>]*")*)(/?)>)");
  static const Pattern entity(R"(\A&(amp|lt|gt|quot|#39);)");
  std::vector<std::string> open;
  const std::string doctype = "<!doctype html>";
  for (std::size_t i = text.starts_with(doctype) ? doctype.size() : 0; i < text.size(); ++i) {
    if (text[i] != '&' && text[i] != '<' && text[i] != '>') continue;
    const std::string_view rest = std::string_view(text).substr(i);
    const auto report = [&](const char* what) { return what + std::string(rest.substr(0, 60)); };
    if (text[i] == '&' && !entity.is_in(rest)) return report("a bare & before: ");
    if (text[i] == '>') return report("a bare > before: ");
    if (text[i] != '<') continue;
    const auto match = tag.first_in(rest);
    if (!match) return report("no tag: ");
    const std::string &whole = (*match)[0], &slash = (*match)[1], &name = (*match)[2], &end = (*match)[4];
    if (!slash.empty()) {
      if (open.empty() || open.back() != name) return "closes what is not open: " + whole;
      open.pop_back();
    } else if (end.empty()) {
      open.push_back(name);
    }
    i += whole.size() - 1;
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

}  // namespace attncert
