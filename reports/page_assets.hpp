// reports/page.css and reports/page.js, which CMake puts into the program.
#pragma once

#include <string_view>

namespace attncert::report {
extern const std::string_view page_style, page_script;
}
