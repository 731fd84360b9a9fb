#include "src/core/json_items.hpp"

#include <algorithm>
#include <cstdint>

namespace attncert::strict_json {
namespace {

// The quote that ends the string that begins at `from`: the first with an even number of backslashes before it.
std::size_t end_of_string(std::string_view text, std::size_t from) {
  for (std::size_t end = text.find('"', from + 1); end != std::string_view::npos; end = text.find('"', end + 1)) {
    std::size_t first = end;  // of the backslashes
    while (text[first - 1] == '\\') --first;
    if ((end - first) % 2 == 0) return end;
  }
  return text.size();
}

}  // namespace

ItemsApart items_apart(std::string_view text) {
  ItemsApart apart;
  std::string opened;  // the first two of the brackets that are open here, and how many more there are
  std::size_t deeper = 0, begin = 0, copied = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
    } else if (c == '{' || c == '[') {
      if (opened.size() < 2) {
        opened += c;
      } else if (deeper++ == 0) {
        begin = at;
      }
    } else if (c == '}' || c == ']') {
      if (deeper == 0) {
        if (!opened.empty()) opened.pop_back();
      } else if (--deeper == 0 && opened == "{[" && text[begin] == '{') {
        apart.items.push_back(text.substr(begin, at + 1 - begin));
        apart.rest += text.substr(copied, begin - copied);
        apart.rest += "{}";
        apart.ends.push_back(apart.rest.size());
        copied = at + 1;
      }
    }
  }
  apart.rest += text.substr(copied);
  return apart;
}

std::size_t ItemsApart::place_in(std::string_view text, std::size_t byte) const {
  const auto after = std::upper_bound(ends.begin(), ends.end(), byte);
  if (after == ends.begin()) return byte;
  const auto last = static_cast<std::size_t>(after - ends.begin()) - 1;
  const std::string_view item = items[last];
  return static_cast<std::size_t>(item.data() + item.size() - text.data()) + byte - ends[last];
}

}  // namespace attncert::strict_json
