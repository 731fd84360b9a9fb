#include "check/reader.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace attncert::check {
namespace {

// { families [ { tokens [ { rows { a { above [, and a captured row of 1,024 tokens of width 768.
constexpr int deepest = 9;
constexpr long most_values = 2'000'000;
constexpr std::size_t most_bytes = std::size_t{32} << 20, most_digits = 100'000;

bool digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

// Without repeated keys, on which readers disagree, and without what ends a document for some readers: a byte 0, or a
// second document. Values are counted before they are built.
Json parsed(const std::string& text) {
  const auto begins_value = [](char c) { return c == ',' || c == '[' || c == '{'; };
  expect(!text.empty(), "the file cannot be read, or is empty");
  expect(text.size() <= most_bytes, "the file is longer than 32 MiB");
  expect(text.find('\0') == std::string::npos, "a byte is 0");
  expect(!text.starts_with("\xEF\xBB\xBF"), "a byte order mark stands before the document");
  expect(std::count_if(text.begin(), text.end(), begins_value) <= most_values, "more than 2,000,000 values");
  std::vector<std::set<std::string>> keys;
  const auto watch = [&keys](int depth, Json::parse_event_t event, Json& item) {
    expect(depth <= deepest, "nested deeper than 9 levels");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key)
      expect(keys.back().insert(item.get<std::string>()).second, "a key appears twice");
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception&) {
    throw Malformed{"it is not JSON"};
  }
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (char block[1 << 16]; text.size() <= most_bytes && (file.read(block, sizeof block) || file.gcount() > 0);)
    text.append(block, static_cast<std::size_t>(file.gcount()));
  return file.bad() ? "" : text;
}

bool is_object(const Json& json) { return json.is_object(); }

std::vector<const Json*> items(const Json& array) {
  expect(array.is_array(), "an array is missing its brackets");
  std::vector<const Json*> all;
  for (const Json& item : array) all.push_back(&item);
  return all;
}

template <class Read>
auto read_all(const Json& array, Read read) {
  std::vector<decltype(read(array))> all;
  for (const Json* item : items(array)) all.push_back(read(*item));
  return all;
}

std::string text(const Json& json) {
  expect(json.is_string(), "a text is missing its quotation marks");
  return json.get<std::string>();
}

std::size_t whole(const Json& json, std::uint64_t least, std::uint64_t most) {
  const bool is_whole = json.is_number_unsigned() && json.get<std::uint64_t>() >= least;
  expect(is_whole && json.get<std::uint64_t>() <= most,
         "a whole number is not from " + std::to_string(least) + " to " + std::to_string(most));
  return json.get<std::uint64_t>();
}

Rational number(const Json& json) {
  const std::string given = text(json);
  const std::size_t slash = std::min(given.find('/'), given.size()), sign = given.starts_with('-') ? 1 : 0;
  const std::string below = slash < given.size() ? given.substr(slash + 1) : "1";
  expect(given.size() <= most_digits && slash >= sign && digits(given.substr(sign, slash - sign)) && digits(below) &&
             below.find_first_not_of('0') != std::string::npos,
         "an exact number is not \"p\" or \"p/q\" of at most 100,000 characters");
  Rational value(given, 10);  // of itself it would read 010 as 8
  value.canonicalize();
  return value;
}

Rationals numbers(const Json& array) { return read_all(array, number); }
std::vector<std::string> texts(const Json& array) { return read_all(array, text); }

Members::Members(const Json& object, std::string what) : object_(object), what_(std::move(what)) {
  expect(object.is_object(), what_ + " is not an object");
}
const Json* Members::find(const std::string& key) {
  const auto found = object_.find(key);
  asked_ += found == object_.end() ? 0 : 1;
  return found == object_.end() ? nullptr : &*found;
}
const Json& Members::at(const std::string& key) {
  const Json* const found = find(key);
  expect(found != nullptr, what_ + " lacks \"" + key + "\"");
  return *found;
}
std::vector<std::string> Members::keys() const {
  std::vector<std::string> all;
  for (const auto& member : object_.items()) all.push_back(member.key());
  return all;
}
void Members::done() const { expect(asked_ == object_.size(), what_ + " has an unknown key"); }

}  // namespace attncert::check
