#include "properties/dumps/input_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/dumps/approximate.hpp"

namespace attncert {
namespace {

constexpr std::size_t block = 16;  // keys that a small kernel takes at a time

// What is told of a row.
struct Facts {
  const AttentionDump& dump;
  const DumpedRow& dumped;
  const reference::AttentionRow& row;
  std::vector<std::size_t> kept;
  std::vector<double> scores = {};  // of kept keys
  ApproximateRow near = {};
  bool finite = true;                               // what the row reads
  double largest = -infinity, smallest = infinity;  // of the scores
  double largest_scaled = 0;                        // magnitude, before a softcap

  std::size_t keys() const { return kept.size(); }
  bool counts() const { return finite && !kept.empty(); }
  double weight(double score) const { return std::exp(score - near.lse); }
  // Blocks whose largest score exceeds that of all blocks before by more than `step`.
  std::size_t rises(double step) const {
    std::size_t count = 0;
    double top = -infinity;
    for (std::size_t k = 0; k < kept.size();) {
      const std::size_t number = kept[k] / block;
      double here = -infinity;
      for (; k < kept.size() && kept[k] / block == number; ++k) here = std::max(here, scores[k]);
      count += top > -infinity && here > top + step ? 1 : 0;
      top = std::max(top, here);
    }
    return count;
  }
  std::size_t ties() const { return static_cast<std::size_t>(std::ranges::count(scores, largest)); }
  bool removed_by(auto&& other) const {
    for (std::size_t j = 0; j < row.key_count(); ++j)
      if (!std::ranges::binary_search(kept, j) && other(j)) return true;
    return false;
  }
  double share_of_sink() const { return row.sink ? weight(*row.sink) : -1; }
  bool any_channel(auto&& holds) const {
    for (std::size_t c = 0; c < row.value_size; ++c)
      if (holds(std::abs(near.output[c]), near.magnitude[c])) return true;
    return false;
  }
};

struct Kind {
  InputKind kind;
  bool (*has)(const Facts&);
};

bool has_offset(const Facts& f) {  // each kept value of a channel within an eighth of the mean of all
  if (!f.counts() || f.keys() < 8) return false;
  for (std::size_t c = 0; c < f.row.value_size; ++c) {
    const auto apart = [&](std::size_t j) {
      return std::abs(f.row.value(j, c) - f.near.output[c]) > std::abs(f.near.output[c]) / 8;
    };
    if (f.near.output[c] != 0 && std::ranges::none_of(f.kept, apart)) return true;
  }
  return false;
}

constexpr Kind kinds[] = {
    {{"scores", "the maximum rises in a later block"}, [](const Facts& f) { return f.counts() && f.rises(0) > 0; }},
    {{"scores", "it rises by 2 in four blocks"}, [](const Facts& f) { return f.counts() && f.rises(2) >= 4; }},
    {{"scores", "it is in the first of several blocks"},
     [](const Facts& f) { return f.counts() && f.keys() > block && f.rises(0) == 0; }},
    {{"scores", "ties of the maximum"}, [](const Facts& f) { return f.counts() && f.ties() > 1; }},
    {{"scores", "all equal"}, [](const Facts& f) { return f.counts() && f.keys() > 1 && f.ties() == f.keys(); }},
    {{"scores", "beyond 100"}, [](const Facts& f) { return f.counts() && std::max(f.largest, -f.smallest) > 100; }},
    {{"scores", "all below -100"}, [](const Facts& f) { return f.counts() && f.largest < -100; }},
    {{"scores", "all below -10000"}, [](const Facts& f) { return f.counts() && f.largest < -1e4; }},

    {{"weights", "one key owns 99%"},
     [](const Facts& f) { return f.counts() && f.weight(f.largest) > 0.99 && f.keys() > 1; }},
    {{"weights", "the last key owns half"},
     [](const Facts& f) { return f.counts() && f.keys() > 1 && f.weight(f.scores.back()) > 0.5; }},
    {{"weights", "spread over many keys"},
     [](const Facts& f) {
       return f.counts() && f.keys() >= block && f.weight(f.largest) < 8 / static_cast<double>(f.keys());
     }},
    // e^-87 is near the smallest normal number of f32.
    {{"weights", "underflow in f32"}, [](const Facts& f) { return f.counts() && f.largest - f.smallest > 87; }},

    {{"keys", "none"}, [](const Facts& f) { return f.kept.empty(); }},
    {{"keys", "one"}, [](const Facts& f) { return f.keys() == 1; }},
    {{"keys", "a tail of a block"}, [](const Facts& f) { return f.keys() > block && f.row.key_count() % block != 0; }},
    {{"keys", "4,096 or more"}, [](const Facts& f) { return f.keys() >= 4096; }},
    {{"keys", "65,536 or more"}, [](const Facts& f) { return f.keys() >= 65536; }},
    {{"keys", "NaN is read"}, [](const Facts& f) { return !f.finite; }},

    {{"masks", "causal, more keys than queries"},
     [](const Facts& f) { return f.row.causal && f.dump.shape().keys > f.dump.shape().queries; }},
    {{"masks", "window"}, [](const Facts& f) { return f.row.window.has_value(); }},
    {{"masks", "length"}, [](const Facts& f) { return f.row.length && *f.row.length < f.row.key_count(); }},
    {{"masks", "mask"}, [](const Facts& f) { return std::ranges::count(f.row.mask, 0) > 0; }},
    {{"masks", "the left block has no key"}, [](const Facts& f) { return !f.kept.empty() && f.kept[0] >= block; }},
    {{"masks", "what is removed is NaN"},
     [](const Facts& f) {
       return f.removed_by([&](std::size_t j) { return !std::isfinite(f.dumped.shared->largest_key[j]); });
     }},
    {{"masks", "what is removed is huge"},
     [](const Facts& f) {
       return f.removed_by([&](std::size_t j) { return std::abs(f.dumped.shared->largest_key[j]) > 1000; });
     }},

    // tanh(3) is 0.995.
    {{"terms", "softcap that saturates"},
     [](const Facts& f) { return f.counts() && f.row.softcap > 0 && f.largest_scaled > 3 * f.row.softcap; }},
    {{"terms", "softcap and bias"}, [](const Facts& f) { return f.row.softcap > 0 && !f.row.bias.empty(); }},
    {{"terms", "bias"}, [](const Facts& f) { return !f.row.bias.empty(); }},
    {{"terms", "ALiBi's slope"}, [](const Facts& f) { return f.row.slope.has_value(); }},

    {{"sinks", "a sink owns a quarter to three"},
     [](const Facts& f) { return f.counts() && f.share_of_sink() > 0.25 && f.share_of_sink() < 0.75; }},
    {{"sinks", "nearly all"}, [](const Facts& f) { return f.counts() && f.share_of_sink() > 0.999; }},
    {{"sinks", "nearly nothing"},
     [](const Facts& f) { return f.counts() && f.share_of_sink() >= 0 && f.share_of_sink() < 1e-6; }},
    {{"sinks", "all, of a row without a key"}, [](const Facts& f) { return f.row.sink && f.kept.empty(); }},

    {{"values", "cancel"},
     [](const Facts& f) {
       return f.counts() && f.any_channel([](double output, double size) { return size > 8 * output && size > 0; });
     }},
    {{"values", "have an offset"}, has_offset},

    {{"shape", "query heads share a KV head"},
     [](const Facts& f) { return f.dump.shape().kv_heads < f.dump.shape().heads; }},
    {{"shape", "several KV heads, each of several"},
     [](const Facts& f) { return f.dump.shape().kv_heads > 1 && f.dump.shape().kv_heads < f.dump.shape().heads; }},
    {{"shape", "several batches"}, [](const Facts& f) { return f.dump.shape().batches > 1; }},
    {{"shape", "values of another size"},
     [](const Facts& f) { return f.dump.shape().size != f.dump.shape().value_size; }},
    {{"shape", "one query"}, [](const Facts& f) { return f.dump.shape().queries == 1; }},
    {{"shape", "a backward pass"}, [](const Facts& f) { return f.dump.has("do"); }},
    {{"shape", "hundreds of queries or keys, and a backward pass"},
     [](const Facts& f) { return f.dump.has("do") && std::max(f.dump.shape().queries, f.dump.shape().keys) >= 256; }},
};

Facts facts_of(const AttentionDump& dump, const DumpedRow& dumped) {
  Facts facts{dump, dumped, dumped.row, reference::kept_keys(dumped.row)};
  const auto is_finite = [](double value) { return std::isfinite(value); };
  facts.finite = std::ranges::all_of(facts.row.query, is_finite);
  for (const std::size_t j : facts.kept)
    facts.finite =
        facts.finite && std::isfinite(dumped.shared->largest_key[j]) && std::isfinite(dumped.shared->largest_value[j]);
  if (!facts.counts()) return facts;
  std::vector<double> products(facts.row.key_count());
  for (const std::size_t j : facts.kept)
    for (std::size_t e = 0; e < facts.row.query.size(); ++e) products[j] += facts.row.query[e] * facts.row.key(j)[e];
  for (const double product : products)
    facts.largest_scaled = std::max(facts.largest_scaled, std::abs(facts.row.scale * product));
  facts.scores = approximate_scores(facts.row, products, facts.kept);
  for (const double score : facts.scores) {
    facts.largest = std::max(facts.largest, score);
    facts.smallest = std::min(facts.smallest, score);
  }
  facts.near = approximate(facts.row);
  return facts;
}

}  // namespace

std::span<const InputKind> input_kinds() {
  static const std::vector<InputKind> list = [] {
    std::vector<InputKind> all;
    for (const Kind& one : kinds) all.push_back(one.kind);
    return all;
  }();
  return list;
}

void KindsOfInput::add(const KindsOfInput& more) {
  rows += more.rows;
  of.resize(std::max(of.size(), more.of.size()));
  for (std::size_t n = 0; n < more.of.size(); ++n) of[n] += more.of[n];
}

std::vector<std::string> KindsOfInput::missed() const {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < std::size(kinds); ++n)
    if (of.empty() || of[n] == 0) names.push_back(fmt::format("{}: {}", kinds[n].kind.axis, kinds[n].kind.name));
  return names;
}

