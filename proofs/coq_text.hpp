// Numbers of attncert as Coq text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/core/rational.hpp"

namespace attncert {

inline std::string coq_name(std::string_view id) {
  std::string name(id);
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

inline std::string coq_list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : "; ") + item;
  return text.empty() ? "[::]" : "[:: " + text + "]";
}

inline std::string coq_numbers(const std::vector<Rational>& values) {
  std::vector<std::string> items;
  for (const Rational& value : values) items.push_back(to_text(value));
  return coq_list(items);
}

}  // namespace attncert
