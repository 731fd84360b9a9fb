// Exact instances and witnesses as JSON values, for files that hold them (witness.cpp, certificate.cpp). Included by
// .cpp files only. What reads throws strict_json::Fault.
#pragma once

#include "src/core/strict_json.hpp"
#include "src/core/witness.hpp"

namespace attncert {

ExactInstance instance_from(const strict_json::Json& object, const std::string& path);
Witness witness_from(const strict_json::Json& root);
strict_json::OrderedJson json_of(const ExactInstance& instance);

}  // namespace attncert
