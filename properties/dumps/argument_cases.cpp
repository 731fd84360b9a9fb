#include "properties/dumps/argument_cases.hpp"

#include <cmath>
#include <limits>
#include <string_view>

namespace attncert {
namespace {

using Made = std::vector<CaseInputs>;

// Whose bias and mask are of each head, and in the latter of each batch.
Made of_heads_and_batches(CaseMaker& maker) {
  Made made;
  for (const std::size_t batches : {1, 2}) {
    if (batches > 1 && !maker.wants("batches")) break;
    CaseInputs in = maker.plain(5, 40);
    in.batches = batches;
    in.pairs_of_heads = true, in.pairs_of_batches = batches > 1;
    maker.draw(in);
    made.push_back(std::move(in));
  }
  return made;
}

std::size_t pairs(const CaseInputs& in) { return in.batches * in.heads * in.queries * in.keys; }

}  // namespace

Made scale_cases(CaseMaker& maker) {
  Made made;
  for (const double factor : {0.25, 3.0}) {
    made.push_back(maker.plain(4, 50));
    made.back().scale = factor * maker.scale();
  }
  return made;
}

// Fewer queries than keys and more, none of which is left without a key.
Made top_left_cases(CaseMaker& maker) {
  Made made;
  if (!maker.wants("causal")) return made;
  const auto add = [&](std::size_t queries, std::size_t keys) -> CaseInputs& {
    made.push_back(maker.plain(queries, keys));
    made.back().causal = made.back().top_left = true;
    return made.back();
  };
  add(5, 40);
  add(40, 5);
  if (maker.wants("window")) add(12, 40).window = 4;
  if (maker.wants("slopes")) add(6, 40).slopes = {0.5, 0.03125};
  return made;
}

// That of -inf removes what a block of 32 begins with, and keys among others.
Made bias_cases(CaseMaker& maker) {
  if (!maker.wants("bias")) return {};
  Made made = of_heads_and_batches(maker);
  for (CaseInputs& in : made) in.bias = maker.normals(pairs(in), 3);
  CaseInputs in = maker.plain(4, 70);
  in.bias = maker.normals(in.queries * in.keys);
  for (std::size_t n = 0; n < in.bias.size(); ++n)
    if (n % in.keys <= 33 || n % 3 == 0) in.bias[n] = -std::numeric_limits<double>::infinity();
  made.push_back(std::move(in));
  return made;
}

// A key other than 0 is kept by any byte. Each row keeps one at least.
Made mask_cases(CaseMaker& maker) {
  if (!maker.wants("mask")) return {};
  constexpr double bytes[] = {0, 0, 1, 2, 128, 255};
  Made made = of_heads_and_batches(maker);
  for (CaseInputs& in : made)
    for (std::size_t n = 0; n < pairs(in); ++n) {
      const double byte = bytes[maker.below(std::size(bytes))];
      in.mask.push_back(n % in.keys == 7 ? 255 : byte);
    }
  return made;
}

// Each KV head's values have an offset of their own. Sinks and slopes are those of no other head.
Made many_heads_cases(CaseMaker& maker) {
  Made made;
  const auto add = [&]() -> CaseInputs& {
    CaseInputs in = maker.plain(2, 20);
    in.heads = 16, in.kv_heads = maker.wants("heads") ? 8 : 16;
    in.batches = maker.wants("batches") ? 6 : 1;
    maker.draw(in);
    for (std::size_t n = 0; n < in.v.size(); ++n)
      in.v[n] += 2 * static_cast<double>(n / (in.keys * in.value_size) % in.kv_heads);
    made.push_back(std::move(in));
    return made.back();
  };
  add();
  if (maker.wants("sinks")) {
    CaseInputs& in = add();
    for (std::size_t head = 0; head < in.heads; ++head) in.sinks.push_back(0.5 * static_cast<double>(head) - 2);
  }
  if (maker.wants("slopes")) {
    CaseInputs& in = add();
    for (std::size_t head = 1; head <= in.heads; ++head)
      in.slopes.push_back(std::exp2(-0.5 * static_cast<double>(head)));
  }
  return made;
}

Made undeclared_cases(CaseMaker& maker) {
  Made made;
  if (!maker.wants_undeclared()) return made;
  for (const std::string_view feature : {"causal", "window", "mask", "bias", "softcap", "sinks", "slopes", "lengths",
                                         "heads", "batches", "value-size"}) {
    if (maker.wants(feature)) continue;
    CaseInputs in = maker.plain(4, 40);
    if (feature == "batches") in.batches = 2;
    if (feature == "heads") in.kv_heads = 1;
    if (feature == "value-size") in.value_size = 2 * in.size;
    maker.draw(in);
    in.causal = feature == "causal";
    if (feature == "window") in.window = 8;
    if (feature == "mask") {
      in.mask.assign(in.queries * in.keys, 1);
      for (std::size_t n = 0; n < in.mask.size(); n += 3) in.mask[n] = 0;
    }
    if (feature == "bias") in.bias = maker.normals(in.queries * in.keys, 3);
    if (feature == "softcap") in.softcap = 0.5;
    if (feature == "sinks") in.sinks = {4, 5};
    if (feature == "slopes") in.slopes = {0.5, 0.25};
    if (feature == "lengths") in.lengths = {20};
    made.push_back(std::move(in));
  }
  made.push_back(maker.plain(4, 50));  // a maximum that is taken before the scale is the least: e^88 is beyond f32
  made.back().scale = -maker.scale();
  for (double& number : made.back().q) number *= 50;
  return made;
}

Made long_cases(CaseMaker& maker) {
  Made made;
  if (maker.wants("lengths")) {
    made.push_back(maker.plain(2, 400));
    made.back().lengths = {300};
  }
  if (maker.wants("window")) {
    made.push_back(maker.plain(40, 300));
    made.back().window = 270;
  }
  if (maker.wants("window-after")) {
    made.push_back(maker.plain(300, 300));
    made.back().window_after = 270;
  }
  made.push_back(maker.plain(310, 8));
  if (maker.wants("causal")) {
    made.push_back(maker.plain(530, 530));
    made.back().causal = true;
  }
  return made;
}

}  // namespace attncert
