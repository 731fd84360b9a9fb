// What a dump of attention does not say by its tensors: how its kernel read them. Given as texts, by the metadata of
// the file or by options of the command, under the same names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "properties/dumps/empty_rows.hpp"
#include "src/core/printable.hpp"
#include "src/core/result.hpp"
#include "src/files/tensor.hpp"

namespace attncert {

enum class Corner { none, top_left, bottom_right };  // where the causal diagonal begins, or no causal mask

struct DumpSettings {
  bool heads_first = true;      // [batch, heads, length, size], else [batch, length, heads, size]
  std::optional<double> scale;  // of q . k; nothing: 1 / sqrt(head size), as a double
  Corner causal = Corner::none;
  Corner diagonal = Corner::none;                    // of windows and ALiBi; none: of causal, else bottom_right
  std::optional<std::int64_t> window, window_after;  // as AttentionRow
  double softcap = 0;                                // 0: none
  bool lse_base_2 = false;
  std::optional<EmptyRow> empty_rows;  // what rows without a key are to hold; nothing: whatever they do
  bool nan_propagates = false;         // rows that read NaN or infinity are held to what NotFinite says
  std::string rounding;  // the name of a rounding class (docs/attention-bounds.md); empty: what suits the formats
};

template <class Settings>
struct Setting {
  std::string_view name, help;
  // "" or what is wrong with the text.
  std::string (*set)(Settings& settings, const std::string& text);
};
std::span<const Setting<DumpSettings>> dump_settings();

// Whether a tensor without axes is one of them, and no tensor that a kernel read.
template <class Settings>
bool is_setting(std::span<const Setting<Settings>> list, const std::string& name, const Tensor& tensor) {
  return tensor.shape.empty() &&
         std::any_of(list.begin(), list.end(), [&](const Setting<Settings>& setting) { return setting.name == name; });
}

// What the texts say. Error: "<where>: <name> ...", of a name too that no setting has: what a kernel was asked for must
// not be overlooked. "format" is what other writers put there, "group" what attncert cases does.
template <class Settings>
Result<Settings> settings_of(std::span<const Setting<Settings>> list, const std::map<std::string, std::string>& texts,
                             const std::string& where) {
  Settings result;
  for (const auto& [name, text] : texts)
    if (name != "format" && name != "group" &&
        std::none_of(list.begin(), list.end(), [&](const auto& setting) { return setting.name == name; }))
      return Error{where + ": \"" + printable(name) + "\" is no setting of such a file; " +
                   "attncert judge --help lists them"};
  for (const Setting<Settings>& setting : list) {
    const auto given = texts.find(std::string(setting.name));
    if (given == texts.end()) continue;
    const std::string wrong = setting.set(result, given->second);
    if (!wrong.empty())
      return Error{where + ": " + std::string(setting.name) + " \"" + printable(given->second) + "\" " + wrong + "; " +
                   std::string(setting.help)};
  }
  return result;
}

}  // namespace attncert
