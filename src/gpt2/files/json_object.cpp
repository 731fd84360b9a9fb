// nlohmann's parser keeps the last of two equal keys, so its callback looks for them. It spends
// memory on every value and level, some 150 bytes each, so both are counted before it starts: 2 million are 300 MB.
#include "src/gpt2/files/json_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "src/gpt2/files/printable.hpp"

namespace attncert {
namespace {

constexpr std::size_t deepest = 32;           // the files read here nest 3 deep; room for a config's extra fields
constexpr std::size_t most_values = 1 << 21;  // twice the largest vocabulary that Shape accepts

// What the parser would build, counted without building it. Brackets and commas inside strings are text.
struct Extent {
  std::size_t depth = 0, values = 1;
};

Extent extent(std::string_view text) {
  Extent most;
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') ++i;  // the escaped character closes nothing
      continue;
    }
    if (c == '[' || c == '{') most.depth = std::max(most.depth, ++depth);
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (c == ',' || c == '[' || c == '{') ++most.values;
  }
  return most;
}

}  // namespace

Result<nlohmann::json> json_object(std::string_view text, const std::string& where, const std::string& mend) {
  using nlohmann::json;
  const Extent size = extent(text);
  if (size.depth > deepest) return Error{fmt::format("{}: nests deeper than {} levels; {}", where, deepest, mend)};
  if (size.values > most_values) return Error{fmt::format("{}: has more than {} values; {}", where, most_values, mend)};
  std::vector<std::set<std::string>> seen(deepest + 1);  // of the object open on each level
  std::optional<std::string> twice;
  const json::parser_callback_t look_at_keys = [&](int level, json::parse_event_t event, json& value) {
    const auto depth = static_cast<std::size_t>(level);  // of a key: one more than of its object
    if (event == json::parse_event_t::object_start) seen[depth + 1].clear();
    if (event == json::parse_event_t::key && !seen[depth].insert(value.get<std::string>()).second && !twice)
      twice = value.get<std::string>();
    return true;
  };
  json object = json::parse(text.begin(), text.end(), look_at_keys, false);
  if (object.is_discarded()) return Error{fmt::format("{}: is not valid JSON; {}", where, mend)};
  if (!object.is_object()) return Error{fmt::format("{}: is not a JSON object; {}", where, mend)};
  if (twice) return Error{fmt::format("{}: the key {} appears twice; {}", where, printable(*twice), mend)};
  return object;
}

}  // namespace attncert
