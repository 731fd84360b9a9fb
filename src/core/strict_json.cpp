#include "src/core/strict_json.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

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

// Of two equal keys of an object the parser keeps the last, and its callback, which could tell, takes time with the
// square of a list's length (nlohmann 3.11: at the end of every item it looks for discarded ones among all before it).
class KeysOnce : public Json::json_sax_t {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(Json::binary_t&) override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool start_object(std::size_t) override {
    begins_.push_back(keys_.size());
    return true;
  }
  bool key(std::string& key) override {
    keys_.push_back(std::move(key));
    return true;
  }
  bool end_object() override {
    const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(begins_.back());
    std::sort(first, keys_.end());
    const auto twice = std::adjacent_find(first, keys_.end());
    if (twice != keys_.end()) throw Fault{"the key " + in_quotes(*twice) + " appears twice", "keep one"};
    keys_.erase(first, keys_.end());
    begins_.pop_back();
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  std::vector<std::string> keys_;    // of the objects that are open
  std::vector<std::size_t> begins_;  // of each, where its own begin
};

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
  KeysOnce keys;
  Json::sax_parse(text.begin(), text.end(), &keys);  // what is no JSON is said by the next
  try {
    return Json::parse(text.begin(), text.end());
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
