// The subjects of the target `normalizer`: a byte of the tape picks one. `long` is its own subject.
#include "fuzz/normalizer_case.hpp"
#include "properties/conformance/faults/faults.hpp"

namespace attncert {
namespace {

std::vector<std::string_view> names() {
  std::vector<std::string_view> list;
  for (const Subject* subject : subjects()) list.push_back(subject->name);
  return list;
}

Tape put(std::span<const std::uint8_t> input, std::size_t which) { return with_subject(input, which); }

std::vector<KnownWrong> wrong() {
  std::vector<KnownWrong> list;
  for (const Fault& fault : faults()) list.push_back({fault.name, fault.kernel->normalizer});
  return list;
}

std::string words(std::span<const std::uint8_t> input) { return text(draw_normalizer_case(input)); }

std::vector<std::string_view> no_names() { return {}; }
std::string words_of_long(std::span<const std::uint8_t> input) {
  return text(draw_normalizer_case(input, Lengths::long_ones));
}

}  // namespace

const FuzzSubjects subjects_of_normalizer{names, put, words, wrong}, subjects_of_long{no_names, put, words_of_long};

}  // namespace attncert
