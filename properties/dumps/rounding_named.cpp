#include "properties/dumps/rounding_named.hpp"

#include "reference/attention/named_classes.hpp"
#include "src/core/number_in.hpp"

namespace attncert {

namespace {

std::optional<reference::RoundingClass> plain_rounding(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  std::size_t number = dash == std::string::npos ? 1 : number_in<std::size_t>(name.substr(dash + 1)).value_or(1);
  if (number < 1 || number > 1 << 20) number = 1;
  for (const reference::NamedClass& known : reference::named_classes(number, number))
    if (known.name == name) return known.rounding;
  return std::nullopt;
}

}  // namespace

std::optional<reference::RoundingClass> rounding_named(const std::string& name) {
  const std::size_t plus = name.find('+');
  auto rounding = plain_rounding(name.substr(0, plus));
  if (!rounding || plus == std::string::npos) return rounding;
  const std::string more = name.substr(plus);
  // The unfused reference of half precision rounds q already, scaled.
  if (rounding->operands.relative != 0) return std::nullopt;
  if (more == "+q=f16") rounding->operands = reference::f16_rounding;
  else if (more == "+q=bf16") rounding->operands = reference::bf16_rounding;
  else return std::nullopt;
  return rounding;
}

std::string rounding_names() {
  std::string names;
  for (const reference::NamedClass& known : reference::named_classes(1, 1)) {
    const std::string name = known.name;
    const bool counts = name.size() > 2 && name.ends_with("-1");
    names += (names.empty() ? "" : ", ") + (counts ? name.substr(0, name.size() - 1) + "N" : name);
  }
  return names + "; where q is rounded too, with +q=f16 or +q=bf16 behind it";
}

}  // namespace attncert
