#include "reference/attention/scaled_inputs.hpp"

#include <algorithm>

namespace attncert::reference {
namespace {

bool changes_nothing(const ScaleRange& scales) { return scales.least == 1 && scales.most == 1; }

// (1 + a)(1 + b) - 1, rounded upward: four roundings of doubles are below 2^-50 of it.
double both(double a, double b) { return (a + b + a * b) * (1 + 0x1p-50); }

// Of the product with the scale: in the class's own format, or by a single operation.
double product_of(const RoundingClass& rounding) {
  return std::max(rounding.scaled.relative, rounding.single.relative);
}

}  // namespace

RoundingClass with_scaled_keys(RoundingClass rounding, const ScaleRange& scales) {
  if (changes_nothing(scales)) return rounding;
  const double larger = std::max(1.0, scales.most), farthest = std::max(larger, 1 / scales.least);
  rounding.operands.relative = both(rounding.operands.relative, product_of(rounding));
  rounding.operands.absolute += rounding.scaled.absolute + rounding.single.absolute * farthest;
  rounding.single.absolute *= larger;
  rounding.constants += 2;
  rounding.products += 1;
  return rounding;
}

RoundingClass with_scaled_values(RoundingClass rounding, const ScaleRange& scales) {
  if (changes_nothing(scales)) return rounding;
  const double larger = std::max(1.0, scales.most);
  rounding.values.relative = both(rounding.values.relative, product_of(rounding));
  rounding.values.absolute = rounding.values.absolute * larger + 2 * rounding.scaled.absolute;
  rounding.output_sum.absolute *= larger;
  rounding.part_output.absolute *= larger;
  return rounding;
}

}  // namespace attncert::reference
