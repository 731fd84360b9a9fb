#include <algorithm>

#include "properties/conformance/accuracy/share_out.hpp"
#include "properties/conformance/bounds/campaign.hpp"
#include "properties/conformance/bounds/faults.hpp"

namespace attncert {

bool as_expected(const BoundKill& kill) { return kill.kernel->wrong == kill.caught; }

std::vector<BoundKill> bound_kills(std::uint64_t seed) {
  std::vector<BoundKill> kills;
  for (const BoundFault& fault : bound_faults()) kills.push_back({&fault, 0, false, ""});
  for (const BoundFault& right : right_bound_kernels()) kills.push_back({&right, 0, false, ""});
  share_out(kills.size(), 0, [&](std::size_t n) {
    const BoundFault& kernel = *kills[n].kernel;
    BoundPlan plan;
    plan.seed = seed;
    if (!kernel.wrong) plan.rows = 20;  // all of them, where a wrong one needs a few
    const BoundCatch found = hunt(kernel.subject, kernel.kernel, plan, kernel.wrong);
    kills[n] = {&kernel, found.rows, found.caught, found.witness};
  });
  return kills;
}

std::string markdown(std::span<const BoundKill> kills) {
  const auto wrong = static_cast<std::size_t>(
      std::count_if(kills.begin(), kills.end(), [](const BoundKill& kill) { return kill.kernel->wrong; }));
  std::string text =
      "\n## Bounds\n\n" + std::to_string(wrong) + " deliberately wrong bound kernels and " +
      std::to_string(kills.size() - wrong) + " right ones, judged against the enclosures of reference/bounds.\n\n" +
      "| kernel | bound | what it does | imitates | noticed after how many rows |\n|---|---|---|---|---|\n";
  for (const BoundKill& kill : kills)
    text += "| " + std::string(kill.kernel->name) + " | " + std::string(kill.kernel->subject) + " | " +
            std::string(kill.kernel->text) + " | " + std::string(kill.kernel->imitates) + " | " +
            (kill.caught          ? std::to_string(kill.rows)
             : kill.kernel->wrong ? "survives"
                                  : "passes") +
            " |\n";
  return text;
}

}  // namespace attncert
