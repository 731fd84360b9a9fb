// The mutator of the targets `normalizer` and `long` as libFuzzer calls it: every other time it is libFuzzer's own, and
// always where ATTNCERT_FUZZ_MUTATOR=0 is in the environment (to measure what it is worth). Half of ours start from the
// nearest misses.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "fuzz/elites.hpp"
#include "fuzz/normalizer_mutator.hpp"
#include "fuzz/normalizer_target.hpp"

namespace attncert {
FuzzTarget ATTNCERT_FUZZ_TARGET();
}

namespace {

constexpr std::size_t elite_randomness = 16;  // bytes of choices, more than are read

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  static const char* const wish = std::getenv("ATTNCERT_FUZZ_MUTATOR");
  static const bool own = wish == nullptr || std::string_view(wish) != "0";
  static const attncert::FuzzTarget target = attncert::ATTNCERT_FUZZ_TARGET();
  static attncert::ChosenSubject chosen(*target.subjects);
  if (!own || seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  const attncert::Tape drawn = attncert::random_tape(seed, "elites", 0, elite_randomness);
  attncert::Choices random(drawn);
  std::span<const std::uint8_t> from(data, size);
  if (random.below(2) == 0)
    if (const auto elite = attncert::elites().chosen(random); !elite.empty()) from = elite;
  const attncert::Tape changed =
      attncert::mutated(chosen.put(from), seed, chosen.is_set(), attncert::lengths_of(target.name));
  const std::size_t kept = std::min(changed.size(), most);
  std::copy_n(changed.begin(), kept, data);
  return kept;
}
