#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "properties/dumps/alternatives.hpp"
#include "properties/dumps/approximate.hpp"

namespace attncert {
namespace {

// --- layouts ---

// Where the other layout has what belongs to a head and a position: the buffer is the same, its axes of heads and
// lengths are exchanged.
Place exchanged(const AttentionDump& dump, const Place& place, std::size_t heads, std::size_t length) {
  if (dump.settings().heads_first) {
    const std::size_t flat = place.query * heads + place.head;
    return {place.batch, flat / length, flat % length};
  }
  const std::size_t flat = place.head * length + place.query;
  return {place.batch, flat % heads, flat / heads};
}

// All keys or values of the row's KV head, read by `numbers` at each key.
template <class Numbers>
void read_again(std::vector<double>& into, std::vector<double>& largest, std::size_t keys, Numbers numbers) {
  into.clear();
  for (std::size_t j = 0; j < keys; ++j) {
    double most = 0;
    for (const double number : numbers(j)) {
      into.push_back(number);
      most = std::max(most, std::isfinite(number) ? std::abs(number) : INFINITY);
    }
    largest[j] = most;
  }
}

// `tensors`: which of q, k, v and o.
Alternative in_other_layout(std::string said, std::string_view tensors) {
  return {said + " in the other layout, heads and lengths exchanged",
          [tensors](const AttentionDump& dump, const Place& place, EditedRow& edited) {
            const DumpShape& shape = dump.shape();
            const Place query = exchanged(dump, place, shape.heads, shape.queries);
            const bool moves = query.head != place.head || query.query != place.query;
            DumpedRow& dumped = edited.dumped;
            bool changed = false;
            for (const char tensor : tensors) {
              if (tensor == 'o') dumped.output = dump.numbers("o", query);
              if (tensor == 'q') dumped.row.query = dumped.query = dump.numbers("q", query);
              changed = changed || (moves && (tensor == 'o' || tensor == 'q'));
              if (tensor != 'k' && tensor != 'v') continue;
              KeysAndValues other = *dumped.shared;
              read_again(tensor == 'k' ? other.keys : other.values,
                         tensor == 'k' ? other.largest_key : other.largest_value, shape.keys, [&](std::size_t j) {
                           const Place key{place.batch, dump.kv_head(place.head), j};
                           return dump.numbers(std::string(1, tensor),
                                               exchanged(dump, key, shape.kv_heads, shape.keys));
                         });
              take_keys(edited, std::move(other));
              changed = changed || (shape.kv_heads > 1 && shape.keys > 1);
            }
            return changed;
          }};
}

// A head's keys or values, a matrix [length, size], as if they were [size, length].
Alternative transposed(std::string name, bool keys) {
  return {std::move(name), [keys](const AttentionDump& dump, const Place&, EditedRow& edited) {
            KeysAndValues other = *edited.dumped.shared;
            std::vector<double>& numbers = keys ? other.keys : other.values;
            const std::vector<double> stored = numbers;
            const std::size_t length = dump.shape().keys, size = numbers.size() / length;
            if (!dump.settings().heads_first || length == 1 || size == 1) return false;
            read_again(numbers, keys ? other.largest_key : other.largest_value, length, [&](std::size_t j) {
              std::vector<double> of_key;
              for (std::size_t e = 0; e < size; ++e) of_key.push_back(stored[e * length + j]);
              return of_key;
            });
            take_keys(edited, std::move(other));
            return true;
          }};
}

std::vector<Alternative> layouts() {
  return {in_other_layout("o is written", "o"),
          in_other_layout("q is read", "q"),
          in_other_layout("k is read", "k"),
          in_other_layout("v is read", "v"),
          in_other_layout("k and v are read", "kv"),
          in_other_layout("q, k and v are read", "qkv"),
          in_other_layout("q, k, v and o are", "qkvo"),
          transposed("k is read as its transpose", true),
          transposed("v is read as its transpose", false)};
}

// --- masks as numbers ---

// Keeps every key but padding, and those that a bias of -inf masks.
reference::AttentionRow unmasked(reference::AttentionRow row) {
  row.mask = {};
  row.causal = false;
  row.window = row.window_after = std::nullopt;
  return row;
}

// The scores of masked keys, padding apart, are `score(theirs)` and count.
Alternative finite_mask(std::string name, double (*score)(double of_key)) {
  return {std::move(name), [score](const AttentionDump&, const Place&, EditedRow& edited) {
            reference::AttentionRow& row = edited.dumped.row;
            const auto kept = kept_keys(row);
            if (row.slope || kept.size() == kept_keys(unmasked(row)).size()) return false;
            put_scores(edited, [&](std::size_t j, double product) {
              const double bias = row.bias.empty() || !std::isfinite(row.bias[j]) ? 0 : row.bias[j];
              const double of_key = capped(row, row.scale * product) + bias;
              return std::binary_search(kept.begin(), kept.end(), j) ? of_key : score(of_key);
            });
            row = unmasked(row);
            return true;
          }};
}

// Weights of masked keys are lost from the output and not from the sum: what a sink of their mass does.
Alternative mask_behind() {
  return {"the mask is applied behind the softmax: masked keys count in its sum",
          [](const AttentionDump&, const Place&, EditedRow& edited) {
            reference::AttentionRow& row = edited.dumped.row;
            const auto kept = kept_keys(row);
            reference::AttentionRow open = unmasked(row);
            const auto all = kept_keys(open);
            if (row.slope || row.sink || kept.size() == all.size()) return false;
            std::vector<std::uint8_t> hidden(row.key_count());
            for (const std::size_t j : all) hidden[j] = std::binary_search(kept.begin(), kept.end(), j) ? 0 : 1;
            open.mask = hidden;
            row.sink = approximate(open).lse;
            return true;
          }};
}

std::vector<Alternative> finite_masks() {
  return {mask_behind(),
          finite_mask("masked scores are 0, not -inf: they are multiplied by the mask", [](double) { return 0.0; }),
          finite_mask("the mask is added as 0 and 1: it takes 1 from masked scores", [](double s) { return s - 1; }),
          finite_mask("masked scores are finite: 100 is taken from them", [](double s) { return s - 100; }),
          finite_mask("masked scores are finite: 10,000 is taken from them", [](double s) { return s - 10000; }),
          finite_mask("masked scores are finite: -10,000", [](double) { return -10000.0; }),
          finite_mask("masked scores are finite: -65,504, the least f16", [](double) { return -65504.0; })};
}

// --- tiles ---

// In place of key j, its keys, its values or both are those of key from(j).
Alternative stale(std::string name, bool keys, bool values, std::function<std::size_t(std::size_t j)> from) {
  return {std::move(name), [=](const AttentionDump& dump, const Place&, EditedRow& edited) {
            const KeysAndValues& shared = *edited.dumped.shared;
            KeysAndValues other = shared;
            const auto move = [&](const std::vector<double>& of, std::vector<double>& to, std::size_t j) {
              const auto size = static_cast<std::ptrdiff_t>(of.size() / dump.shape().keys);
              const auto at = static_cast<std::ptrdiff_t>(from(j)) * size;
              std::copy(of.begin() + at, of.begin() + at + size, to.begin() + static_cast<std::ptrdiff_t>(j) * size);
            };
            for (std::size_t j = 0; j < dump.shape().keys; ++j) {
              if (from(j) == j) continue;
              if (keys) move(shared.keys, other.keys, j), move(shared.largest_key, other.largest_key, j);
              if (values) move(shared.values, other.values, j), move(shared.largest_value, other.largest_value, j);
            }
            const auto kept = kept_keys(edited.dumped.row);
            take_keys(edited, std::move(other));
            return std::any_of(kept.begin(), kept.end(), [&](std::size_t j) { return from(j) != j; });
          }};
}

// Tiles come through one buffer, or two in turn: one is read before its load has ended.
void add_stale(const std::string& which, std::size_t tile, std::size_t first, std::vector<Alternative>& result) {
  const auto from = [=](std::size_t back) {
    return [=](std::size_t j) { return first <= j && j < first + tile ? j - back * tile : j; };
  };
  result.push_back(stale(which + ", are stale: k and v of the tile before", true, true, from(1)));
  result.push_back(stale(which + ", are stale in k: the tile before", true, false, from(1)));
  result.push_back(stale(which + ", are stale in v: the tile before", false, true, from(1)));
  if (first < 2 * tile) return;
  result.push_back(stale(which + ", are stale: k and v of two tiles before", true, true, from(2)));
  result.push_back(stale(which + ", are stale in k: two tiles before", true, false, from(2)));
  result.push_back(stale(which + ", are stale in v: two tiles before", false, true, from(2)));
}

void add_all_stale(std::size_t tile, std::vector<Alternative>& result) {
  const std::string all = fmt::format("every tile of {} keys but the first is stale", tile);
  const auto before = [=](std::size_t j) { return j < tile ? j : j - tile; };
  result.push_back(stale(all + ": k and v of the tile before", true, true, before));
  result.push_back(stale(all + " in k: the tile before", true, false, before));
  result.push_back(stale(all + " in v: the tile before", false, true, before));
}

// The rest of the last tile counts, as keys and values of zeros: scores of 0 whose values are 0.
Alternative tail_of_zeros(std::size_t tile) {
  return {fmt::format("the last tile of {} keys ends in keys and values of zeros, which count", tile),
          [tile](const AttentionDump&, const Place&, EditedRow& edited) {
            reference::AttentionRow& row = edited.dumped.row;
            const std::size_t count = row.length.value_or(row.key_count()), rest = (tile - count % tile) % tile;
            if (rest == 0 || row.sink || row.slope || row.causal) return false;
            row.sink = std::log(static_cast<double>(rest));
            return true;
          }};
}

constexpr std::size_t tiles[] = {8, 16, 32, 64, 128, 256};

bool is_tried(std::size_t tile, std::size_t keys) {
  constexpr std::size_t most_tiles = 64;  // kernels with more have larger ones
  return tile < keys && keys / tile <= most_tiles;
}

void add_tiles(std::size_t tile, std::size_t keys, std::vector<Alternative>& result) {
  result.push_back(tail_of_zeros(tile));
  if (keys > 2 * tile) add_all_stale(tile, result);  // of two tiles, that is the second
  for (std::size_t first = 0; first < keys; first += tile) {
    const std::string which = fmt::format("keys {} to {}, a tile of {}", first, std::min(first + tile, keys) - 1, tile);
    if (first + tile <= keys)
      result.push_back({which + ", are missing", [=](const AttentionDump&, const Place&, EditedRow& edited) {
                          return leave_out(edited, [=](std::size_t j) { return first <= j && j < first + tile; });
                        }});
    if (first == 0) continue;
    add_stale(which, tile, first, result);
  }
}

// A kernel that splits the keys among `parts` loses one of them when it merges.
void add_parts(std::size_t parts, std::size_t keys, std::vector<Alternative>& result) {
  const std::size_t size = (keys + parts - 1) / parts;
  if (keys < 2 * parts || (std::ranges::count(tiles, size) != 0 && is_tried(size, keys))) return;  // a tile's name
  for (std::size_t part = 0; part * size < keys; ++part)
    result.push_back({fmt::format("part {} of {} of the keys is missing", part + 1, parts),
                      [=](const AttentionDump&, const Place&, EditedRow& edited) {
                        return leave_out(edited, [=](std::size_t j) { return j / size == part; });
                      }});
}

}  // namespace

std::vector<Alternative> storage_alternatives(const DumpShape& shape) {
  std::vector<Alternative> result = layouts();
  for (Alternative& alternative : finite_masks()) result.push_back(std::move(alternative));
  for (const std::size_t tile : tiles)
    if (is_tried(tile, shape.keys)) add_tiles(tile, shape.keys, result);
  for (const std::size_t parts : {3, 4, 8}) add_parts(parts, shape.keys, result);
  return result;
}

}  // namespace attncert
