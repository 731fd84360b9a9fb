#include "properties/dumps/cut_row.hpp"

#include <fmt/format.h>

#include "src/files/safetensors_text.hpp"

namespace attncert {

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
                                                  {"k", {{1, 1, keys, size}, shared.keys, dump.dtype("k")}},
                                                  {"v", {{1, 1, keys, value_size}, shared.values, dump.dtype("v")}},
                                                  {"o", {{1, 1, 1, value_size}, dumped.output, dump.dtype("o")}},
                                                  {"mask", {{1, 1, 1, keys}, mask, "BOOL"}}};
  if (dumped.lse) tensors["lse"] = {{1, 1, 1}, {*dumped.lse}, dump.dtype("lse")};
  if (!dumped.bias.empty()) tensors["bias"] = {{1, 1, 1, keys}, dumped.bias, dump.dtype("bias")};
  if (row.sink) tensors["sinks"] = {{1}, {*row.sink}, "F64"};
  if (row.slope) tensors["slopes"] = {{1}, {*row.slope}, "F64"};
  const DumpSettings& settings = dump.settings();
  std::map<std::string, std::string> texts = {{"scale", fmt::format("{}", dump.scale())}};
  if (settings.softcap > 0) texts["softcap"] = fmt::format("{}", settings.softcap);
  if (settings.lse_base_2) texts["lse-base"] = "2";
  if (!settings.rounding.empty()) texts["class"] = settings.rounding;
  return safetensors_text(tensors, texts);
}

}  // namespace attncert
