// libFuzzer's entry for one target, which the function ATTNCERT_FUZZ_TARGET gives. Its extra counters are the guide's
// buckets; ATTNCERT_FUZZ_GUIDE=0 in the environment switches them off, to measure their worth.
#include <cstdlib>
#include <string_view>

#include "fuzz/elites.hpp"
#include "fuzz/record.hpp"
#include "fuzz/target.hpp"

namespace attncert {
FuzzTarget ATTNCERT_FUZZ_TARGET();
}

namespace {

__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t counters[attncert::Guide::size];

bool guided() {
  const char* wish = std::getenv("ATTNCERT_FUZZ_GUIDE");
  return wish == nullptr || std::string_view(wish) != "0";
}

}  // namespace

// Most of a second goes into malloc under AddressSanitizer: unwinding at each call, and memory that is not used again.
extern "C" const char* __asan_default_options() { return "malloc_context_size=2:quarantine_size_mb=16"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const attncert::FuzzTarget target = attncert::ATTNCERT_FUZZ_TARGET();
  static attncert::Guide guide = guided() ? attncert::Guide(counters) : attncert::Guide::silent();
  attncert::note_run();
  target.run({data, size}, guide);
  const attncert::Guide::Nearest nearest = guide.take_nearest();
  const bool rises = attncert::elites().wants(nearest.group, nearest.fraction);
  if (!rises && !attncert::worst_waits()) return 0;
  static attncert::ChosenSubject chosen(*target.subjects);
  const std::span<const std::uint8_t> asked = chosen.put({data, size});  // what was run, whoever chose it
  if (rises) attncert::elites().offer(nearest.group, nearest.fraction, asked);
  if (attncert::worst_waits()) attncert::keep_worst(asked);
  return 0;
}
