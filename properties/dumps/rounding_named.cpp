#include "properties/dumps/rounding_named.hpp"

#include <fmt/format.h>

#include <string_view>

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
  std::string_view rest = std::string_view(name).substr(plus);
  const auto take = [&](std::string_view what, reference::Rounding& into) {
    for (const auto& [format, unit] : {std::pair{"f16", reference::f16_rounding}, {"bf16", reference::bf16_rounding}})
      if (const std::string text = fmt::format("+{}={}", what, format); rest.starts_with(text)) {
        into = unit;
        rest.remove_prefix(text.size());
        return;
      }
  };
  if (rounding->operands.relative == 0) take("q", rounding->operands);  // else q is rounded already, scaled
  take("kv", rounding->scaled);
  return rest.empty() ? rounding : std::nullopt;
}

std::string rounding_names() {
  std::string names;
  for (const reference::NamedClass& known : reference::named_classes(1, 1)) {
    const std::string name = known.name;
    const bool counts = name.size() > 2 && name.ends_with("-1");
    names += (names.empty() ? "" : ", ") + (counts ? name.substr(0, name.size() - 1) + "N" : name);
  }
  return names + "; where q is rounded too, with +q=f16 or +q=bf16 behind it; where a scale times k or v is, with " +
         "+kv=f16 or +kv=bf16";
}

}  // namespace attncert
