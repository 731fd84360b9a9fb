#include "properties/dumps/rounding_named.hpp"

#include "src/core/number_in.hpp"

namespace attncert {

namespace {

// That a name ends with: of keys in a block, or of parts.
std::optional<std::size_t> number_at_the_end(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  const auto number = dash == std::string::npos ? std::nullopt : number_in<std::size_t>(name.substr(dash + 1));
  return number && *number >= 1 && *number <= 1 << 20 ? number : std::nullopt;
}

}  // namespace

std::optional<reference::RoundingClass> rounding_named(const std::string& name) {
  const std::size_t number = number_at_the_end(name).value_or(1);
  for (const reference::NamedClass& known : reference::named_classes(number, number))
    if (known.name == name) return known.rounding;
  return std::nullopt;
}

std::vector<reference::NamedClass> roundings_beside(const std::string& name) {
  const auto number = number_at_the_end(name);
  std::vector<reference::NamedClass> others;
  for (const reference::NamedClass& known : reference::named_classes(number.value_or(1), number.value_or(1)))
    if (known.name != name && (number || !number_at_the_end(known.name))) others.push_back(known);
  return others;
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
