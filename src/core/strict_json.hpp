// Reading JSON that may be hostile, and writing JSON that people read: what the readers of exact files share. Included
// by .cpp files only. Every function that reads throws Fault, which its caller turns into an Error.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/rational.hpp"
#include "src/core/result.hpp"

namespace attncert::strict_json {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

struct Fault {
  std::string what, mend;
};

// A text out of the file, fit for one line of a message.
std::string in_quotes(std::string_view text);

struct Limits {
  std::size_t depth;
  std::size_t values = std::numeric_limits<std::size_t>::max();
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
};

// Limits of witnesses and certificates: { families [ { tokens [ { rows { a { above [, and a captured row of 1024 tokens
// of width 768, at most 40 characters a number, the largest that anyone writes.
inline constexpr Limits exact_file{.depth = 9, .bytes = std::size_t{32} << 20};

// Given an item of a list in the root object ("kernels", 3, {...}) as soon as it is read; true: it is not kept. Of
// items that are objects or lists.
using Take = std::function<bool(const std::string& list, std::size_t index, const Json& item)>;

// Where in its file the text's byte stands, for messages.
using Place = std::function<std::size_t(std::size_t byte)>;

// Refuses repeated keys, on which readers disagree, and what is beyond the limits: some 150 bytes are spent on every
// value and level, so both are counted as they come.
Json parsed(std::string_view text, const Limits& limits, const Take& take = {}, const Place& place = {});
void require_format(const Json& root, const char* format);
void require_keys(const Json& object, const std::string& path, std::initializer_list<std::string_view> required,
                  std::initializer_list<std::string_view> optional = {});
const Json& array(const Json& value, std::string_view path);
std::string text_of(const Json& value, const std::string& path);
std::vector<std::string> texts(const Json& value, const std::string& path);
std::uint64_t whole(const Json& value, const std::string& path, std::uint64_t least, std::uint64_t most);
Rational number(const Json& value, const std::string& path);  // "p" or "p/q"
std::vector<Rational> numbers(const Json& value, const std::string& path);

// Two spaces a level, and whatever fits in 100 columns stays on one line, so that a vector reads as one. Ends with a
// newline.
std::string layout(const OrderedJson& value);

}  // namespace attncert::strict_json