KindsOfInput kinds_of_input(const AttentionDump& dump, std::span<const std::size_t> rows) {
  KindsOfInput result;
  result.of.resize(std::size(kinds));
  KeysAndValues shared;
  std::optional<std::pair<std::size_t, std::size_t>> read;  // batch and KV head of `shared`
  for (const std::size_t index : rows) {
    const Place place = dump.place(index);
    const std::pair head{place.batch, dump.kv_head(place.head)};
    if (read != head) shared = dump.keys_and_values(head.first, head.second), read = head;
    const DumpedRow dumped = dump.row(place, shared);
    const Facts facts = facts_of(dump, dumped);
    for (std::size_t n = 0; n < std::size(kinds); ++n) result.of[n] += kinds[n].has(facts) ? 1 : 0;
    ++result.rows;
  }
  return result;
}

std::string text_of(const KindsOfInput& counted) {
  std::string text = fmt::format("  inputs of {} rows, by what is true of them:", counted.rows);
  std::string_view axis;
  for (std::size_t n = 0; n < std::size(kinds) && !counted.of.empty(); ++n) {
    const InputKind& kind = kinds[n].kind;
    text += kind.axis == axis ? ", " : fmt::format("\n    {}: ", kind.axis);
    text += fmt::format("{} ({})", kind.name, counted.of[n]);
    axis = kind.axis;
  }
  return text + "\n";
}

}  // namespace attncert
