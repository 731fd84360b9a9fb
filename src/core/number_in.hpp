// A number out of text, in the same form wherever somebody writes one: std::from_chars, which knows no locale.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace attncert {

// None where the text is not a number from its first to its last character.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace attncert
