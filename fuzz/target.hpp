// A fuzz target: what one input (docs/tape.md) asks of the suite. It knows no engine: libFuzzer, AFL++ or a plain main
// hands it the bytes, and it tells the guide what an engine may climb on. A violation prints what is wrong and aborts,
// because engines ignore what is returned.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fuzz/guide.hpp"
#include "fuzz/subject.hpp"

namespace attncert {

struct FuzzTarget {
  std::string_view name, text;  // "normalizer"; one line for people
  void (*run)(std::span<const std::uint8_t> input, Guide& guide);
  const FuzzSubjects* subjects;
};

// A target is `FuzzTarget fuzz_<name>()`, defined in fuzz/<name>_target.cpp; the list is made from the calls of
// attncert_fuzz_target in CMakeLists.txt. fuzz/options/<name>.options says what an input of it may take, and the
// scripts know the targets by these files.
std::span<const FuzzTarget> fuzz_targets();
const FuzzTarget* find_target(std::string_view name);  // null when there is none

// "normalizer: WHERE: WHAT" and the command that replays it, on stderr; then abort().
[[noreturn]] void violation(std::string_view target, std::string_view where, std::string_view what);

}  // namespace attncert
