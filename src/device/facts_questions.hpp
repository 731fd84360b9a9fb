// What facts of floats and facts of doubles are asked alike: triples of numbers go to a device, and what comes back is
// compared with what this processor has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

// Asks at most so many triples at a time: memory of device and host is had once, as its pages cost more than answers.
template <class Triple, class Bits>
class Asking {
 public:
  using Number = std::remove_cvref_t<decltype(Triple::a)>;

  static Result<Asking> of(const Device& device, const Questions<Triple, Bits>& questions, std::size_t most) {
    Asking asking(device, questions, most);
    for (const std::size_t bytes : {most * sizeof(Number), most * sizeof(Number), most * sizeof(Number),
                                    asking.answers_.size() * sizeof(Bits), most * questions.scratch}) {
      if (bytes == 0) continue;
      const Result<MemoryPointer> memory = device.allocate(bytes);
      if (!memory) return memory.error();
      asking.memories_.push_back(*memory);
    }
    return asking;
  }

  // How many answers to each fact about `count` triples from `first` on are wrong is added to `wrong`.
  Result<Done> ask(std::uint64_t first, std::size_t count, std::vector<std::size_t>& wrong) {
    for (std::size_t n = 0; n < count; ++n) triples_[n] = questions_.triple(first + n);
    std::size_t place = 0;
    for (const auto column : {&Triple::a, &Triple::b, &Triple::c}) {
      for (std::size_t n = 0; n < count; ++n) numbers_[n] = triples_[n].*column;
      const Result<Done> written = device_.write(*memories_[place++], numbers_.data(), count * sizeof(Number));
      if (!written) return written;
    }
    // What a kernel leaves unwritten is no answer to what was asked before.
    std::memset(answers_.data(), 0xa5, answers_.size() * sizeof(Bits));
    const Result<Done> cleared = device_.write(*memories_[answers_at], answers_.data(), answers_.size() * sizeof(Bits));
    if (!cleared) return cleared;
    std::vector<Argument> arguments(memories_.begin(), memories_.end());
    arguments.emplace_back(std::uint64_t{count});
    Result<Done> done = device_.launch(
        {{std::string(questions_.text), ""}, questions_.kernel, count / group, group, std::move(arguments)});
    if (done)
      done = device_.read(answers_.data(), *memories_[answers_at], questions_.facts.size() * count * sizeof(Bits));
    if (!done) return done;
    for (std::size_t f = 0; f < questions_.facts.size(); ++f)
      for (std::size_t n = 0; n < count; ++n)
        wrong[f] += !questions_.same(answers_[f * count + n], questions_.facts[f].right(triples_[n]));
    return done;
  }

 private:
  Asking(const Device& device, const Questions<Triple, Bits>& questions, std::size_t most)
      : device_(device),
        questions_(questions),
        triples_(most),
        numbers_(most),
        answers_(questions.facts.size() * most) {}

  const Device& device_;
  const Questions<Triple, Bits>& questions_;
  std::vector<Triple> triples_;
  std::vector<Number> numbers_;
  std::vector<Bits> answers_;
  static constexpr std::size_t answers_at = 3;
  std::vector<MemoryPointer> memories_;  // three columns of numbers, the answers, what else the kernel wants
};

// Of each fact: how many answers are wrong. Asked in parts whose answers a second-level cache holds.
template <class Triple, class Bits>
Result<std::vector<std::size_t>> wrong_answers(const Device& device, const Questions<Triple, Bits>& questions,
                                               std::size_t triples) {
  constexpr std::size_t most_at_once = std::size_t{1} << 14;
  static_assert(most_at_once % group == 0);
  if (triples == 0 || triples % group != 0) return Error{"facts are asked of multiples of 64 triples"};
  const std::size_t at_once = std::min(most_at_once, triples);
  auto asking = Asking<Triple, Bits>::of(device, questions, at_once);
  if (!asking) return asking.error();
  std::vector<std::size_t> wrong(questions.facts.size());
  for (std::size_t first = 0; first < triples; first += at_once) {
    const Result<Done> done = asking->ask(first, std::min(at_once, triples - first), wrong);
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
