// Maximiser: from the tightest instances that a search met, a gradient-free climb (NLopt, after Rowan's subplex) over
// everything that moves, towards equality and beyond. Untrusted: it proposes exact instances, judge() decides. Budgets
// count evaluations: the same starts give the same result on every machine.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "properties/claims/claim.hpp"
#include "src/core/tally.hpp"

namespace attncert {

struct Start {
  Instance instance;
  double tightness;
};

// The tightest instances met, a few of every shape (L, d, N).
class StartPool {
 public:
  void offer(const Instance& instance, double tightness);
  // The `most` tightest, first one of each shape. The order depends only on what was offered.
  std::vector<Start> best(std::size_t most) const;

 private:
  using Shape = std::tuple<std::size_t, std::size_t, std::size_t>;
  std::map<Shape, std::vector<Start>> shapes_;
};

struct Maximised {
  Tally tally;                        // of the instances that were judged
  std::optional<Instance> tightest;   // by the part that was climbed for
  double tightness = 0;               // of it
  std::optional<Instance> violating;  // the smallest that was judged and violates the part
};

// At most `evaluations` instances are evaluated. `replay`: what the tally names its tightest instance.
Maximised maximise(const Statement& statement, std::size_t part, const std::vector<Start>& starts,
                   std::size_t evaluations, const std::string& replay, const std::atomic<bool>& stop);

}  // namespace attncert
