// The mutator of the target `normalizer` as libFuzzer calls it: every other time it is libFuzzer's own, and always where
// ATTNCERT_FUZZ_MUTATOR=0 is in the environment (to measure what it is worth).
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "fuzz/normalizer_mutator.hpp"
#include "fuzz/target.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  static const char* const wish = std::getenv("ATTNCERT_FUZZ_MUTATOR");
  static const bool own = wish == nullptr || std::string_view(wish) != "0";
  static attncert::ChosenSubject chosen(attncert::subjects_of_normalizer);
  if (!own || seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  const attncert::Tape changed = attncert::mutated(chosen.put({data, size}), seed);
  const std::size_t kept = std::min(changed.size(), most);
  std::copy_n(changed.begin(), kept, data);
  return kept;
}
