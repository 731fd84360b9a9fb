#include "src/core/strict_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace attncert::strict_json {
namespace {

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

std::string laid_out(const OrderedJson& value, const std::string& indent, bool flat) {
  if (!value.is_structured() || value.empty()) return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  const std::string inner = indent + "  ";
  std::string text(1, value.is_object() ? '{' : '[');
  bool first = true;
  for (auto item = value.begin(); item != value.end(); ++item) {
    const std::string key = value.is_object() ? OrderedJson(item.key()).dump() + ": " : "";
    std::string one = laid_out(*item, inner, true);
    if (!flat && one.size() + key.size() + inner.size() > 100) one = laid_out(*item, inner, false);
    text += (first ? "" : ",") + (flat ? std::string(first ? "" : " ") : "\n" + inner) + key + one;
    first = false;
  }
  return text + (flat ? "" : "\n" + indent) + (value.is_object() ? '}' : ']');
}

}  // namespace

std::string in_quotes(std::string_view text) {
  return Json(std::string(text.substr(0, 40))).dump(-1, ' ', true, Json::error_handler_t::replace);
}

Json parsed(std::string_view text, const Limits& limits) {
  if (text.size() > limits.bytes)
    throw Fault{"is longer than " + std::to_string(limits.bytes >> 20) + " MiB", "shrink it"};
  if (text.find('\0') != std::string_view::npos) throw Fault{"holds a byte 0, where some readers stop", "remove it"};
  const Extent size = extent(text);
  if (size.depth > limits.depth)
    throw Fault{"nests deeper than " + std::to_string(limits.depth) + " levels", "write the form that docs/ gives"};
  if (size.values > limits.values)
    throw Fault{"has more than " + std::to_string(limits.values) + " values", "shrink it"};
  std::vector<std::set<std::string>> keys;  // of the objects that are open; the parser keeps the last of two equal ones
  const auto watch = [&keys](int, Json::parse_event_t event, Json& item) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = item.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) throw Fault{"the key " + in_quotes(key) + " appears twice", "keep one"};
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::parse_error& error) {
    throw Fault{"is not valid JSON, byte " + std::to_string(error.byte), "write the whole file again"};
  } catch (const Json::exception&) {
    throw Fault{"has a number beyond every range", "write exact numbers as \"p/q\" strings"};
  }
}

void require_format(const Json& root, const char* format) {
  const std::string wanted = std::string("\"format\": \"") + format + "\"";
  if (!root.is_object() || !root.contains("format")) throw Fault{"no \"format\"", "write " + wanted};
  if (root["format"] != format)
    throw Fault{
        "format " + in_quotes(root["format"].is_string() ? root["format"].get<std::string>() : "?") + " is unknown",
        std::string("this program reads \"") + format + "\""};
}

void require_keys(const Json& object, const std::string& path, std::initializer_list<std::string_view> required,
                  std::initializer_list<std::string_view> optional) {
  if (!object.is_object()) throw Fault{path + " is not an object", "write { ... }"};
  for (const std::string_view key : required)
    if (!object.contains(key)) throw Fault{path + " lacks " + in_quotes(key), "add it"};
  const auto among = [](const auto& keys, const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  for (const auto& [key, value] : object.items())
    if (!among(required, key) && !among(optional, key))
      throw Fault{path + " has the unknown key " + in_quotes(key), "remove it"};
}

const Json& array(const Json& value, std::string_view path) {
  if (!value.is_array()) throw Fault{std::string(path) + " is not an array", "write [ ... ]"};
  return value;
}

std::string text_of(const Json& value, const std::string& path) {
  if (!value.is_string()) throw Fault{path + " is not a string", "write it in quotes"};
  return value.get<std::string>();
}

std::vector<std::string> texts(const Json& value, const std::string& path) {
  std::vector<std::string> items;
  for (const Json& item : array(value, path)) items.push_back(text_of(item, path));
  return items;
}

std::uint64_t whole(const Json& value, const std::string& path, std::uint64_t least, std::uint64_t most) {
  const auto range = std::to_string(least) + " to " + std::to_string(most);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most)
    throw Fault{path + " is not a whole number from " + range, "write one without quotes, point or exponent"};
  return value.get<std::uint64_t>();
}

Rational number(const Json& value, const std::string& path) {
  if (!value.is_string()) throw Fault{path + " is not an exact number", "write \"p\" or \"p/q\", in quotes"};
  const auto rational = rational_from_text(value.get_ref<const std::string&>());
  if (!rational)
    throw Fault{path + ": " + in_quotes(value.get_ref<const std::string&>()) + " is not an exact number",
                "write \"p\" or \"p/q\", q > 0, at most 100,000 characters"};
  return *rational;
}

std::vector<Rational> numbers(const Json& value, const std::string& path) {
  std::vector<Rational> items;
  for (const Json& item : array(value, path)) items.push_back(number(item, path));
  return items;
}

std::string layout(const OrderedJson& value) { return laid_out(value, "", false) + "\n"; }

}  // namespace attncert::strict_json
