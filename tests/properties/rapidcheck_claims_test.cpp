// Every claim that is expected to hold, as a RapidCheck property over tapes; RC_PARAMS (set by ctest) fixes the seed.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "properties/certify/judge.hpp"
#include "properties/claims/claim.hpp"
#include "tests/properties/rapidcheck_tape.hpp"

namespace attncert {
namespace {

void holds(const char* id) {
  const Statement& statement = find_claim(id)->statement;
  const Tape tape = *rapidcheck_tapes();
  Choices choices(tape);
  const Ruling ruling = judge(statement, statement.generate(choices));
  RC_CLASSIFY(ruling.decision == Decision::discarded);
  RC_ASSERT(ruling.decision != Decision::violated);
  RC_ASSERT(ruling.decision != Decision::undecided);
}

RC_GTEST_PROP(RapidCheck, DistanceUpper, ()) { holds("distance-upper"); }
RC_GTEST_PROP(RapidCheck, DistanceTwoSided, ()) { holds("distance-two-sided"); }
RC_GTEST_PROP(RapidCheck, Theorem2Lower, ()) { holds("theorem2-lower"); }
RC_GTEST_PROP(RapidCheck, Lemma2FirstTerm, ()) { holds("lemma2-first-term"); }
RC_GTEST_PROP(RapidCheck, SoftmaxHalfOverTemperature, ()) { holds("softmax-half-over-temperature"); }
RC_GTEST_PROP(RapidCheck, SoftmaxLargestEntry, ()) { holds("softmax-largest-entry"); }
RC_GTEST_PROP(RapidCheck, WeightsOrderSharp, ()) { holds("weights-order-sharp"); }

}  // namespace
}  // namespace attncert
