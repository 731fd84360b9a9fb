// What kernels print while their cases run, for the program that started the host, and to be seen where one crashes.
#pragma once

#include <string_view>

namespace attncert {

inline constexpr std::string_view printed_file = "printed.txt";  // in the folder of the cases

}  // namespace attncert
