#include <array>
#include <cmath>

#include "properties/conformance/budget_classes/arithmetic.hpp"
#include "properties/dumps/rows/row_dump.hpp"
#include "src/core/number_in.hpp"

namespace attncert {
namespace {

std::string set_normalizer(RowSettings& settings, const std::string& text) {
  settings.normalizer = text;
  return find_subject(text) != nullptr ? "" : "is no normalizer";
}

std::string set_number(double& number, const std::string& text, bool positive) {
  const auto value = number_in<double>(text);
  if (!value || !std::isfinite(*value) || (positive && !(*value > 0)))
    return positive ? "is no number above 0" : "is no finite number";
  number = *value;
  return "";
}

std::string set_temperature(RowSettings& settings, const std::string& text) {
  return set_number(settings.temperature, text, true);
}

std::string set_alpha(RowSettings& settings, const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto above = number_in<std::uint64_t>(text.substr(0, slash));
  const auto below = slash == std::string::npos ? 1 : number_in<std::uint64_t>(text.substr(slash + 1));
  if (!above || !below || *below == 0 || *above <= *below) return "is no fraction above 1";
  settings.parameters.alpha_numerator = *above;
  settings.parameters.alpha_denominator = *below;
  return "";
}

std::string set_k(RowSettings& settings, const std::string& text) {
  settings.parameters.k = number_in<std::uint64_t>(text).value_or(0);
  return settings.parameters.k >= 1 ? "" : "is no count from 1 on";
}

std::string set_order(RowSettings& settings, const std::string& text) {
  settings.parameters.order = number_in<std::uint32_t>(text).value_or(0);
  return settings.parameters.order >= 2 && settings.parameters.order % 2 == 0 ? "" : "is no even order from 2 on";
}

std::string set_ssmax_scale(RowSettings& settings, const std::string& text) {
  return set_number(settings.parameters.scale, text, false);
}

std::string set_sigmoid_bias(RowSettings& settings, const std::string& text) {
  return set_number(settings.parameters.bias, text, false);
}

std::string set_row_stride(RowSettings& settings, const std::string& text) {
  settings.row_stride = number_in<std::size_t>(text).value_or(0);
  return settings.row_stride >= 1 ? "" : "is no count from 1 on";
}

std::string set_class(RowSettings& settings, const std::string& text) {
  settings.arithmetic = text;
  return find_arithmetic(text, ATTNCERT_F32) != nullptr ? "" : "is no class of docs/budgets.md";
}

constexpr std::array settings{
    Setting<RowSettings>{"normalizer", "of rows: as attncert list --normalizers names it [softmax]", set_normalizer},
    Setting<RowSettings>{"temperature", "of rows: logits are divided by it [1]", set_temperature},
    Setting<RowSettings>{"alpha", "of entmax: a fraction above 1 [3/2]", set_alpha},
    Setting<RowSettings>{"k", "of top-k-softmax [8]", set_k},
    Setting<RowSettings>{"order", "of taylor-softmax [2]", set_order},
    Setting<RowSettings>{"ssmax-scale", "of ssmax [1]", set_ssmax_scale},
    Setting<RowSettings>{"sigmoid-bias", "of sigmoid [0]", set_sigmoid_bias},
    Setting<RowSettings>{"row-stride", "of rows: elements from one to the next where the kernel ran [a row's length]",
                         set_row_stride},
    Setting<RowSettings>{"class", "of rows: the class of budgets (docs/budgets.md) [plain]", set_class}};

}  // namespace

std::span<const Setting<RowSettings>> row_settings() { return settings; }

}  // namespace attncert
