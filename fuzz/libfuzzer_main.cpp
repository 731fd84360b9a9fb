// libFuzzer's entry (preset fuzz, clang-19). Extra counters tell it the size of the error, so that it climbs on it.
#include "fuzz/one_input.hpp"

namespace {
__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t error_size[16];
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  unsigned worst = 0;
  const int status = attncert::one_input(data, size, &worst);
  error_size[worst] = 1;
  return status;
}
