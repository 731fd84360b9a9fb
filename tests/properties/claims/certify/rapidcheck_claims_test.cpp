// Every claim that is expected to hold, as a RapidCheck property over tapes; RC_PARAMS (set by ctest) fixes the seed.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/claim.hpp"
#include "tests/properties/claims/certify/rapidcheck_tape.hpp"

namespace attncert {
namespace {

void holds(const char* id) {
  const Statement& statement = find_claim(id)->statement;
  const Tape tape = *rapidcheck_tapes();
  Choices choices(tape);
  const Ruling ruling = judge(statement, statement.sided()->generate(choices));
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
RC_GTEST_PROP(RapidCheck, DistanceSplit, ()) { holds("distance-split"); }
RC_GTEST_PROP(RapidCheck, DistanceLower, ()) { holds("distance-lower"); }
RC_GTEST_PROP(RapidCheck, MeanDistanceLimit, ()) { holds("mean-distance-limit"); }
RC_GTEST_PROP(RapidCheck, DistanceCapFixedN, ()) { holds("distance-cap-fixed-n"); }
RC_GTEST_PROP(RapidCheck, Theorem1UpperNormOfSum, ()) { holds("theorem1-upper-norm-of-sum"); }
RC_GTEST_PROP(RapidCheck, ExpectedDistanceSandwich, ()) { holds("expected-distance-sandwich"); }
RC_GTEST_PROP(RapidCheck, SeparabilitySandwich, ()) { holds("separability-sandwich"); }
RC_GTEST_PROP(RapidCheck, SeparabilityEquiangular, ()) { holds("separability-equiangular"); }
RC_GTEST_PROP(RapidCheck, Theorem2LowerLiteralClose, ()) { holds("theorem2-lower-literal-close"); }
RC_GTEST_PROP(RapidCheck, TopMassCap, ()) { holds("top-mass-cap"); }
RC_GTEST_PROP(RapidCheck, Lemma1BoundedLogits, ()) { holds("lemma1-bounded-logits"); }
RC_GTEST_PROP(RapidCheck, SoftmaxMassNeedsRange, ()) { holds("softmax-mass-needs-range"); }
RC_GTEST_PROP(RapidCheck, SoftmaxSharpnessNeedsLogLength, ()) { holds("softmax-sharpness-needs-log-length"); }
RC_GTEST_PROP(RapidCheck, SoftmaxSpectralBounds, ()) { holds("softmax-spectral-bounds"); }
RC_GTEST_PROP(RapidCheck, EntmaxTopWeightFloor, ()) { holds("entmax-top-weight-floor"); }
RC_GTEST_PROP(RapidCheck, JacobianSharpColumn, ()) { holds("jacobian-sharp-column"); }
RC_GTEST_PROP(RapidCheck, JacobianSharpSlope, ()) { holds("jacobian-sharp-slope"); }
RC_GTEST_PROP(RapidCheck, JacobianLogSlope, ()) { holds("jacobian-log-slope"); }

}  // namespace
}  // namespace attncert
