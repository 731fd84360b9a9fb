// What `attncert gpt2` prints last: the heads to look at first, the findings, the claims.
#include <fmt/format.h>

#include <algorithm>

#include "reports/aligned.hpp"
#include "reports/attention/page.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

constexpr std::size_t heads_on_terminal = 12;  // half a screen

using Row = std::vector<std::string>;

std::string diagnosis_table(const std::vector<HeadDiagnosis>& heads) {
  std::vector<Row> rows{diagnosis_titles()};
  for (std::size_t i = 0; i < std::min(heads.size(), heads_on_terminal); ++i) rows.push_back(diagnosis_cells(heads[i]));
  std::vector<bool> to_the_left(rows.front().size(), false);
  to_the_left[3] = to_the_left.back() = true;
  std::string text = aligned(rows, to_the_left);
  if (heads.size() > heads_on_terminal)
    text += fmt::format("and {} more heads in diagnosis.csv\n", heads.size() - heads_on_terminal);
  return text;
}

std::string claims_table(const ClaimTallies& claims, const AttentionRun& run) {
  std::vector<Row> rows{
      {"claim", "asked of", "admissible", "held", "violated", "equality", "undecided", "by intervals", ""}};
  std::size_t empty = 0;
  for (const ClaimLine& sum : claims.sums()) {
    empty += sum.admissible == 0;
    if (sum.admissible == 0) continue;
    rows.push_back({sum.claim, sum.x, grouped(sum.admissible), grouped(sum.held), grouped(sum.violated),
                    grouped(sum.equality), grouped(sum.undecided), grouped(sum.by_interval), remark_on(sum, run)});
  }
  std::string text = aligned(rows, {true, true, false, false, false, false, false, false, true});
  if (empty > 0) text += fmt::format("and {} without an admissible row\n", empty);
  return text;
}

}  // namespace

std::string attention_text(const AttentionContent& content, const AttentionRun& run) {
  std::string text = "Heads, the most severe first\n" + diagnosis_table(content.heads);
  for (const MeasuredClaim& claim : measured_claims) {
    text += fmt::format("\n{}: {}\n", claim.id, claim.says);
    for (const Finding& finding : content.findings.of(claim.id))
      text += fmt::format("  {}\n    {}\n", finding.what, finding.value);
  }
  return text + "\nClaims on the measured rows\n" + claims_table(content.claims, run) +
         "\nWeights: " + checks_text(content.checks) + "\n";
}

}  // namespace attncert::report
