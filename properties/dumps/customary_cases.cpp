#include <cmath>

#include "properties/dumps/case_maker.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t customary_stream = 999;  // beside those of the groups of cases.cpp

// One feature; "" is none.
CaseInputs customary(CaseMaker& maker, std::size_t queries, std::size_t keys, std::string_view feature) {
  CaseInputs in = maker.plain(queries, keys);
  in.heads = 6, in.kv_heads = maker.wants("heads") ? 2 : 6;
  maker.draw(in);
  in.causal = feature == "causal" || (feature == "window" && maker.wants("causal"));
  if (feature == "window") in.window = 64;
  if (feature == "bias") in.bias = maker.normals(queries * keys);
  if (feature == "sinks") in.sinks = maker.normals(in.heads);
  if (feature == "lengths") in.lengths = {static_cast<double>(keys - 1 - maker.below(20))};
  if (feature == "softcap") {
    in.softcap = 15;
    for (double& number : in.q) number *= in.softcap / 4;
  }
  if (feature == "slopes")
    for (std::size_t head = 1; head <= in.heads; ++head)
      in.slopes.push_back(std::exp2(-8 * static_cast<double>(head) / static_cast<double>(in.heads)));
  if (feature == "mask")
    for (std::size_t n = 0; n < queries * keys; ++n) in.mask.push_back(maker.below(2) == 0 || n % keys == 0);
  if (maker.wants("backward")) in.output_gradient = maker.normals(in.heads * queries * in.value_size);
  return in;
}

}  // namespace

std::vector<CaseFile> customary_cases(const CaseWishes& wishes) {
  std::vector<CaseFile> files;
  CaseMaker maker(wishes, customary_stream);
  for (const auto& [queries, keys] : {std::pair<std::size_t, std::size_t>{113, 203}, {64, 128}})
    for (const std::string_view feature :
         {"", "causal", "window", "mask", "bias", "softcap", "sinks", "slopes", "lengths"})
      if (feature.empty() || maker.wants(feature))
        files.push_back(case_file(customary(maker, queries, keys, feature), wishes, "customary", files.size() + 1));
  return files;
}

}  // namespace attncert
