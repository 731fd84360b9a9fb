#include "src/files/json_object.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "src/core/strict_json.hpp"

namespace attncert {
namespace {

constexpr strict_json::Limits limits{.depth = 32,  // The files read here nest 3 deep; room for a config's extra fields.
                                     .values = 1 << 21};  // Twice the largest vocabulary that Shape accepts.

}  // namespace

Result<nlohmann::json> json_object(std::string_view text, const std::string& where, const std::string& mend) {
  try {
    nlohmann::json object = strict_json::parsed(text, limits);
    if (object.is_object()) return object;
    return Error{fmt::format("{}: is not a JSON object; {}", where, mend)};
  } catch (const strict_json::Fault& fault) {
    return Error{fmt::format("{}: {}; {}", where, fault.what, mend)};
  }
}

}  // namespace attncert
