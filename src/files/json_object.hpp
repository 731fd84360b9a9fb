// A JSON object from somebody's file. A key given twice is an error: readers disagree on which one counts. So is text
// that nests deeper or holds more values than any of these files does, whatever its length: memory stays bounded.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "src/core/result.hpp"

namespace attncert {

Result<nlohmann::json> json_object(std::string_view text, const std::string& where, const std::string& mend);

}  // namespace attncert
