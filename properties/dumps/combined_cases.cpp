#include "properties/dumps/combined_cases.hpp"

#include <cmath>
#include <initializer_list>
#include <set>
#include <string_view>

namespace attncert {
namespace {

using Features = std::set<std::string_view>;

// Where kernels branch: one query is a token that is generated, heads in groups share keys, batches are offsets.
struct Situation {
  std::size_t queries, heads, kv_heads, batches;
};

// Every row keeps a key: windows reach back behind the shortest length, and of three keys a mask removes one at most.
CaseInputs with(CaseMaker& maker, const Situation& situation, const Features& features) {
  CaseInputs in = maker.plain(situation.queries, 45);
  in.heads = situation.heads, in.kv_heads = situation.kv_heads, in.batches = situation.batches;
  maker.draw(in);
  for (double& number : in.q) number *= 3;
  for (std::size_t n = 0; n < in.v.size(); ++n)
    in.v[n] += 2 * static_cast<double>(n / (in.keys * in.value_size) % in.kv_heads);
  const auto has = [&](std::string_view feature) { return features.contains(feature); };
  in.causal = has("causal");
  if (has("window")) in.window = 14;
  if (has("window-after") && !in.causal) in.window_after = 3;
  if (has("softcap")) in.softcap = 2;
  if (has("bias")) in.bias = maker.normals(in.queries * in.keys);
  for (std::size_t b = 0; b < in.batches && has("lengths"); ++b) in.lengths.push_back(40 - 3 * static_cast<double>(b));
  for (std::size_t n = 0; n < in.queries * in.keys && has("mask"); ++n)
    in.mask.push_back((n / in.keys + n % in.keys) % 5 != 3);
  for (std::size_t head = 0; head < in.heads; ++head) {
    const auto number = static_cast<double>(head);
    if (has("sinks")) in.sinks.push_back(0.5 * number + 1);
    if (has("slopes")) in.slopes.push_back(std::exp2(-number - 1));
  }
  return in;
}

}  // namespace

std::vector<CaseInputs> combined_cases(CaseMaker& maker) {
  const auto wanted = [&](std::initializer_list<std::string_view> list) {
    Features features;
    for (const std::string_view feature : list)
      if (maker.wants(feature)) features.insert(feature);
    return features;
  };
  const Features by_score = wanted({"causal", "window", "softcap", "sinks"});
  const Features by_key = wanted({"window-after", "lengths", "mask", "bias", "slopes"});
  Features all = by_score;
  all.insert(by_key.begin(), by_key.end());
  const std::size_t shared = maker.wants("heads") ? 1 : 2;
  std::vector<Situation> situations = {maker.wants("heads") ? Situation{1, 4, 2, 1} : Situation{1, 2, 2, 1}};
  if (maker.wants("heads")) situations.push_back({7, 6, 2, 1});
  if (maker.wants("batches")) situations.push_back({4, 2, shared, 3});
  std::vector<CaseInputs> made;
  for (const Situation& situation : situations) {
    made.push_back(with(maker, situation, all));
    if (by_score.empty() || by_key.empty()) continue;  // else a kernel may decline all at once
    for (const Features& some : {by_score, by_key}) made.push_back(with(maker, situation, some));
  }
  return made;
}

}  // namespace attncert
