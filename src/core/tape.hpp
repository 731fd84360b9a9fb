// Tape: one stream of choices that RapidCheck, a search, libFuzzer and a file can all drive.
//
// Format (docs/tape.md): byte 0 is the version (1); then little-endian choices, back to back. A choice among n
// takes the fewest bytes of {0, 1, 2, 4, 8} that can hold n - 1, read as an unsigned number and reduced mod n.
// A tape that ends early reads zeros, and zero is always the simplest choice. Tapes of version 1 replay for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/result.hpp"

namespace attncert {

using Tape = std::vector<std::uint8_t>;
inline constexpr std::uint8_t tape_version = 1;

// The tape of case number `number` of a seed: version byte, then `length` bytes of SplitMix64 keyed by
// (seed, stream, number). The same arguments give the same bytes on every machine, in any order of calls.
Tape random_tape(std::uint64_t seed, std::string_view stream, std::uint64_t number, std::size_t length);

std::string hex(const Tape& tape);
Result<Tape> tape_from_hex(std::string_view text);

class Choices {
 public:
  // An empty tape is a valid one: every choice is the simplest. A first byte other than the version is read as it.
  explicit Choices(std::span<const std::uint8_t> tape);

  std::uint64_t below(std::uint64_t n);                       // 0 .. n-1; n >= 1; n = 1 reads nothing
  std::int64_t between(std::int64_t low, std::int64_t high);  // low is the simplest; low <= high
  bool flip() { return below(2) == 1; }                       // false is the simplest
  std::uint64_t word();                                       // 8 bytes: bit patterns
  template <class T>
  const T& pick(std::span<const T> items) {
    return items[below(items.size())];
  }  // the first is the simplest
  template <class T, std::size_t N>
  const T& pick(const T (&items)[N]) {
    return items[below(N)];
  }
  double unit();  // 32 bits: k / 2^32 in [0, 1)

  std::size_t used() const { return position_; }  // bytes read so far, the version byte included

 private:
  std::uint64_t read(unsigned bytes);
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t position_;
};

}  // namespace attncert
