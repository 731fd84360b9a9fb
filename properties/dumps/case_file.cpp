// A case's inputs as the file that a kernel reads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "properties/dumps/case_maker.hpp"
#include "properties/dumps/empty_rows.hpp"
#include "properties/dumps/stored_keys.hpp"
#include "src/files/safetensors_text.hpp"

namespace attncert {
namespace {

std::map<std::string, TensorToWrite> tensors_of(const CaseInputs& in, const CaseWishes& wishes) {
  const std::string& dtype = wishes.dtype;
  std::map<std::string, TensorToWrite> tensors = {{"q", {{in.batches, in.heads, in.queries, in.size}, in.q, dtype}}};
  add_keys_and_values(in, wishes, tensors);
  const auto add = [&](const char* name, const std::vector<double>& numbers, std::vector<std::size_t> shape,
                       const char* type) {
    if (!numbers.empty()) tensors[name] = {std::move(shape), numbers, type};
  };
  add("do", in.output_gradient, {in.batches, in.heads, in.queries, in.value_size}, dtype.c_str());
  const std::size_t of_batches = in.pairs_of_batches ? in.batches : 1, of_heads = in.pairs_of_heads ? in.heads : 1;
  add("bias", in.bias, {of_batches, of_heads, in.queries, in.keys}, "F32");
  const bool flags = std::ranges::all_of(in.mask, [](double kept) { return kept <= 1; });
  add("mask", in.mask, {of_batches, of_heads, in.queries, in.keys}, flags ? "BOOL" : "U8");
  add("sinks", in.sinks, {in.heads}, "F32");
  add("slopes", in.slopes, {in.heads}, "F32");
  add("lengths", in.lengths, {in.batches}, "F32");
  return tensors;
}

}  // namespace

CaseFile case_file(const CaseInputs& in, const CaseWishes& wishes, std::string_view group, std::size_t number) {
  const double scale = in.scale != 0 ? in.scale : 1 / std::sqrt(static_cast<double>(in.size));
  std::map<std::string, std::string> settings{{"group", std::string(group)},
                                              {"scale", fmt::format("{}", rounded_to("F32", scale))}};
  if (in.causal) settings["causal"] = in.top_left ? "top-left" : "bottom-right";
  if (in.window > 0) settings["window"] = std::to_string(in.window);
  if (in.window_after > 0) settings["window-after"] = std::to_string(in.window_after);
  if (in.softcap > 0) settings["softcap"] = fmt::format("{}", in.softcap);
  if (group == "not-finite") settings["not-finite"] = "propagates";
  if (group == "empty-rows") settings["empty-rows"] = name_of(EmptyRow::zeros);  // as attention.h has it
  return {fmt::format("{}-{}", group, number), safetensors_text(tensors_of(in, wishes), settings)};
}

}  // namespace attncert
