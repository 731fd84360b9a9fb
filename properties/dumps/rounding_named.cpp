#include "properties/dumps/rounding_named.hpp"

#include "reference/attention/named_classes.hpp"
#include "src/core/number_in.hpp"

namespace attncert {

std::optional<reference::RoundingClass> rounding_named(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  std::size_t number = dash == std::string::npos ? 1 : number_in<std::size_t>(name.substr(dash + 1)).value_or(1);
  if (number < 1 || number > 1 << 20) number = 1;
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
