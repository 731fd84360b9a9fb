#include "fuzz/subject.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace attncert {

Tape with_first_choice(std::span<const std::uint8_t> input, std::size_t which) {
  Tape tape(input.begin(), input.end());
  tape.resize(std::max<std::size_t>(tape.size(), 2));
  tape[1] = static_cast<std::uint8_t>(which);  // the first choice, behind the version
  return tape;
}

ChosenSubject::ChosenSubject(const FuzzSubjects& subjects) : subjects_(subjects) {
  const char* wish = std::getenv("ATTNCERT_FUZZ_SUBJECT");
  if (wish == nullptr || *wish == 0) return;
  const std::vector<std::string_view> names = subjects.names();
  const auto found = std::find(names.begin(), names.end(), wish);
  if (found == names.end()) {
    std::fprintf(stderr, "ATTNCERT_FUZZ_SUBJECT=%s: no subject of this target; attncert list --fuzz names them\n",
                 wish);
    _exit(2);  // exit() would be a finding to libFuzzer
  }
  set_ = true;
  which_ = static_cast<std::size_t>(found - names.begin());
}

std::span<const std::uint8_t> ChosenSubject::put(std::span<const std::uint8_t> input) {
  if (!set_) return input;
  changed_ = subjects_.put(input, which_);
  return changed_;
}

}  // namespace attncert
