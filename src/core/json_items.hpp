// A long JSON text in parts, so that several threads can read it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attncert::strict_json {

// The objects that are items of the root's lists, and the text without them. The text is valid JSON exactly where
// `rest` and all items are.
struct ItemsApart {
  std::string rest;                     // the text with "{}" in the place of each item
  std::vector<std::string_view> items;  // of the text, in its order
  std::vector<std::size_t> ends;        // where in `rest` the "{}" of each ends

  // Where in the text the byte of `rest` stands.
  std::size_t place_in(std::string_view text, std::size_t byte) const;
};
ItemsApart items_apart(std::string_view text);

}  // namespace attncert::strict_json
