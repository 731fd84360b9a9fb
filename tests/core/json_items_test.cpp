// A text in parts says what the whole says: valid where all parts are, and every byte has its place.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/core/json_items.hpp"

namespace attncert::strict_json {
namespace {

using Json = nlohmann::json;

const std::string sample =
    R"({"a": [{"k": "]}\\", "l": [{"m": {}}]}, 7, {}, [{"n": 1}], {"o": "\"{"}], "b": {"c": [{"p": 2}]},)"
    R"( "d": "[{", "e": [], "f": [{"q": null}]})";

TEST(JsonItems, AreTheObjectsInListsOfTheRoot) {
  const ItemsApart apart = items_apart(sample);
  EXPECT_EQ(apart.items, (std::vector<std::string_view>{R"({"k": "]}\\", "l": [{"m": {}}]})", "{}", R"({"o": "\"{"})",
                                                        R"({"q": null})"}));
  EXPECT_EQ(apart.rest, R"({"a": [{}, 7, {}, [{"n": 1}], {}], "b": {"c": [{"p": 2}]}, "d": "[{", "e": [], "f": [{}]})");
  for (const char* whole : {"", "[{}]", "[[{}]]", "{\"a\": {\"b\": {}}}", "}}{[", "{\"a\": [{\"b\": 1", "\"{[{}"}) {
    EXPECT_TRUE(items_apart(whole).items.empty()) << whole;
    EXPECT_EQ(items_apart(whole).rest, whole);
  }
}

TEST(JsonItems, EveryByteOfTheRestHasItsPlace) {
  const ItemsApart apart = items_apart(sample);
  const std::string& seen = apart.rest;
  for (std::size_t byte = 0; byte < seen.size(); ++byte) {
    const bool cut =
        std::ranges::any_of(apart.ends, [=](std::size_t end) { return byte + 2 == end || byte + 1 == end; });
    const std::size_t place = apart.place_in(sample, byte);
    EXPECT_TRUE(cut || sample.at(place) == seen[byte]) << byte;
  }
  EXPECT_EQ(apart.place_in(sample, seen.size()), sample.size());
}

// Against nlohmann's reader of the whole, on every damage of one byte.
TEST(JsonItems, AreValidWhereTheWholeIs) {
  std::size_t valid = 0, damaged = 0;
  const auto compare = [&](const std::string& text) {
    const ItemsApart apart = items_apart(text);
    const bool parts = Json::accept(apart.rest) &&
                       std::ranges::all_of(apart.items, [](std::string_view item) { return Json::accept(item); });
    EXPECT_EQ(parts, Json::accept(text)) << text;
    (parts ? valid : damaged) += 1;
  };
  for (std::size_t at = 0; at < sample.size(); ++at) {
    compare(sample.substr(0, at));
    for (const char* other : {"", "{", "}", "[", "]", "\"", "\\", ",", "\n", "0"})
      compare(sample.substr(0, at) + other + sample.substr(at + 1));
  }
  EXPECT_GT(valid, 50u);
  EXPECT_GT(damaged, 500u);
}

}  // namespace
}  // namespace attncert::strict_json
