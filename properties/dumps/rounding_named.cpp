#include "properties/dumps/rounding_named.hpp"

#include <charconv>

#include "reference/attention/named_classes.hpp"

namespace attncert {

std::optional<reference::RoundingClass> rounding_named(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  std::size_t number = 1;
  if (dash != std::string::npos) {
    const auto read = std::from_chars(name.data() + dash + 1, name.data() + name.size(), number);
    if (read.ec != std::errc() || number < 1 || number > 1 << 20) number = 1;
  }
  for (const reference::NamedClass& known : reference::named_classes(number, number))
    if (known.name == name) return known.rounding;
  return std::nullopt;
}

std::string rounding_names() {
  std::string names;
  for (const reference::NamedClass& known : reference::named_classes(1, 1)) {
    const std::string name = known.name;
    const bool counts = name.size() > 2 && name.ends_with("-1");
    names += (names.empty() ? "" : ", ") + (counts ? name.substr(0, name.size() - 1) + "N" : name);
  }
  return names;
}

}  // namespace attncert
