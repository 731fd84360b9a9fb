// The truths of the double-double tier (docs/double-double.md): what the entries of a row are, by the row's normalizer.
#pragma once

#include <limits>
#include <memory>
#include <optional>

#include "properties/conformance/double_double/judge.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert {

class TierTruth {
 public:
  static bool serves(const Normalizer& normalizer);  // whether there is a truth for it at all

  // Served, and an ordinary row; both outlive the object. min_exponent: of the narrowest range whose units the truth is
  // measured in (std::numeric_limits); magnitudes below have no digits to know.
  TierTruth(const Normalizer& normalizer, const LogitRow& row,
            int min_exponent = std::numeric_limits<double>::min_exponent);
  ~TierTruth();
  // Nothing where the row is outside of what is proved, or the truth of more than half of its entries is not known.
  const std::optional<double_double::Truth>& truth() const;

  struct Sources;  // what a truth points into

 private:
  std::unique_ptr<Sources> sources_;
};

}  // namespace attncert
