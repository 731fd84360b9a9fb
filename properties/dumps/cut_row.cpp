#include "properties/dumps/cut_row.hpp"

#include <fmt/format.h>

#include "src/files/safetensors_text.hpp"

namespace attncert {
namespace {

// What any part of the dump is read with.
std::map<std::string, std::string> settings_of(const AttentionDump& dump) {
  const DumpSettings& settings = dump.settings();
  std::map<std::string, std::string> texts = {{"scale", fmt::format("{}", dump.scale())}};
  if (settings.softcap > 0) texts["softcap"] = fmt::format("{}", settings.softcap);
  if (settings.lse_base_2) texts["lse-base"] = "2";
  if (!settings.rounding.empty()) texts["class"] = settings.rounding;
  return texts;
}

// What masks besides `mask` itself, as it stands.
std::map<std::string, std::string> settings_of_masks(const DumpSettings& settings) {
  std::map<std::string, std::string> texts;
  if (settings.causal != Corner::none)
    texts["causal"] = settings.causal == Corner::top_left ? "top-left" : "bottom-right";
  if (settings.diagonal != Corner::none)
    texts["diagonal"] = settings.diagonal == Corner::top_left ? "top-left" : "bottom-right";
  if (settings.window) texts["window"] = fmt::format("{}", *settings.window);
  if (settings.window_after) texts["window-after"] = fmt::format("{}", *settings.window_after);
  return texts;
}

void append(std::vector<double>& to, const std::vector<double>& from) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace

Result<std::string> cut_row(const AttentionDump& dump, const Place& place) {
  const KeysAndValues shared = dump.keys_and_values(place.batch, dump.kv_head(place.head));
  const DumpedRow dumped = dump.row(place, shared);
  const auto& [B, H, KV, Lq, keys, size, value_size] = dump.shape();
  const reference::AttentionRow& row = dumped.row;
  // Without a causal mask, the one query of the file stands at the last key.
  if (row.slope && (row.causal || row.position + row.offset + 1 != static_cast<std::int64_t>(keys)))
    return Error{fmt::format(
        "query {}: has a slope, and a file of one row cannot say where it stands; keep the whole file", place.query)};
  std::vector<double> mask(keys, 0);
  for (const std::size_t j : kept_keys(row)) mask[j] = 1;
  std::map<std::string, TensorToWrite> tensors = {{"q", {{1, 1, 1, size}, dumped.query, dump.dtype("q")}},
                                                  {"o", {{1, 1, 1, value_size}, dumped.output, dump.dtype("o")}},
                                                  {"mask", {{1, 1, 1, keys}, mask, "BOOL"}}};
  const std::size_t head = dump.kv_head(place.head);
  for (const auto& [name, width] : {std::pair{"k", size}, {"v", value_size}}) {  // as they are stored
    tensors[name] = {{1, 1, keys, width}, {}, dump.dtype(name)};
    for (std::size_t j = 0; j < keys; ++j) append(tensors[name].numbers, dump.numbers(name, {place.batch, head, j}));
  }
  for (const char* const name : {"k_scale", "v_scale"})
    if (dump.has(name)) tensors[name] = {{1}, {dump.scale_of(name, head)}, dump.dtype(name)};
  if (dumped.lse) tensors["lse"] = {{1, 1, 1}, {*dumped.lse}, dump.dtype("lse")};
  if (!dumped.bias.empty()) tensors["bias"] = {{1, 1, 1, keys}, dumped.bias, dump.dtype("bias")};
  if (row.sink) tensors["sinks"] = {{1}, {*row.sink}, "F64"};
  if (row.slope) tensors["slopes"] = {{1}, {*row.slope}, "F64"};
  return safetensors_text(tensors, settings_of(dump));
}

std::string cut_group(const AttentionDump& dump, std::size_t batch, std::size_t kv_head) {
  const auto& [B, H, KV, Lq, Lk, size, value_size] = dump.shape();
  const KeysAndValues shared = dump.keys_and_values(batch, kv_head);
  const std::size_t heads = H / KV;
  std::map<std::string, TensorToWrite> tensors;
  const auto add = [&](const std::string& name, std::vector<std::size_t> shape, const std::vector<double>& numbers,
                       const std::string& dtype) {
    TensorToWrite& tensor = tensors[name];
    tensor.shape = std::move(shape);
    tensor.dtype = dtype;
    append(tensor.numbers, numbers);
  };
  for (std::size_t h = kv_head * heads; h < (kv_head + 1) * heads; ++h)
    for (std::size_t i = 0; i < Lq; ++i) {
      const Place place{batch, h, i};
      const DumpedRow dumped = dump.row(place, shared);
      for (const auto& [name, width] : {std::pair{"q", size}, {"o", value_size}, {"do", value_size}, {"dq", size}})
        if (dump.has(name)) add(name, {1, heads, Lq, width}, dump.numbers(name, place), dump.dtype(name));
      if (dumped.lse) add("lse", {1, heads, Lq}, {*dumped.lse}, dump.dtype("lse"));
      if (dump.has("bias")) add("bias", {1, heads, Lq, Lk}, dumped.bias, dump.dtype("bias"));
      if (dump.has("mask")) add("mask", {1, heads, Lq, Lk}, {dumped.mask.begin(), dumped.mask.end()}, "BOOL");
      if (i > 0) continue;
      if (dump.has("dsinks") && B == 1) add("dsinks", {heads}, dump.numbers("dsinks", place), dump.dtype("dsinks"));
      if (dump.has("sinks")) add("sinks", {heads}, {dumped.row.sink.value_or(no_sink)}, "F64");
      if (dumped.row.slope) add("slopes", {heads}, {*dumped.row.slope}, "F64");
      if (dumped.row.length) tensors["lengths"] = {{1}, {static_cast<double>(*dumped.row.length)}, "F64"};
    }
  for (std::size_t j = 0; j < Lk; ++j)
    for (const auto& [name, width] : {std::pair{"k", size}, {"v", value_size}, {"dk", size}, {"dv", value_size}})
      if (dump.has(name)) add(name, {1, 1, Lk, width}, dump.numbers(name, {batch, kv_head, j}), dump.dtype(name));
  auto texts = settings_of(dump);
  texts.merge(settings_of_masks(dump.settings()));
  return safetensors_text(tensors, texts);
}

}  // namespace attncert
