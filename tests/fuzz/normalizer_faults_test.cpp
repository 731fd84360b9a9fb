// The targets `normalizer` and `long` can fail: each of these faulty kernels, in its normalizer's place, is caught by
// the stored corpus alone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/target.hpp"
#include "src/core/tape.hpp"

namespace attncert {

FuzzTarget fuzz_normalizer();
FuzzTarget fuzz_long();

namespace {

void replay_corpus_with(const char* fault, const FuzzTarget& target = fuzz_normalizer()) {
  setenv("ATTNCERT_FUZZ_FAULT", fault, 1);
  Guide guide = Guide::silent();
  for (const auto& entry :
       std::filesystem::directory_iterator(ATTNCERT_SOURCE_DIR "/fuzz/corpus/" + std::string(target.name))) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const Tape tape{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    target.run(tape, guide);
  }
}

// A process each: the fault is chosen once, and the violation aborts.
TEST(NormalizerTarget, CatchesFaults) {
  EXPECT_DEATH(replay_corpus_with("no-max"), "softmax.*f32.* ulp at entry");
  EXPECT_DEATH(replay_corpus_with("exp-cut"), "softmax.*f32.* ulp at entry");
  EXPECT_DEATH(replay_corpus_with("support-long"), "sparsemax.*f32.* ulp at entry");
  EXPECT_DEATH(replay_corpus_with("masked-sum"), "softmax.*f32.* ulp at entry");
  EXPECT_DEATH(replay_corpus_with("entmax-alpha-one"), "a parameter out of range is not refused");
  EXPECT_DEATH(replay_corpus_with("rounding-mode"), "left another rounding mode behind");
  EXPECT_DEATH(replay_corpus_with("mask-stride"), "alone and in a batch");
  EXPECT_DEATH(replay_corpus_with("infinity-nan"), "\\+inf at a kept entry: found nan-row, promised limit");
  EXPECT_DEATH(replay_corpus_with("index-16-bits"), "normalizer: softmax.*f32.* ulp at entry");
  EXPECT_DEATH(replay_corpus_with("index-16-bits", fuzz_long()), "long: softmax.*f32.* ulp at entry");
  EXPECT_DEATH(replay_corpus_with("nonesuch"), "no such fault");
}

}  // namespace
}  // namespace attncert
