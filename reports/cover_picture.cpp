// The boxes on which the checker saw the inequalities of a proof, as a treemap: read from its own sentence
// (docs/certificate.md), "... (leaves: 3, room(x) 0 1, half(x, y) all; rows: 24, ...)".
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/plot/treemap.hpp"
#include "reports/sections.hpp"

namespace attncert::report {
namespace {

constexpr std::size_t most_maps = 64, most_cuts = 64;  // more than any checker writes (check/proof.cpp)

// What stands before `mark`, which is taken off with it; nothing, and no change, where there is none.
std::optional<std::string_view> taken(std::string_view& text, std::string_view mark) {
  const std::size_t end = text.find(mark);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view before = text.substr(0, end);
  text.remove_prefix(end + mark.size());
  return before;
}

struct Reach {
  double low = 0, size = 1;
  std::string text = "[0, 1]";
  void cut(bool upper) {
    size /= 2;
    low += upper ? size : 0;
    const double parts = 1 / size;  // a power of two: exact
    const auto end = [&](double at) {
      double above = at * parts, below = parts;
      while (below > 1 && above == 2 * static_cast<double>(static_cast<std::uint64_t>(above / 2)))
        above /= 2, below /= 2;
      return below == 1 ? fmt::format("{:.0f}", above) : fmt::format("{:.0f}/{:.0f}", above, below);
    };
    text = fmt::format("[{}, {}]", end(low), end(low + size));
  }
};

// The box that the cuts lead to: the first coordinate to the right, the second upwards, and so on in turn.
std::optional<Treemap::Tile> tile_of(std::string_view cuts, const std::vector<std::string_view>& names, int look) {
  std::vector<Reach> box(names.size());
  Reach right, up;
  for (std::size_t n = 0; cuts != "all" && n < cuts.size(); ++n) {
    if ((cuts[n] != '0' && cuts[n] != '1') || cuts.size() > most_cuts) return std::nullopt;
    const std::size_t k = n % names.size();
    box[k].cut(cuts[n] == '1');
    (k % 2 == 0 ? right : up).cut(cuts[n] == '1');
  }
  std::string label, title;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string side = fmt::format("{} in {}", names[k], box[k].text);
    title += (title.empty() ? "" : ", ") + side;
    if (box[k].size < 1) label += (label.empty() ? "" : ", ") + side;
  }
  return Treemap::Tile{right.low, up.low, right.size, up.size, look, label.empty() ? "the whole box" : label, title};
}

// "room(x) 0 1": nothing where it is not of that form.
std::optional<Treemap::Map> map_of(std::string_view name, std::string_view arguments, std::string_view boxes) {
  std::vector<std::string_view> names;
  for (std::string_view rest = arguments; !rest.empty();) {
    const auto one = taken(rest, ", ");
    names.push_back(one ? *one : std::exchange(rest, ""));
  }
  if (names.empty()) return std::nullopt;
  Treemap::Map map{fmt::format("{}({})", name, arguments), {}};
  while (!boxes.empty()) {
    const auto one = taken(boxes, " ");
    const auto tile = tile_of(one ? *one : std::exchange(boxes, ""), names, map.tiles.size() % 2 == 0 ? 0 : 3);
    if (!tile) return std::nullopt;
    map.tiles.push_back(*tile);
  }
  return map;
}

}  // namespace

std::optional<Picture> cover_picture(const LedgerClaim& claim) {
  const std::size_t place = claim.verified.rfind("(leaves: ");
  if (place == std::string::npos) return std::nullopt;
  std::string_view text = std::string_view(claim.verified).substr(place);
  if (const auto all = taken(text, ";")) text = *all;
  if (!taken(text, ", ")) return std::nullopt;  // no piece
  Treemap treemap{.title = claim.id + ": the boxes of its proof"};
  while (!text.empty() && treemap.maps.size() < most_maps) {
    const auto name = taken(text, "("), arguments = taken(text, ") "), boxes = taken(text, ", ");
    const auto map =
        name && arguments ? map_of(*name, *arguments, boxes ? *boxes : std::exchange(text, "")) : std::nullopt;
    if (!map) return std::nullopt;
    treemap.maps.push_back(*map);
  }
  if (treemap.maps.empty()) return std::nullopt;
  return Picture{svg(treemap),
                 "cover-" + claim.id,
                 {{"Each inequality of the proof, named as the checker names it, speaks of a box; the rectangles are "
                   "the parts of it on which the checker sees the sign. The first coordinate goes to the right, the "
                   "second upwards, more of them in turn; an area is a share of the box."}}};
}

}  // namespace attncert::report
