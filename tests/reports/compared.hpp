// What compare() says of two ledgers that differ in one row, for tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "reports/comparison/comparison.hpp"
#include "tests/reports/sample_ledger.hpp"

namespace attncert::report {

inline Comparison compared(const Ledger& before, const Ledger& after, const ComparisonOptions& options = {}) {
  const Result<Comparison> comparison = compare({"before", before}, {"after", after}, options);
  EXPECT_TRUE(comparison) << (comparison ? "" : comparison.error().message);
  return comparison ? *comparison : Comparison{};
}

// The outcome and the rule of the one row that an edit of the sample changes.
struct Found {
  std::string outcome, why;
  std::vector<FieldChange> changes;
};
inline Found found(const Comparison& comparison) {
  EXPECT_EQ(comparison.regressions + comparison.improvements + comparison.changes, 1u);
  for (const KindChanges& kind : comparison.kinds)
    for (const RowChange& row : kind.rows) return {row.outcome, row.why, row.changes};
  return {};
}
using Edit = std::function<void(Ledger&)>;
inline Found edited(const Edit& edit) {
  Ledger after = sample_ledger();
  edit(after);
  return found(compared(sample_ledger(), after));
}

}  // namespace attncert::report
