// A finding in words, for reports.
#pragma once

#include <string>

#include "properties/conformance/external/protocol.hpp"

namespace attncert::external {

// "byte 4 behind the end of output; first run"; `length` of a row turns positions into rows and entries.
std::string text(const Finding& finding, std::size_t length);

}  // namespace attncert::external
