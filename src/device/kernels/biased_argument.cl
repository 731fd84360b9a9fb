// The argument z / T + b of a sigmoid. (centre - b) T, exact but for what is below its units, is the host's; the
// distance of a logit from it is an integer, which loses nothing where z and b T cancel.
#ifndef ATTNCERT_BIASED_ARGUMENT
#define ATTNCERT_BIASED_ARGUMENT
#include "src/device/kernels/depth.cl"
#include "src/device/kernels/dialect.cl"
#include "src/device/kernels/fixed.cl"

// Units are 2^-120 of 2^e, T = m 2^e, so that distances count modulo 2^(e + 80).
#define COARSER 56

// Of a call: T; (centre - b) T, carried; the logits below which, and above which, the argument is beyond what counts.
typedef struct {
  Temperature temperature;
  Fixed centre;
  float low, high;
} BiasedArgument;

// How far the argument of a logit between them is below the centre, in units of 2^-53.
DEVICE u64 depth_at(BiasedArgument call, float x) {
  Number distance = leading_of(below_top(call.centre, x, call.temperature.exponent + COARSER));
  distance.power += COARSER;
  return depth_of(distance, call.temperature, ONCE);
}

#endif  // ATTNCERT_BIASED_ARGUMENT
