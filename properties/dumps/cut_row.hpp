// A part of a dump as a file of its own: what a report of a fault needs.
#pragma once

#include <string>

#include "properties/dumps/attention_dump.hpp"

namespace attncert {

// The safetensors file: one batch, head and query, all keys, and a mask that says which of them the row keeps. Error:
// the row has a slope, and the file could not say how far its keys are.
Result<std::string> cut_row(const AttentionDump& dump, const Place& place);

// Of a dump with gradients: one batch and KV head with all query heads that read it, which dk and dv are sums over.
std::string cut_group(const AttentionDump& dump, std::size_t batch, std::size_t kv_head);

}  // namespace attncert
