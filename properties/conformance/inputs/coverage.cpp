#include "properties/conformance/inputs/coverage.hpp"

#include <algorithm>
#include <optional>

namespace attncert {
namespace {

// Whether the kernel should have met it: its longest rows are few.
bool is_due(const InputClass& one, const CoveredKernel& kernel) {
  return one.from_length <= kernel.coverage->longest / 2 && concerns(one, *kernel.normalizer, kernel.dtype_in);
}

std::uint64_t rows_of(std::size_t number, const CoveredKernel& kernel) {
  return kernel.coverage->rows.empty() ? 0 : kernel.coverage->rows[number];
}

bool lengths_are_due(std::size_t power, const CoveredKernel& kernel) {
  return (std::size_t{1} << power) <= kernel.coverage->longest;
}

std::vector<std::size_t> powers_due(const CoveredKernel& kernel) {
  std::vector<std::size_t> powers;
  for (std::size_t power = 6; power < powers_of_lengths; ++power)
    if (lengths_are_due(power, kernel)) powers.push_back(power);
  return powers;
}

// Of one axis, over all kernels.
struct Axis {
  std::string name{};
  std::size_t classes = 0, missed = 0;
  std::uint64_t fewest = UINT64_MAX;
  std::string where{};
};

void add(Axis& axis, const InputClass& one, std::size_t number, std::span<const CoveredKernel> kernels) {
  bool due = false, met = true;
  for (const CoveredKernel& kernel : kernels) {
    if (!is_due(one, kernel)) continue;
    const std::uint64_t rows = rows_of(number, kernel);
    due = true;
    met = met && rows > 0;
    if (rows >= axis.fewest) continue;
    axis.fewest = rows;
    axis.where = one.name + " (" + kernel.name + ")";
  }
  axis.classes += due;
  axis.missed += due && !met;
}

}  // namespace

void InputCoverage::add(const InputClasses& classes, std::size_t length) {
  rows.resize(input_classes().size());
  for (std::size_t number = 0; number < rows.size(); ++number) rows[number] += classes[number];
  lengths.add(length);
  longest = std::max(longest, length);
}

std::vector<std::string> classes_missed(const CoveredKernel& kernel) {
  std::vector<std::string> names;
  const auto classes = input_classes();
  for (std::size_t number = 0; number < classes.size(); ++number)
    if (is_due(classes[number], kernel) && rows_of(number, kernel) == 0) names.push_back(classes[number].name);
  for (const std::size_t power : powers_due(kernel))
    if (kernel.coverage->lengths.residues(power) != LengthCoverage::expected(power))
      names.push_back("lengths around 2^" + std::to_string(power));
  return names;
}

std::string coverage_text(std::span<const CoveredKernel> kernels) {
  std::vector<Axis> axes;
  const auto classes = input_classes();
  for (std::size_t number = 0; number < classes.size(); ++number) {
    const InputClass& one = classes[number];
    const auto at = std::ranges::find(axes, one.axis, &Axis::name);
    add(at != axes.end() ? *at : axes.emplace_back(Axis{.name = one.axis}), one, number, kernels);
  }
  std::string text;
  for (const Axis& axis : axes) {
    if (axis.classes == 0) continue;
    text += "  " + axis.name + ": " + std::to_string(axis.classes) + " classes, " +
            (axis.missed == 0 ? "all met" : std::to_string(axis.missed) + " NOT MET by every kernel") +
            "; fewest rows " + std::to_string(axis.fewest) + ": " + axis.where + "\n";
  }
  return text;
}

std::string coverage_table(std::span<const std::string> columns,
                           const std::vector<std::vector<CoveredKernel>>& kernels) {
  std::string text = "| class |", rule = "|---|";
  for (const std::string& column : columns) text += " " + column + " |", rule += "---:|";
  text += "\n" + rule + "\n";
  const auto classes = input_classes();
  for (std::size_t number = 0; number < classes.size(); ++number) {
    text += "| " + classes[number].name + " |";
    for (const auto& column : kernels) {
      std::optional<std::uint64_t> fewest;
      for (const CoveredKernel& kernel : column)
        if (is_due(classes[number], kernel)) fewest = std::min(fewest.value_or(UINT64_MAX), rows_of(number, kernel));
      text += " " + (fewest ? std::to_string(*fewest) : "-") + " |";
    }
    text += "\n";
  }
  return text;
}

}  // namespace attncert
