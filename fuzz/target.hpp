// A fuzz target: what one input (docs/tape.md) asks of the suite. Engine-neutral: libFuzzer, AFL++ or a plain main hands the bytes
// over, the guide takes what an engine may climb on. A violation says what is wrong and aborts: engines ignore what is returned.
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

std::span<const FuzzTarget> fuzz_targets();
const FuzzTarget* find_target(std::string_view name);  // null when there is none

// "normalizer: WHERE: WHAT" and the command that replays it, on stderr; then abort().
[[noreturn]] void violation(std::string_view target, std::string_view where, std::string_view what);

// One function a target, each in <target>_target.cpp, and what it picks one of.
void run_normalizer(std::span<const std::uint8_t> input, Guide& guide);
void run_files(std::span<const std::uint8_t> input, Guide& guide);
void run_checker(std::span<const std::uint8_t> input, Guide& guide);
void run_claim(std::span<const std::uint8_t> input, Guide& guide);
void run_bound(std::span<const std::uint8_t> input, Guide& guide);
extern const FuzzSubjects subjects_of_normalizer, subjects_of_files, subjects_of_checker, subjects_of_claim,
    subjects_of_bound;

}  // namespace attncert
