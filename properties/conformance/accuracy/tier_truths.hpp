// The truths of the double-double tier (docs/double-double.md): what the entries of a row are, by the row's normalizer.
#pragma once

#include <memory>
#include <optional>

#include "properties/conformance/double_double/judge.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert {

class TierTruth {
 public:
  static bool serves(const Normalizer& normalizer);  // whether there is a truth for it at all

  TierTruth(const Normalizer& normalizer, const LogitRow& row);  // served, and an ordinary row; both outlive the object
  ~TierTruth();
  // Nothing where the row is outside of what is proved, or the truth of more than half of its entries is not known.
  const std::optional<double_double::Truth>& truth() const;

  struct Sources;  // what a truth points into

 private:
  std::unique_ptr<Sources> sources_;
};

}  // namespace attncert
