#include "properties/dumps/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "properties/dumps/argument_cases.hpp"
#include "properties/dumps/case_maker.hpp"
#include "properties/dumps/combined_cases.hpp"
#include "properties/dumps/gpt2_rows.hpp"
#include "properties/dumps/not_finite_cases.hpp"
#include "properties/dumps/removed_keys.hpp"

namespace attncert {
namespace {

using Inputs = CaseInputs;
using Made = std::vector<Inputs>;

constexpr double below_half = -2e5;  // a score that is below all numbers of f16, and below -10^5

Made random_cases(CaseMaker& maker) {
  Made made;
  for (double count = 0; count < 12 * maker.effort(); ++count) {
    const std::size_t keys = 1 + maker.below(160), queries = 1 + maker.below(20);
    Inputs in = maker.plain(queries, keys);
    in.causal = maker.maybe("causal");
    if (in.causal) in.queries = std::min(in.queries, in.keys);
    in.q.resize(in.heads * in.queries * maker.size());
    if (maker.maybe("window")) in.window = 1 + maker.below(in.keys);
    if (maker.maybe("softcap")) in.softcap = 1 + static_cast<double>(maker.below(50));
    if (maker.maybe("bias")) in.bias = maker.normals(in.queries * in.keys, 2);
    if (maker.maybe("sinks")) in.sinks = maker.normals(in.heads, 2);
    if (maker.maybe("slopes")) in.slopes = {0.25, 0.0625};
    if (maker.maybe("mask")) {  // the key that window, diagonal and lengths keep too stays
      const bool first = in.window == 0;
      for (std::size_t n = 0; n < in.queries * in.keys; ++n) {
        const std::size_t j = n % in.keys, diagonal = n / in.keys + in.keys - in.queries;
        in.mask.push_back(maker.below(4) != 0 || j == (first ? 0 : std::min(diagonal, in.keys - 1)));
      }
    }
    if (maker.maybe("window-after") && !in.causal && in.queries <= in.keys)
      in.window_after = 1 + maker.below(in.queries);
    if (maker.maybe("lengths") && in.window == 0) in.lengths = {static_cast<double>(1 + maker.below(in.keys))};
    if (maker.wants("nan-padding") && made.size() % 2 == 1) put_nan_in_removed_keys(in);
    made.push_back(std::move(in));
  }
  return made;
}

// The last key owns most of the mass, so that a tail that is dropped, or filled up with zeros, is seen.
Made edges(CaseMaker& maker) {
  Made made;
  for (const std::size_t keys : {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257}) {
    std::vector<double> scores(keys, -1);
    scores[keys - 1] = 4;
    Inputs in = maker.scored(std::min<std::size_t>(keys, 3), scores);
    in.causal = maker.wants("causal");
    made.push_back(std::move(in));
  }
  return made;
}

// The maximum rises, or falls, from each 16 keys to the next: running states are rescaled every time.
Made steps(CaseMaker& maker) {
  Made made;
  for (const double step : {3.0, 5.0, 7.0, -3.0, -5.0, -7.0}) {
    std::vector<double> scores;
    for (std::size_t j = 0; j < 200; ++j) scores.push_back(step * static_cast<double>(j / 16) + 0.25 * maker.normal());
    made.push_back(maker.scored(2, scores));
  }
  return made;
}

// All scores are far from 0: a maximum that starts at 0, 10, -10^4 or the lowest number of f16, or none, is seen.
Made far_scores(CaseMaker& maker) {
  Made made;
  for (const double centre : {below_half, -20000.0, -1000.0, -500.0, -100.0, 100.0, 500.0, 1000.0}) {
    std::vector<double> scores;
    for (std::size_t j = 0; j < 70; ++j) scores.push_back(centre + maker.normal());
    made.push_back(maker.scored(2, scores));
  }
  return made;
}

// Keys of 80 that are hidden, and large; in every format that there is. `kept_low`: what is kept scores below all that
// a mask may be filled with where f16 has to hold it.
Inputs with_hidden(CaseMaker& maker, std::size_t from, std::size_t to, bool kept_low) {
  std::vector<double> scores(80);
  for (double& score : scores) score = below_half + maker.normal();
  Inputs in = kept_low ? maker.scored(5, scores) : maker.plain(5, scores.size());
  for (std::size_t j = from; j < to; ++j) {
    fill_key(in, in.k, j, kept_low ? 0 : j % 2 == 0 ? 30000 : -30000);
    fill_key(in, in.v, j, 1000);
  }
  return in;
}

Made masked_giants(CaseMaker& maker) {
  Made made;
  for (const bool kept_low : {false, true}) {
    const auto add = [&](std::size_t from, std::size_t to) -> Inputs& {
      return made.emplace_back(with_hidden(maker, from, to, kept_low));
    };
    if (maker.wants("lengths")) add(61, 80).lengths = {61};
    if (maker.wants("mask")) {
      Inputs& in = add(0, 40);  // the left blocks have no key
      for (std::size_t n = 0; n < 5 * 80; ++n) in.mask.push_back(n % 80 >= 40);
    }
    if (maker.wants("causal")) add(76, 80).causal = true;
    if (maker.wants("window")) {
      Inputs& in = add(0, 30);
      in.window = 20;
      in.causal = maker.wants("causal");
    }
  }
  return made;
}

// Scores are small whole numbers, and each channel reads one key's weight: what rounds weights is seen.
Made one_hot(CaseMaker& maker) {
  Made made;
  for (const std::size_t keys : {24, 96}) {
    std::vector<double> scores;
    for (std::size_t j = 0; j < keys; ++j) scores.push_back(static_cast<double>(j * 7 % 5));
    Inputs in = maker.scored(2, scores);
    for (std::size_t n = 0; n < in.v.size(); ++n)
      in.v[n] = n % maker.value_size() == n / maker.value_size() % maker.value_size() ? 1 : 0;
    made.push_back(std::move(in));
  }
  return made;
}

// Sums in a narrow format stand still. Every second channel is 1 in the latter half of the keys alone, which shows
// offsets that wrap: of two bytes as well, by more keys than sums in any order may lose.
constexpr std::size_t most_keys = 65536 + 4096;

Made equal_keys(CaseMaker& maker) {
  Made made;
  for (const std::size_t keys : {std::size_t{4096}, most_keys}) {
    Inputs in = maker.scored(1, std::vector<double>(keys, 0));
    if (keys == most_keys) in.heads = in.kv_heads = 1;
    in.q.resize(in.heads * in.size), in.k.resize(in.kv_heads * keys * in.size);
    in.v.resize(in.kv_heads * keys * in.value_size);
    for (std::size_t n = 0; n < in.v.size(); ++n)
      in.v[n] = n % in.value_size % 2 == 0 || n / in.value_size % keys >= keys / 2 ? 1 : 0;
    made.push_back(std::move(in));
  }
  return made;
}

Made cancelling(CaseMaker& maker) {
  Made made;
  for (const double offset : {0.0, 100.0}) {
    Inputs in = maker.plain(3, 130);
    for (std::size_t n = 0; n < in.v.size(); ++n)
      in.v[n] += offset != 0 ? offset : n / maker.value_size() % 2 == 0 ? 100 : -100;
    made.push_back(std::move(in));
  }
  return made;
}

// The sink owns half of the mass, nearly all and nearly nothing.
Made sinks(CaseMaker& maker) {
  Made made;
  if (!maker.wants("sinks")) return made;
  for (const double sink : {4.25, 100.0, -100.0}) {
    made.push_back(maker.plain(4, 70));
    made.back().sinks = {sink, sink + 1};
    made.back().causal = maker.wants("causal");
  }
  made.push_back(maker.plain(4, 70));
  made.back().sinks = {-std::numeric_limits<double>::infinity(), 1};  // none of the first head
  return made;
}

// Scores of ten times the cap, and a bias that is wide: the order of scale, softcap and bias is seen.
Made softcaps(CaseMaker& maker) {
  Made made;
  if (!maker.wants("softcap")) return made;
  for (const double cap : {2.0, 30.0}) {
    Inputs in = maker.plain(4, 50);
    for (double& number : in.q) number *= 10;
    in.softcap = cap;
    if (maker.wants("bias")) in.bias = maker.normals(in.queries * in.keys, 3);
    if (maker.wants("mask"))
      for (std::size_t n = 0; n < in.queries * in.keys; ++n) in.mask.push_back(n % 3 != 1);
    made.push_back(std::move(in));
  }
  return made;
}

Made corners(CaseMaker& maker) {
  Made made;
  for (const auto& [queries, keys] : {std::pair<std::size_t, std::size_t>{5, 40}, {33, 65}, {1, 64}, {40, 40}}) {
    Inputs in = maker.plain(queries, keys);
    in.causal = maker.wants("causal");
    if (maker.wants("window") && keys == 65) in.window = 16;
    if (maker.wants("slopes")) in.slopes = {0.5, 0.03125};
    made.push_back(std::move(in));
  }
  if (maker.wants("window-after")) {
    made.push_back(maker.plain(33, 65));
    made.back().window = maker.wants("window") ? 16 : 0, made.back().window_after = 8;
  }
  return made;
}

// Each KV head's values have an offset of their own.
Made heads(CaseMaker& maker) {
  Made made;
  if (!maker.wants("heads")) return made;
  for (const std::size_t kv_heads : {1, 2, 3}) {
    Inputs in = maker.plain(3, 40);
    in.heads = 6;
    in.kv_heads = kv_heads;
    maker.draw(in);
    for (std::size_t n = 0; n < in.v.size(); ++n)
      in.v[n] += 10 * static_cast<double>(n / (in.keys * maker.value_size()));
    made.push_back(std::move(in));
  }
  return made;
}

// What a length, a window or the mask removes holds no numbers at all, nor does the key that the diagonal removes for
// all queries but the last: forward alone, as sums over queries have the last one too.
Made padding(CaseMaker& maker) {
  Made made;
  if (!maker.wants("nan-padding")) return made;
  for (const std::string_view by : {"lengths", "mask", "window", "causal"}) {
    if (!maker.wants(by) || (by == "causal" && maker.wants("backward"))) continue;
    Inputs in = maker.plain(3, 70);
    if (by == "lengths") in.lengths = {50};
    if (by == "mask")
      for (std::size_t n = 0; n < in.queries * in.keys; ++n) in.mask.push_back(n % in.keys % 7 != 3);
    in.causal = by == "causal" || (by == "window" && maker.wants("causal"));
    if (by == "window") in.window = 20;
    put_nan_in_removed_keys(in);
    if (by == "causal") {
      fill_key(in, in.k, 69, std::numeric_limits<double>::quiet_NaN());
      fill_key(in, in.v, 69, std::numeric_limits<double>::quiet_NaN());
    }
    made.push_back(std::move(in));
  }
  return made;
}

// Each batch has values of its own, and a length.
Made batches(CaseMaker& maker) {
  Made made;
  if (!maker.wants("batches")) return made;
  for (const std::size_t count : {2, 3}) {
    Inputs in = maker.plain(3, 35);
    in.batches = count;
    maker.draw(in);
    for (std::size_t n = 0; n < in.v.size(); ++n) in.v[n] += 10 * static_cast<double>(n / (in.v.size() / count));
    for (std::size_t b = 0; b < count && maker.wants("lengths"); ++b)
      in.lengths.push_back(35 - 9 * static_cast<double>(b));
    if (maker.wants("sinks")) in.sinks = {1, 2};
    if (maker.wants("bias")) in.bias = maker.normals(in.queries * in.keys);
    in.causal = maker.wants("causal");
    made.push_back(std::move(in));
  }
  return made;
}

// The values' rows are shorter or longer than those of queries and keys, whose size is what the scale is made of.
Made value_sizes(CaseMaker& maker) {
  Made made;
  if (!maker.wants("value-size")) return made;
  for (const std::size_t size : {(maker.size() + 1) / 2, 2 * maker.size(), std::size_t{1}}) {
    Inputs in = maker.plain(3, 40);
    in.value_size = size;
    maker.draw(in);
    made.push_back(std::move(in));
  }
  return made;
}

// Rows that keep no key: above a diagonal at the bottom right, by a mask, by a length of 0.
Made empty_rows(CaseMaker& maker) {
  Made made;
  if (!maker.wants("empty-rows")) return made;
  for (const std::string_view by : {"causal", "mask", "lengths"}) {
    if (!maker.wants(by) || (by == "lengths" && !maker.wants("batches"))) continue;  // one batch would be all empty
    Inputs in = maker.plain(6, 4);
    in.batches = by == "lengths" ? 2 : 1;
    maker.draw(in);
    in.causal = by == "causal";
    if (by == "mask")
      for (std::size_t n = 0; n < in.queries * in.keys; ++n) in.mask.push_back(n / in.keys != 1 && n / in.keys != 5);
    if (by == "lengths") in.lengths = {0, 3};
    made.push_back(std::move(in));
  }
  if (!made.empty() && maker.wants("sinks")) {  // their LSE is the sink
    made.push_back(made[0]);
    made.back().sinks = {1, -2};
  }
  return made;
}

Made gpt2(CaseMaker& maker) { return {gpt2_case(maker)}; }

// Of gradients: hundreds of terms of one sign. dv over many queries; dq over keys that alternate as dS does.
Made long_sums(CaseMaker& maker) {
  Made made;
  if (!maker.wants("backward")) return made;
  made.push_back(maker.scored(300, std::vector<double>(4, 0)));
  for (double& number : made[0].q) number = std::abs(number) + 0.5;
  made.push_back(maker.scored(2, std::vector<double>(400, 0)));
  Inputs& in = made[1];
  const auto sign = [&](std::size_t n, std::size_t size) { return n / size % 2 == 0 ? 1.0 : -1.0; };
  for (std::size_t n = 0; n < in.v.size(); ++n) in.v[n] = sign(n, in.value_size);
  for (std::size_t n = 0; n < in.k.size(); ++n)
    if (n % in.size != 0) in.k[n] = sign(n, in.size) * (std::abs(in.k[n]) + 0.5);
  for (Inputs& each : made) {
    each.output_gradient = maker.normals(each.heads * each.queries * each.value_size);
    for (double& number : each.output_gradient) number = std::abs(number) + 0.5;
  }
  return made;
}

struct Group {
  CaseGroup group;
  Made (*make)(CaseMaker& maker);
};

constexpr std::array groups{
    Group{{"random", "sizes and features in any combination"}, random_cases},
    Group{{"edges", "tails of blocks: the last key owns most of the mass, at lengths around powers of two"}, edges},
    Group{{"steps", "rescaling: the maximum rises or falls from block to block"}, steps},
    Group{{"far", "where the maximum starts: scores of -200000 to 1000"}, far_scores},
    Group{{"masked", "masks: what is hidden is huge, or what is kept very low, and left blocks have no key"},
          masked_giants},
    Group{{"one-hot", "precision of the weights: whole scores, one key a channel"}, one_hot},
    Group{{"equal", "precision of the sums, and offsets: 4,096 and 69,632 equal keys"}, equal_keys},
    Group{{"cancelling", "values that cancel, or have an offset"}, cancelling},
    Group{{"sinks", "sinks that own half of the mass, all and nothing"}, sinks},
    Group{{"softcaps", "the order of scale, softcap, bias and mask"}, softcaps},
    Group{{"corners", "causal corner, window and slopes where there are more keys than queries"}, corners},
    Group{{"heads", "which KV head a query head reads"}, heads},
    Group{{"padding", "keys of NaN that length, mask, window and diagonal remove"}, padding},
    Group{{"batches", "each batch by itself: its rows, its length, sums over all"}, batches},
    Group{{"value-sizes", "values of another size than keys"}, value_sizes},
    Group{{"empty-rows", "rows that keep no key"}, empty_rows},
    Group{{"long-sums", "gradients summed over hundreds of terms of one sign"}, long_sums},
    Group{{"gpt2", "a head of a trained model"}, gpt2},
    Group{{"not-finite", "what NaN and infinity become"}, not_finite_cases},
    Group{{"scales", "a scale that does not follow from the head size"}, scale_cases},
    Group{{"top-left", "a diagonal that does not follow from the numbers of queries and keys"}, top_left_cases},
    Group{{"biases", "a bias of each head and batch, and of -inf"}, bias_cases},
    Group{{"mask-bytes", "a mask of each head and batch, with any byte for a key that is kept"}, mask_cases},
    Group{{"many-heads", "sinks and slopes of 16 heads, 8 KV heads, 6 batches"}, many_heads_cases},
    Group{{"long", "lengths, windows and queries above 255"}, long_cases},
    Group{{"combined", "all features at once: of one query, of groups of three heads, of three batches"},
          combined_cases},
    Group{{"undeclared", "what the kernel does not declare: to be declined"}, undeclared_cases}};

}  // namespace

std::span<const CaseGroup> case_groups() {
  static const std::vector<CaseGroup> names = [] {
    std::vector<CaseGroup> result;
    for (const Group& group : groups) result.push_back(group.group);
    return result;
  }();
  return names;
}

std::vector<CaseFile> attention_cases(const CaseWishes& wishes) {
  std::vector<CaseFile> files;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    CaseMaker maker(wishes, g);
    Made made = groups[g].make(maker);
    for (Inputs& in : made)
      if (maker.wants("backward") && in.output_gradient.empty() && groups[g].group.name != "not-finite" &&
          in.keys < most_keys)  // whose gradients show nothing that 4,096 equal keys and long-sums do not
        in.output_gradient = maker.normals(in.batches * in.heads * in.queries * in.value_size);
    for (std::size_t n = 0; n < made.size(); ++n)
      files.push_back(case_file(made[n], wishes, groups[g].group.name, n + 1));
  }
  return files;
}

}  // namespace attncert
