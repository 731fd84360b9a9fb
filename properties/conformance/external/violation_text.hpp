// A finding in words, for reports.
#pragma once

#include <string>

#include "properties/conformance/external/protocol.hpp"

namespace attncert::external {

// The finding of that number: "byte 4 behind the end of output; first run"; `length` of a row turns positions into rows
// and entries.
std::string text(const Message& message, std::uint32_t number, std::size_t length);

}  // namespace attncert::external
