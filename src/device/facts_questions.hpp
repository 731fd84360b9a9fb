// What facts of floats and facts of doubles are asked alike: triples of numbers go to a device, and what comes back is
// compared with what this processor has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "src/device/device.hpp"

namespace attncert::device {

// The columns a, b and c of so many triples in the device's memory.
template <class Triple>
Result<std::vector<Argument>> copied_columns(const Device& device, std::size_t triples,
                                             Triple (*triple)(std::uint64_t)) {
  using Float = std::remove_cvref_t<decltype(Triple::a)>;
  std::vector<Float> columns[3];
  for (std::uint64_t n = 0; n < triples; ++n) {
    const Triple t = triple(n);
    columns[0].push_back(t.a), columns[1].push_back(t.b), columns[2].push_back(t.c);
  }
  std::vector<Argument> arguments;
  for (const std::vector<Float>& column : columns) {
    Result<MemoryPointer> memory = device.copied(column.data(), column.size() * sizeof(Float));
    if (!memory) return memory.error();
    arguments.emplace_back(*memory);
  }
  return arguments;
}

// answers: those to the first fact of the list for every triple, then those to the next.
template <class Fact, std::size_t kFacts, class Bits, class Triple>
Result<Done> compared(const Device& device, const Fact (&list)[kFacts], const std::vector<Bits>& answers,
                      Triple (*triple)(std::uint64_t), bool (*same)(Bits, Bits)) {
  const std::size_t triples = answers.size() / kFacts;
  for (std::size_t f = 0; f < kFacts; ++f) {
    std::size_t wrong = 0;
    for (std::size_t n = 0; n < triples; ++n) wrong += !same(answers[f * triples + n], list[f].right(triple(n)));
    if (wrong != 0)
      return Error{device.name() + " is refused: its " + list[f].name + " is not IEEE 754's in " +
                   std::to_string(wrong) + " of " + std::to_string(triples) + " cases"};
  }
  return Done{};
}

}  // namespace attncert::device
