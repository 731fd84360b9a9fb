#include "properties/dumps/alternatives.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "properties/dumps/approximate.hpp"

namespace attncert {
namespace {

using reference::AttentionRow;

// --- scale ---

Alternative scaled(std::string name, double (*scale)(const AttentionDump& dump)) {
  return {"the scale is " + std::move(name), [scale](const AttentionDump& dump, const Place&, EditedRow& edited) {
            AttentionRow& row = edited.dumped.row;
            const double other = scale(dump);
            if (other == row.scale || !std::isfinite(other)) return false;
            row.scale = other;
            return true;
          }};
}

double size_of(const AttentionDump& dump) { return static_cast<double>(dump.shape().size); }

std::vector<Alternative> scales() {
  return {scaled("1", [](const AttentionDump&) { return 1.0; }),
          scaled("1 / head size", [](const AttentionDump& dump) { return 1 / size_of(dump); }),
          scaled("1 / sqrt(head size)", [](const AttentionDump& dump) { return 1 / std::sqrt(size_of(dump)); }),
          scaled("applied twice", [](const AttentionDump& dump) { return dump.scale() * dump.scale(); }),
          scaled("divided by, not multiplied by", [](const AttentionDump& dump) { return 1 / dump.scale(); }),
          scaled("1 / sqrt(heads times head size)",
                 [](const AttentionDump& dump) {
                   return 1 / std::sqrt(size_of(dump) * static_cast<double>(dump.shape().heads));
                 }),
          scaled("times log2(e), as if e were 2^",
                 [](const AttentionDump& dump) { return dump.scale() * std::numbers::log2e; }),
          scaled("times ln 2: 2^ stands for e^ without log2(e)",
                 [](const AttentionDump& dump) { return dump.scale() * std::numbers::ln2; })};
}

// --- masks ---

bool other_mask(AttentionRow& row, const std::function<void(AttentionRow&)>& change) {
  const auto before = kept_keys(row);
  change(row);
  return kept_keys(row) != before;
}

Alternative masked(std::string name, std::function<void(const AttentionDump&, AttentionRow&)> change) {
  return {std::move(name), [change](const AttentionDump& dump, const Place&, EditedRow& edited) {
            return other_mask(edited.dumped.row, [&](AttentionRow& row) { change(dump, row); });
          }};
}

std::int64_t bottom_right(const AttentionDump& dump) {
  return static_cast<std::int64_t>(dump.shape().keys) - static_cast<std::int64_t>(dump.shape().queries);
}

// Of windows and slopes without a causal mask.
Alternative cornered(std::string name, std::int64_t (*offset)(const AttentionDump& dump)) {
  return {std::move(name), [offset](const AttentionDump& dump, const Place&, EditedRow& edited) {
            AttentionRow& row = edited.dumped.row;
            const std::int64_t other = offset(dump);
            if (row.causal || row.offset == other) return false;
            return other_mask(row, [&](AttentionRow& changed) { changed.offset = other; }) || row.slope;
          }};
}

Alternative shifted(std::string name, std::int64_t by) {
  return masked(std::move(name), [by](const AttentionDump&, AttentionRow& row) {
    if (row.slope) return;  // the offset is ALiBi's too
    if (row.causal || row.window || row.window_after) row.offset += by;
  });
}

std::vector<Alternative> causal_masks() {
  return {masked("there is no causal mask", [](const AttentionDump&, AttentionRow& row) { row.causal = false; }),
          masked("there is a causal mask, from the top left",
                 [](const AttentionDump&, AttentionRow& row) {
                   if (row.causal) return;
                   row.causal = true;
                   row.offset = 0;
                 }),
          masked("there is a causal mask, to the bottom right",
                 [](const AttentionDump& dump, AttentionRow& row) {
                   if (row.causal) return;
                   row.causal = true;
                   row.offset = bottom_right(dump);
                 }),
          masked("the causal diagonal begins at the top left",
                 [](const AttentionDump&, AttentionRow& row) { row.offset = row.causal ? 0 : row.offset; }),
          masked("the causal diagonal ends at the bottom right",
                 [](const AttentionDump& dump, AttentionRow& row) {
                   row.offset = row.causal ? bottom_right(dump) : row.offset;
                 }),
          cornered("the diagonal of windows and slopes begins at the top left",
                   [](const AttentionDump&) { return std::int64_t{0}; }),
          cornered("the diagonal of windows and slopes ends at the bottom right", bottom_right),
          shifted("the diagonal lies one key to the left: a query does not see itself", -1),
          shifted("the diagonal lies one key to the right", 1)};
}

std::vector<Alternative> windows_and_masks() {
  return {masked("there is no window",
                 [](const AttentionDump&, AttentionRow& row) { row.window = row.window_after = std::nullopt; }),
          masked("the window has no second side",
                 [](const AttentionDump&, AttentionRow& row) { row.window_after = std::nullopt; }),
          masked("the window is one key longer",
                 [](const AttentionDump&, AttentionRow& row) {
                   if (row.window) ++*row.window;
                 }),
          masked("the window is one key shorter",
                 [](const AttentionDump&, AttentionRow& row) {
                   if (row.window) --*row.window;
                 }),
          masked("lengths are not read", [](const AttentionDump&, AttentionRow& row) { row.length = std::nullopt; }),
          masked("the mask is not read", [](const AttentionDump&, AttentionRow& row) { row.mask = {}; }),
          {"the mask is inverted", [](const AttentionDump&, const Place&, EditedRow& edited) {
             if (edited.dumped.mask.empty()) return false;
             for (std::uint8_t& kept : edited.dumped.mask) kept = kept == 0;
             return true;
           }}};
}

// Keys in reach of the mask that a loop leaves out.
Alternative without_keys(std::string name, std::function<bool(std::size_t j, std::size_t count)> left_out) {
  return {std::move(name), [left_out](const AttentionDump&, const Place&, EditedRow& edited) {
            const std::size_t count = edited.dumped.row.length.value_or(edited.dumped.row.key_count());
            return leave_out(edited, [&](std::size_t j) { return left_out(j, count); });
          }};
}

std::vector<Alternative> lost_keys() {
  std::vector<Alternative> result{
      without_keys("the last key is missing", [](std::size_t j, std::size_t count) { return j + 1 == count; }),
      without_keys("the first key is missing", [](std::size_t j, std::size_t) { return j == 0; })};
  for (const std::size_t tile : {8, 16, 32, 64, 128, 256}) {
    result.push_back(without_keys(
        fmt::format("the last tile of {} keys is missing where it is not whole", tile),
        [tile](std::size_t j, std::size_t count) { return count % tile != 0 && j >= count / tile * tile; }));
    result.push_back(without_keys(fmt::format("only the first {} keys are read", tile),
                                  [tile](std::size_t j, std::size_t) { return j >= tile; }));
  }
  result.push_back(without_keys("only the first half of the keys is read: a part is missing",
                                [](std::size_t j, std::size_t count) { return j >= count / 2; }));
  result.push_back(without_keys("only the second half of the keys is read: a part is missing",
                                [](std::size_t j, std::size_t count) { return j < count / 2; }));
  return result;
}

// --- scores ---

// The score's parts are put together in another order: through the bias, which is the last of them.
Alternative rebiased(std::string name, std::function<bool(const AttentionRow& row)> applies,
                     std::function<double(const AttentionRow& row, double product, double bias)> score) {
  return {std::move(name), [applies, score](const AttentionDump&, const Place&, EditedRow& edited) {
            const AttentionRow& row = edited.dumped.row;
            if (!applies(row)) return false;
            put_scores(edited, [&](std::size_t j, double product) {
              return score(row, product, row.bias.empty() ? 0 : row.bias[j]);
            });
            return true;
          }};
}

bool has_cap(const AttentionRow& row) { return row.softcap > 0; }
bool has_bias(const AttentionRow& row) { return !row.bias.empty(); }

std::vector<Alternative> scores() {
  return {
      rebiased("there is no softcap", has_cap,
               [](const AttentionRow& row, double product, double bias) { return row.scale * product + bias; }),
      rebiased(
          "the softcap comes before the scale", has_cap,
          [](const AttentionRow& row, double product, double bias) { return row.scale * capped(row, product) + bias; }),
      rebiased("the softcap is not multiplied back: tanh(s / C)", has_cap,
               [](const AttentionRow& row, double product, double bias) {
                 return capped(row, row.scale * product) / row.softcap + bias;
               }),
      rebiased(
          "the softcap comes after the bias", [](const AttentionRow& row) { return has_cap(row) && has_bias(row); },
          [](const AttentionRow& row, double product, double bias) { return capped(row, row.scale * product + bias); }),
      rebiased("the bias is added before the scale", has_bias,
               [](const AttentionRow& row, double product, double bias) {
                 return capped(row, row.scale * product) + row.scale * bias;
               }),
      rebiased("the bias is not read", has_bias,
               [](const AttentionRow& row, double product, double bias) {
                 const bool masks = bias == -std::numeric_limits<double>::infinity();
                 return masks ? bias : capped(row, row.scale * product);
               }),
      rebiased("the bias is added to 2^'s exponent: it lacks log2(e)", has_bias,
               [](const AttentionRow& row, double product, double bias) {
                 return capped(row, row.scale * product) + std::numbers::ln2 * bias;
               }),
      rebiased("the bias is subtracted", has_bias, [](const AttentionRow& row, double product, double bias) {
        const bool masks = bias == -std::numeric_limits<double>::infinity();
        return masks ? bias : capped(row, row.scale * product) - bias;
      })};
}

std::vector<Alternative> slopes_and_sinks() {
  const auto of_row = [](std::string name, bool (*edit)(AttentionRow & row)) {
    return Alternative{std::move(name), [edit](const AttentionDump&, const Place&, EditedRow& edited) {
                         return edit(edited.dumped.row);
                       }};
  };
  return {of_row("ALiBi's slopes are not read",
                 [](AttentionRow& row) { return std::exchange(row.slope, std::nullopt).has_value(); }),
          of_row("ALiBi's slope has the other sign",
                 [](AttentionRow& row) {
                   if (row.slope) row.slope = -*row.slope;
                   return row.slope.has_value();
                 }),
          of_row("the sink is missing",
                 [](AttentionRow& row) { return std::exchange(row.sink, std::nullopt).has_value(); }),
          of_row("the sink counts twice",
                 [](AttentionRow& row) {
                   if (row.sink) row.sink = *row.sink + std::numbers::ln2;
                   return row.sink.has_value();
                 }),
          of_row("the sink is scaled with the scores",
                 [](AttentionRow& row) {
                   if (row.sink) row.sink = *row.sink * row.scale;
                   return row.sink.has_value() && row.scale != 1;
                 }),
          of_row("the sink is 0, as in softmax1",
                 [](AttentionRow& row) {
                   const bool differs = row.sink && *row.sink != 0;
                   if (row.sink) row.sink = 0;
                   return differs;
                 }),
          of_row("a sink of 0 is added, as in softmax1", [](AttentionRow& row) {
            if (row.sink) return false;
            row.sink = 0;
            return true;
          })};
}

// --- heads and layouts ---

Alternative other_head(std::string name, std::function<std::size_t(const DumpShape&, std::size_t head)> kv_head) {
  return {std::move(name), [kv_head](const AttentionDump& dump, const Place& place, EditedRow& edited) {
            const std::size_t other = kv_head(dump.shape(), place.head);
            if (other == dump.kv_head(place.head) || other >= dump.shape().kv_heads) return false;
            take_keys(edited, dump.keys_and_values(place.batch, other));
            return true;
          }};
}

std::vector<Alternative> heads() {
  return {other_head("query heads are dealt to KV heads in turn (h mod KV heads), not in blocks",
                     [](const DumpShape& shape, std::size_t head) { return head % shape.kv_heads; }),
          other_head("every query head reads the first KV head",
                     [](const DumpShape&, std::size_t) { return std::size_t{0}; }),
          {"every batch reads the first one's keys and values",
           [](const AttentionDump& dump, const Place& place, EditedRow& edited) {
             if (place.batch == 0) return false;
             take_keys(edited, dump.keys_and_values(0, dump.kv_head(place.head)));
             return true;
           }},
          {"values lie one key later: V is stale or shifted by one",
           [](const AttentionDump& dump, const Place& place, EditedRow& edited) {
             KeysAndValues shared = dump.keys_and_values(place.batch, dump.kv_head(place.head));
             const auto size = static_cast<std::ptrdiff_t>(dump.shape().value_size);
             std::rotate(shared.values.begin(), shared.values.end() - size, shared.values.end());
             std::rotate(shared.largest_value.begin(), shared.largest_value.end() - 1, shared.largest_value.end());
             take_keys(edited, std::move(shared));
             return dump.shape().keys > 1;
           }},
          {"k is used in place of v", [](const AttentionDump& dump, const Place& place, EditedRow& edited) {
             if (dump.shape().size != dump.shape().value_size) return false;
             KeysAndValues shared = dump.keys_and_values(place.batch, dump.kv_head(place.head));
             shared.values = shared.keys;
             shared.largest_value = shared.largest_key;
             take_keys(edited, std::move(shared));
             return true;
           }}};
}

std::vector<Alternative> all() {
  std::vector<Alternative> result;
  // Two of them are applied in this order: what puts scores together reads keys and scale.
  for (auto& list : {heads(), stored_key_alternatives(), scales(), causal_masks(), windows_and_masks(), lost_keys(),
                     scores(), slopes_and_sinks()})
    result.insert(result.end(), list.begin(), list.end());
  return result;
}

constexpr std::array of_lse{
    LseAlternative{"lse is in base 2",
                   [](const AttentionRow&, double M, double Z) { return (M + std::log(Z)) * std::numbers::log2e; }},
    LseAlternative{"lse is natural, not in base 2",
                   [](const AttentionRow&, double M, double Z) { return (M + std::log(Z)) * std::numbers::ln2; }},
    LseAlternative{"lse lacks the maximum: it is ln Z",
                   [](const AttentionRow&, double, double Z) { return std::log(Z); }},
    LseAlternative{"lse is the maximum alone", [](const AttentionRow&, double M, double) { return M; }},
    LseAlternative{"lse is Z itself", [](const AttentionRow&, double, double Z) { return Z; }},
    LseAlternative{"lse has the other sign",
                   [](const AttentionRow&, double M, double Z) { return -(M + std::log(Z)); }},
    LseAlternative{"lse adds log2(Z) to a natural maximum",
                   [](const AttentionRow&, double M, double Z) { return M + std::log2(Z); }},
    LseAlternative{"lse adds the maximum before its scale",
                   [](const AttentionRow& row, double M, double Z) { return M / row.scale + std::log(Z); }},
    LseAlternative{"lse is that of scores without the scale",
                   [](const AttentionRow& row, double, double) {
                     AttentionRow other = row;
                     other.scale = 1;
                     return approximate(other).lse;
                   }},
    LseAlternative{"lse counts the sink twice",
                   [](const AttentionRow& row, double M, double Z) {
                     if (!row.sink) return std::numeric_limits<double>::quiet_NaN();
                     return M + std::log(Z + std::exp(*row.sink - M));
                   }},
    LseAlternative{"lse lacks the sink", [](const AttentionRow& row, double M, double Z) {
                     if (!row.sink) return std::numeric_limits<double>::quiet_NaN();
                     return M + std::log(Z - std::exp(*row.sink - M));
                   }}};

}  // namespace

void take_keys(EditedRow& edited, KeysAndValues other) {
  edited.own = std::move(other);
  edited.dumped.shared = &edited.own;
  edited.dumped.row.keys = edited.own.keys;
  edited.dumped.row.values = edited.own.values;
}

double capped(const AttentionRow& row, double score) {
  return row.softcap > 0 ? row.softcap * std::tanh(score / row.softcap) : score;
}

void put_scores(EditedRow& edited, const std::function<double(std::size_t j, double product)>& score) {
  DumpedRow& dumped = edited.dumped;
  AttentionRow& row = dumped.row;
  std::vector<double> bias(row.key_count());
  for (std::size_t j = 0; j < bias.size(); ++j) {
    double product = 0;
    for (std::size_t e = 0; e < row.query.size(); ++e) product += row.query[e] * row.key(j)[e];
    bias[j] = score(j, product);
  }
  dumped.query.assign(row.query.size(), 0);
  dumped.bias = std::move(bias);
  row.query = dumped.query;
  row.bias = dumped.bias;
  row.softcap = 0;
}

bool leave_out(EditedRow& edited, const std::function<bool(std::size_t j)>& left_out) {
  DumpedRow& dumped = edited.dumped;
  const auto kept = kept_keys(dumped.row);
  if (dumped.mask.empty()) dumped.mask.assign(dumped.row.key_count(), 1);
  for (const std::size_t j : kept)
    if (left_out(j)) dumped.mask[j] = 0;
  dumped.row.mask = dumped.mask;
  return kept_keys(dumped.row).size() != kept.size();
}

std::span<const Alternative> row_alternatives() {
  static const std::vector<Alternative> alternatives = all();
  return alternatives;
}

std::span<const LseAlternative> lse_alternatives() { return of_lse; }

}  // namespace attncert
