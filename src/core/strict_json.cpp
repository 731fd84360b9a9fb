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

// Builds the value, and refuses a key that an object has twice, of which the parser's own builder keeps the last. (Its
// callback, which could tell, takes time with the square of a list's length: nlohmann 3.11 looks, at the end of every
// item, for discarded ones among all before it.)
class Builder : public Json::json_sax_t {
 public:
  Builder(const Limits& limits, const Take& take, const Place& place) : limits_(limits), take_(take), in_file_(place) {}
  Json built() { return std::move(root_); }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string&) override { return put(value); }
  bool string(std::string& value) override { return put(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }  // no text has it
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_array() override { return close(); }
  bool end_object() override { return close(); }
  bool key(std::string& key) override {
    auto& object = open_.back()->get_ref<Json::object_t&>();
    const auto [member, fresh] = object.try_emplace(std::move(key));
    if (!fresh) throw Fault{"the key " + in_quotes(member->first) + " appears twice", "keep one"};
    key_ = &member->first;
    member_ = &member->second;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    const auto* unread = dynamic_cast<const Json::parse_error*>(&error);
    if (unread == nullptr) throw Fault{"has a number beyond every range", "write exact numbers as \"p/q\" strings"};
    throw Fault{"is not valid JSON, byte " + std::to_string(in_file_ ? in_file_(unread->byte) : unread->byte),
                "write the whole file again"};
  }

 private:
  template <class Value>
  bool put(Value&& value) {
    place() = std::forward<Value>(value);
    return true;
  }
  bool open(Json empty) {
    if (open_.size() == limits_.depth)
      throw Fault{"nests deeper than " + std::to_string(limits_.depth) + " levels", "write the form that docs/ gives"};
    if (open_.size() == 1 && open_[0]->is_object()) list_ = *key_, items_ = 0;
    Json& made = place();
    made = std::move(empty);
    open_.push_back(&made);
    return true;
  }
  bool close() {
    open_.pop_back();
    if (open_.size() != 2 || !take_ || !open_[0]->is_object() || !open_[1]->is_array()) return true;
    auto& list = open_[1]->get_ref<Json::array_t&>();
    if (take_(list_, items_++, list.back())) list.pop_back();
    return true;
  }
  // Where the next value goes. What is open does not move: nothing is put beside it before it is closed.
  Json& place() {
    if (++values_ > limits_.values)
      throw Fault{"has more than " + std::to_string(limits_.values) + " values", "shrink it"};
    if (open_.empty()) return root_;
    if (open_.back()->is_object()) return *member_;
    return open_.back()->get_ref<Json::array_t&>().emplace_back();
  }

  const Limits& limits_;
  const Take& take_;
  const Place& in_file_;
  Json root_;
  std::vector<Json*> open_;
  std::size_t values_ = 0;
  const std::string* key_ = nullptr;  // of the object that is open, the key that was read last,
  Json* member_ = nullptr;            // and its value
  std::string list_;                  // the member of the root that is open, or was last,
  std::size_t items_ = 0;             // and how many objects and lists it has had
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

Json parsed(std::string_view text, const Limits& limits, const Take& take, const Place& place) {
  if (text.size() > limits.bytes)
    throw Fault{"is longer than " + std::to_string(limits.bytes >> 20) + " MiB", "shrink it"};
  if (text.find('\0') != std::string_view::npos) throw Fault{"holds a byte 0, where some readers stop", "remove it"};
  Builder builder(limits, take, place);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.built();
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
