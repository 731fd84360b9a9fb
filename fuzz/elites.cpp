#include "fuzz/elites.hpp"

namespace attncert {
namespace {

constexpr int drawn_groups = 8;  // of some hundred: one that has just risen is found soon, the others have their turn
constexpr double a_rise =
    1.0 / 64;  // of the budget: smaller improvements do not count as a rise, or none would be the last

}  // namespace

void Elites::offer(std::size_t group, double fraction, std::span<const std::uint8_t> input) {
  if (!wants(group, fraction)) return;
  Elite& elite = elites_[group % Guide::groups];
  if (elite.input.empty()) filled_.push_back(group % Guide::groups);
  if (fraction >= elite.risen + a_rise) {
    elite.risen = fraction;
    elite.tries = 0;
  }
  elite.fraction = fraction;
  elite.input.assign(input.begin(), input.end());
}

std::span<const std::uint8_t> Elites::chosen(Choices& random) {
  Elite* best = nullptr;
  for (int n = 0; n < drawn_groups && !filled_.empty(); ++n) {
    Elite& elite = elites_[filled_[random.below(filled_.size())]];
    if (best == nullptr || elite.tries < best->tries) best = &elite;
  }
  if (best == nullptr) return {};
  ++best->tries;
  return best->input;
}

Elites& elites() {
  static Elites of_process;
  return of_process;
}

}  // namespace attncert
