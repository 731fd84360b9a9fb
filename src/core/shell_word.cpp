#include "src/core/shell_word.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace attncert {

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain_marks = "/._-+,:@%=";
  if (!text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
        return std::isalnum(c) != 0 || plain_marks.find(static_cast<char>(c)) != std::string_view::npos;
      }))
    return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace attncert
