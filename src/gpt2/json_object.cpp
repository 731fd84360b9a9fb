// nlohmann's parser keeps the last of two equal keys, so its callback looks for them on the outermost level.
#include "src/gpt2/json_object.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "src/gpt2/printable.hpp"

namespace attncert {

Result<nlohmann::json> json_object(std::string_view text, const std::string& where, const std::string& mend) {
  using nlohmann::json;
  std::set<std::string> seen;
  std::string twice;
  bool has_twice = false;
  const json::parser_callback_t outermost_keys = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::key && depth == 1 && !has_twice &&
        !seen.insert(value.get<std::string>()).second) {
      twice = value.get<std::string>();
      has_twice = true;
    }
    return true;
  };
  json object = json::parse(text.begin(), text.end(), outermost_keys, false);
  if (object.is_discarded()) return Error{fmt::format("{}: is not valid JSON; {}", where, mend)};
  if (!object.is_object()) return Error{fmt::format("{}: is not a JSON object; {}", where, mend)};
  if (has_twice) return Error{fmt::format("{}: the key {} appears twice; {}", where, printable(twice), mend)};
  return object;
}

}  // namespace attncert
