// The faults of range_flaws.cpp show what wide rows are for: rows of fixed regimes and the laws' see none of them.
#include <gtest/gtest.h>

#include "properties/conformance/faults/fault_lists.hpp"
#include "properties/conformance/laws/law_check.hpp"
#include "properties/conformance/suite/suite.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t campaign_seed = 1, law_tapes = 60;

// The case that sees it, or "".
std::string seen_by_other_rows(const Fault& fault) {
  const JudgedSubject& subject = *find_judged(judged_subjects(), fault.subject());
  const JudgedKernel kernel = judged_kernel(*fault.kernel);
  for (const AccuracyCase& which : subject.cases(Effort::quick)) {
    if (which.source == AccuracyCase::Source::wide) continue;
    const auto trial = subject.trial(which, {campaign_seed, Effort::quick}, kernel, 1);
    trial->call(0, kernel);
    const RowResult result = trial->judge().front();
    if (result.judgement.outside != 0 || !result.breaches.empty()) return which.name;
  }
  return "";
}

TEST(RangeFlaws, AreSeenByWideRowsAlone) {
  for (const Fault& fault : plain::range_flaws()) {
    EXPECT_EQ(seen_by_other_rows(fault), "") << fault.name;
    const Subject& normalizer = *find_subject(fault.kernel->normalizer);
    for (const LawCheck& check : law_checks())
      if (applies(check, normalizer)) {
        EXPECT_EQ(check_law(check, normalizer, *fault.kernel, campaign_seed, law_tapes).violated, 0u)
            << fault.name << check.name;
      }
  }
}

}  // namespace
}  // namespace attncert
