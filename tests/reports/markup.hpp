// What tests of a page share: whether its markup is well formed, and what it contains.
#pragma once

#include <cstddef>
#include <string>

namespace attncert {

bool contains(const std::string& text, const std::string& part);
std::size_t occurrences(const std::string& text, const std::string& part);

// "" when every element is closed in order and every attribute is quoted, otherwise what is wrong.
std::string fault_in_markup(std::string text);

}  // namespace attncert
