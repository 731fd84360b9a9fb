// What a dump of attention does not say by its tensors: how its kernel read them. Given as texts, by the metadata of
// the file or by options of the command, under the same names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/core/result.hpp"

namespace attncert {

enum class Corner { none, top_left, bottom_right };  // where the causal diagonal begins, or no causal mask

struct DumpSettings {
  bool heads_first = true;      // [batch, heads, length, size], else [batch, length, heads, size]
  std::optional<double> scale;  // of q . k; nothing: 1 / sqrt(head size), as a double
  Corner causal = Corner::none;
  std::optional<std::int64_t> window, window_after;  // as AttentionRow
  double softcap = 0;                                // 0: none
  bool lse_base_2 = false;
  std::string rounding;  // the name of a rounding class (docs/attention-bounds.md); empty: what suits the formats
};

struct Setting {
  std::string_view name, help;
  // "" or what is wrong with the text.
  std::string (*set)(DumpSettings& settings, const std::string& text);
};
std::span<const Setting> dump_settings();

// What the texts say; other names than those above are left to other readers. Error: "<where>: <name> ...".
Result<DumpSettings> settings_of(const std::map<std::string, std::string>& texts, const std::string& where);

}  // namespace attncert
