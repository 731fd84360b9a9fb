// The looks of pictures and the colours of the page, light and dark, from one table.
#pragma once

#include <string>
#include <string_view>

namespace attncert::report {

std::string colours();                           // CSS: the custom properties of the page, for both schemes
extern const std::string_view plot_rules;        // CSS of pictures, by these properties
std::string standalone(const std::string& svg);  // a picture as a file of its own, with its style inside

}  // namespace attncert::report
