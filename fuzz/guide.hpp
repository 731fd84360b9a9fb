// An engine sees which code an input reached. The guide tells it more: how near a case came to a violation. Each figure
// falls into a bucket, each bucket is one byte of the engine's extra counters, and the engine keeps an input that
// reaches a new bucket. A group (a kernel, a claim) has buckets of its own. Only a new record of a figure counts, and
// only the first input of a regime, so that an engine keeps a few inputs a group.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace attncert {

class Guide {
 public:
  static constexpr std::size_t groups = 128, buckets = 32, measures = 4, size = groups * buckets * measures;

  // counters: `size` bytes that the engine clears before every input; none: silent.
  explicit Guide(std::span<std::uint8_t> counters) : counters_(counters) {}
  static Guide silent() { return Guide({}); }

  void ulp(std::size_t group, double error);  // one bucket a doubling, from 1 ulp to 2^30
  void fraction(std::size_t group,
                double of_budget);  // sixteenths of the budget, then doublings beyond it
  void slack(std::size_t group,
             double relative);  // of an inequality, right / left - 1: a bucket for each factor of 4 below 1
  void flag(std::size_t group, unsigned which);  // a regime that was met for the first time; which < buckets

  // The largest part of its budget that a case took since this was last asked; fraction 0 when none was told.
  struct Nearest {
    std::size_t group = 0;
    double fraction = 0;
  };
  Nearest take_nearest();

 private:
  void record(unsigned measure, std::size_t group, double bucket);
  void touch(unsigned measure, std::size_t group, std::size_t bucket);
  std::span<std::uint8_t> counters_;
  std::array<std::uint8_t, groups * measures> best_{};  // bucket
  std::array<std::uint32_t, groups> met_{};             // a bit a flag
  Nearest nearest_;
};

}  // namespace attncert
