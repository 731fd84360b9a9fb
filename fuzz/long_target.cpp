// The target `long` does what `normalizer` does with rows beyond 64 logits, each of which takes as long as hundreds of
// others: beside those, a few would take half of the time. Its inputs are the same; their rows are long, whatever they
// ask for.
#include "fuzz/normalizer_target.hpp"

namespace attncert {
namespace {

void run(std::span<const std::uint8_t> input, Guide& guide) {
  run_case("long", draw_normalizer_case(input, lengths_of("long")), guide);
}

}  // namespace

FuzzTarget fuzz_long() {
  return {"long", "the same on rows of hundreds to tens of thousands of logits", run, &subjects_of_long};
}

}  // namespace attncert
