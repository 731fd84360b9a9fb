// A finding in words.
#pragma once

#include <string>

#include "properties/conformance/external/protocol.hpp"

namespace attncert::foreign {

// "4 bytes behind the end of output, first run"; `length` turns positions into rows and entries.
std::string text(const Finding& finding, std::size_t length);

}  // namespace attncert::foreign
