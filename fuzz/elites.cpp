#include "fuzz/elites.hpp"

namespace attncert {
namespace {

constexpr int drawn_groups =
    8;  // of some hundred: one that has just risen is found soon, and the others have their turn

}  // namespace

void Elites::offer(std::size_t group, double fraction, std::span<const std::uint8_t> input) {
  Elite& elite = elites_[group % Guide::groups];
  if (!(fraction > elite.fraction)) return;
  elite = {fraction, 0, Tape(input.begin(), input.end())};
}

std::span<const std::uint8_t> Elites::chosen(Choices& random) {
  Elite* best = nullptr;
  for (int n = 0; n < drawn_groups; ++n) {
    Elite& elite = elites_[random.below(Guide::groups)];
    if (!elite.input.empty() && (best == nullptr || elite.tries < best->tries)) best = &elite;
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
