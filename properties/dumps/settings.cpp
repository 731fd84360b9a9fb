#include "properties/dumps/settings.hpp"

#include <array>
#include <cmath>

#include "properties/dumps/rounding_named.hpp"
#include "src/core/number_in.hpp"

namespace attncert {
namespace {

std::optional<double> number_of(const std::string& text) {
  const auto value = number_in<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::int64_t> count_of(const std::string& text) {
  const auto value = number_in<std::int64_t>(text);
  return value && *value >= 1 ? value : std::nullopt;
}

std::string set_layout(DumpSettings& settings, const std::string& text) {
  settings.heads_first = text == "bhld";
  return text == "bhld" || text == "blhd" ? "" : "is neither bhld nor blhd";
}

std::string set_scale(DumpSettings& settings, const std::string& text) {
  settings.scale = number_of(text);
  return settings.scale && *settings.scale != 0 ? "" : "is no finite number other than 0";
}

std::string set_causal(DumpSettings& settings, const std::string& text) {
  if (text == "none") settings.causal = Corner::none;
  else if (text == "top-left") settings.causal = Corner::top_left;
  else if (text == "bottom-right") settings.causal = Corner::bottom_right;
  else return "is none of none, top-left, bottom-right";
  return "";
}

std::string set_diagonal(DumpSettings& settings, const std::string& text) {
  if (text == "top-left") settings.diagonal = Corner::top_left;
  else if (text == "bottom-right") settings.diagonal = Corner::bottom_right;
  else return "is neither top-left nor bottom-right";
  const bool agrees = settings.causal == Corner::none || settings.causal == settings.diagonal;  // set before
  return agrees ? "" : "is another corner than that of causal";
}

std::string set_window(DumpSettings& settings, const std::string& text) {
  settings.window = count_of(text);
  return settings.window ? "" : "is no count of keys from 1 on";
}

std::string set_window_after(DumpSettings& settings, const std::string& text) {
  settings.window_after = count_of(text);
  return settings.window_after ? "" : "is no count of keys from 1 on";
}

std::string set_softcap(DumpSettings& settings, const std::string& text) {
  settings.softcap = number_of(text).value_or(-1);
  return settings.softcap >= 0 ? "" : "is no number from 0 on (0: none)";
}

std::string set_lse_base(DumpSettings& settings, const std::string& text) {
  settings.lse_base_2 = text == "2";
  return text == "e" || text == "2" ? "" : "is neither e nor 2";
}

std::string set_class(DumpSettings& settings, const std::string& text) {
  settings.rounding = text;
  return rounding_named(text) ? "" : "is none of " + rounding_names();
}

std::string set_empty_rows(DumpSettings& settings, const std::string& text) {
  settings.empty_rows = empty_row_named(text);
  return settings.empty_rows ? "" : "is none of zeros, zeros-lse-inf, nan and uniform";
}

std::string set_not_finite(DumpSettings& settings, const std::string& text) {
  settings.nan_propagates = text == "propagates";
  return settings.nan_propagates ? "" : "is not propagates";
}

constexpr std::array settings{
    Setting<DumpSettings>{"layout",
                          "bhld [batch, heads, length, size] or blhd; three axes have no batch, two no heads [bhld]",
                          set_layout},
    Setting<DumpSettings>{"scale", "multiplies q . k [1 / sqrt(head size)]", set_scale},
    Setting<DumpSettings>{"causal", "where the diagonal begins: top-left, bottom-right, or none [none]", set_causal},
    Setting<DumpSettings>{"diagonal",
                          "where the diagonal of windows and slopes begins: top-left or bottom-right [as causal, else "
                          "bottom-right]",
                          set_diagonal},
    Setting<DumpSettings>{"window", "so many keys up to the diagonal are kept [all]", set_window},
    Setting<DumpSettings>{"window-after", "so many keys from the diagonal on are kept [all]", set_window_after},
    Setting<DumpSettings>{"softcap", "scores s become C tanh(s / C) before bias and mask [none]", set_softcap},
    Setting<DumpSettings>{"lse-base", "of the logarithm in lse: e or 2 [e]", set_lse_base},
    Setting<DumpSettings>{"empty-rows",
                          "what rows that keep no key are to hold: zeros (and lse -inf), zeros-lse-inf, nan or uniform "
                          "[told, not judged]",
                          set_empty_rows},
    Setting<DumpSettings>{
        "not-finite",
        "what rows that read NaN or infinity do with it: propagates, to all that it enters and nothing "
        "else [told, not judged]",
        set_not_finite},
    Setting<DumpSettings>{
        "class", "the rounding class that the kernel declares (docs/attention-bounds.md) [by the formats]", set_class}};

}  // namespace

std::span<const Setting<DumpSettings>> dump_settings() { return settings; }

}  // namespace attncert
