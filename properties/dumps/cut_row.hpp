// One row of a dump as a file of its own: what a report of a fault needs.
#pragma once

#include <string>

#include "properties/dumps/attention_dump.hpp"

namespace attncert {

// The safetensors file: one batch, head and query, all keys, and a mask that says which of them the row keeps. Error:
// the row has a slope, and the file could not say how far its keys are.
Result<std::string> cut_row(const AttentionDump& dump, const Place& place);

}  // namespace attncert
