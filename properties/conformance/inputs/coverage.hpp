// What a campaign's rows came to, for people: the classes that each kernel met, how often, and those that it did not.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "properties/conformance/inputs/input_classes.hpp"

namespace attncert {

struct InputCoverage {
  std::vector<std::uint64_t> rows;  // of each class, in the order of input_classes(); empty: none yet
  LengthCoverage lengths;
  std::size_t longest = 0;
  void add(const InputClasses& classes, std::size_t length);
};

struct CoveredKernel {
  std::string name;
  const Normalizer* normalizer;
  attncert_dtype dtype_in;
  const InputCoverage* coverage;
};

// Classes without a row among those that concern the kernel and begin at half of the length that it was given, or
// before; and "lengths around 2^7": powers of two of which some residue is missing.
std::vector<std::string> classes_missed(const CoveredKernel& kernel);

// One line an axis: how many classes, and where the fewest rows were.
std::string coverage_text(std::span<const CoveredKernel> kernels);

// Class by column as Markdown: rows of each class, the fewest over the kernels of a column; "-" where none concerns it.
std::string coverage_table(std::span<const std::string> columns,
                           const std::vector<std::vector<CoveredKernel>>& kernels);

}  // namespace attncert
