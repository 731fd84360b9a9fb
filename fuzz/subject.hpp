// The subjects of a fuzz target: what an input picks one of (a normalizer, a claim, a bound, a reader), by name.
// ATTNCERT_FUZZ_SUBJECT=<name> puts one in the place of whatever the inputs of this process pick.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/tape.hpp"

namespace attncert {

// What a search must find, to measure it by: a faulty kernel (ATTNCERT_FUZZ_FAULT) of this normalizer, or a refuted
// claim.
struct KnownWrong {
  std::string_view name, subject;
};

struct FuzzSubjects {
  std::vector<std::string_view> (*names)();  // none: a target that is its own subject
  // The same input, but that it picks the subject of that number.
  Tape (*put)(std::span<const std::uint8_t> input, std::size_t which);
  std::string (*words)(std::span<const std::uint8_t> input);  // the case, one line for people
  std::vector<KnownWrong> (*wrong)() = nullptr;               // null: none
};

// What `put` is where the subject is the first choice of a tape, a byte.
Tape with_first_choice(std::span<const std::uint8_t> input, std::size_t which);

// An unknown name in the environment ends the process with status 2.
class ChosenSubject {
 public:
  explicit ChosenSubject(const FuzzSubjects& subjects);
  bool is_set() const { return set_; }
  // The input itself, or, valid until the next call, the same of the chosen subject.
  std::span<const std::uint8_t> put(std::span<const std::uint8_t> input);

 private:
  const FuzzSubjects& subjects_;
  bool set_ = false;
  std::size_t which_ = 0;
  Tape changed_;
};

}  // namespace attncert
