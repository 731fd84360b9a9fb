// The elite of a group (a kernel) is its nearest miss: the input whose error took the largest part of what is allowed.
// The mutator starts from elites, because an engine that picks among thousands of inputs seldom picks one of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fuzz/guide.hpp"
#include "src/core/tape.hpp"

namespace attncert {

class Elites {
 public:
  bool wants(std::size_t group, double fraction) const { return fraction > elites_[group % Guide::groups].fraction; }
  // `input` reached `fraction` of what is allowed; it stays when none of its group reached more.
  void offer(std::size_t group, double fraction, std::span<const std::uint8_t> input);
  // Draws a few groups and takes the one that was asked for least since it last rose; empty when there is none yet.
  std::span<const std::uint8_t> chosen(Choices& random);

 private:
  struct Elite {
    double fraction = 0, risen = 0;  // risen: when it was last called a rise
    std::uint64_t tries = 0;         // since then
    Tape input;
  };
  std::array<Elite, Guide::groups> elites_{};
  std::vector<std::size_t> filled_;  // groups that have one
};

Elites& elites();  // of this process

}  // namespace attncert
