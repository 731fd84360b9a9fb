// What facts of floats and facts of doubles are asked alike: triples of numbers go to a device, and what comes back is
// compared with what this processor has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "src/device/device.hpp"

namespace attncert::device {

constexpr std::size_t group = 64;  // of the kernels; what is asked at once is a multiple of it

template <class Triple, class Bits>
struct Fact {
  const char* name;
  Bits (*right)(const Triple&);
};

template <class Triple, class Bits>
struct Questions {
  std::string_view text;  // its kernel answers each fact about each triple, the facts in the order of the list
  const char* kernel;
  std::span<const Fact<Triple, Bits>> facts;
  Triple (*triple)(std::uint64_t);  // the nth; its a, b and c are of one type
  bool (*same)(Bits, Bits);
  std::size_t scratch;  // bytes a triple of memory that the kernel wants behind its answers; 0: none
};

// How many answers to each fact about triples from `first` on are wrong is added to `wrong`.
template <class Triple, class Bits>
Result<Done> ask(const Device& device, const Questions<Triple, Bits>& questions, std::uint64_t first, std::size_t count,
                 std::vector<std::size_t>& wrong) {
  std::vector<Triple> triples(count);
  for (std::size_t n = 0; n < count; ++n) triples[n] = questions.triple(first + n);
  std::vector<Argument> arguments;
  for (const auto column : {&Triple::a, &Triple::b, &Triple::c}) {
    std::vector<std::remove_cvref_t<decltype(Triple::a)>> numbers(count);
    for (std::size_t n = 0; n < count; ++n) numbers[n] = triples[n].*column;
    const Result<MemoryPointer> memory = device.copied(numbers.data(), count * sizeof numbers[0]);
    if (!memory) return memory.error();
    arguments.emplace_back(*memory);
  }
  std::vector<Bits> answers(questions.facts.size() * count);
  const Result<MemoryPointer> answered = device.allocate(answers.size() * sizeof(Bits));
  if (!answered) return answered.error();
  arguments.emplace_back(*answered);
  if (questions.scratch > 0) {
    const Result<MemoryPointer> scratch = device.allocate(count * questions.scratch);
    if (!scratch) return scratch.error();
    arguments.emplace_back(*scratch);
  }
  arguments.emplace_back(std::uint64_t{count});
  Result<Done> done =
      device.launch({{std::string(questions.text), ""}, questions.kernel, count / group, group, std::move(arguments)});
  if (done) done = device.read(answers.data(), **answered, answers.size() * sizeof(Bits));
  if (!done) return done;
  for (std::size_t f = 0; f < questions.facts.size(); ++f)
    for (std::size_t n = 0; n < count; ++n)
      wrong[f] += !questions.same(answers[f * count + n], questions.facts[f].right(triples[n]));
  return done;
}

// Of each fact: how many answers are wrong. Asked in parts whose answers a second-level cache holds.
template <class Triple, class Bits>
Result<std::vector<std::size_t>> wrong_answers(const Device& device, const Questions<Triple, Bits>& questions,
                                               std::size_t triples) {
  constexpr std::size_t most_at_once = std::size_t{1} << 14;
  static_assert(most_at_once % group == 0);
  if (triples == 0 || triples % group != 0) return Error{"facts are asked of multiples of 64 triples"};
  std::vector<std::size_t> wrong(questions.facts.size());
  for (std::size_t first = 0; first < triples; first += most_at_once) {
    const Result<Done> done = ask(device, questions, first, std::min(most_at_once, triples - first), wrong);
    if (!done) return done.error();
  }
  return wrong;
}

template <class Triple, class Bits>
Result<Done> judged(const Device& device, const Questions<Triple, Bits>& questions,
                    const std::vector<std::size_t>& wrong, std::size_t triples) {
  for (std::size_t f = 0; f < wrong.size(); ++f)
    if (wrong[f] != 0)
      return Error{device.name() + " is refused: its " + questions.facts[f].name + " is not IEEE 754's in " +
                   std::to_string(wrong[f]) + " of " + std::to_string(triples) + " cases"};
  return Done{};
}

}  // namespace attncert::device
