// Names found in somebody's file, made fit for a one-line message: control bytes escaped, long names cut.
#pragma once

#include <string>
#include <string_view>

namespace attncert {

std::string quoted_name(std::string_view name);  // in double quotes, at most 80 characters

}  // namespace attncert
