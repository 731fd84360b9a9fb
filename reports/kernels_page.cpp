// docs/kernels-table.md: one row for each kernel, the worst of its instruction sets. What a kernel promises stands
// beside what one run measured; a test compares the first with the kernels, and measured numbers may be older.
#include <fmt/format.h>

#include <algorithm>

#include "reports/kernel_part.hpp"
#include "reports/sections.hpp"
#include "reports/wording.hpp"

namespace attncert {
using namespace report;
namespace {

using Kernel = decltype(Ledger::kernels)::value_type;

const Kernel& worst_of(const ResultsOfKernel& results) {
  return **std::ranges::max_element(results, {}, [](const Kernel* kernel) { return kernel->worst_fraction; });
}

double worst_ulp(const ResultsOfKernel& results) {
  double ulp = 0;
  for (const Kernel* result : results) ulp = std::max(ulp, result->worst_ulp);
  return ulp;
}

// What repeats a row, but for its kernel and case: "attncert accuracy --seed 1 --effort quick".
std::string campaign_of(const Ledger& ledger) {
  for (const Kernel& kernel : ledger.kernels) {
    const std::size_t at = kernel.replay.find(" --normalizer ");
    if (at != std::string::npos) return kernel.replay.substr(0, at);
  }
  return "attncert accuracy";
}

std::string share_of(const Kernel& kernel) {
  return kernel.elements == 0 ? std::string(no_value) : fmt::format("{:.3g}", kernel.worst_fraction);
}

Table table_of(const std::vector<ResultsOfKernel>& all, KernelPart part, const KernelBudgets& budgets) {
  Table table{{"kernel", "budget, ulp", "worst ulp", "worst share", "on", "at"}, {}};
  for (const ResultsOfKernel& results : all) {
    if (part_of(*results.front()) != part) continue;
    const Kernel& worst = worst_of(results);
    const auto budget = budgets.find(worst.kernel);
    table.rows.push_back({{worst.kernel, Style::code},
                          {budget == budgets.end() ? worst.contract : budget->second},
                          {fmt::format("{:.3g}", worst_ulp(results)), Style::number},
                          {share_of(worst), Style::number},
                          {worst.isa},
                          {case_of(worst), Style::code}});
  }
  return table;
}

Paragraph head_of(const Ledger& ledger) {
  std::vector<std::string> sets;
  for (const Kernel& kernel : ledger.kernels)
    if (std::find(sets.begin(), sets.end(), kernel.isa) == sets.end()) sets.push_back(kernel.isa);
  std::string names;
  for (const std::string& set : sets) names += (names.empty() ? "" : ", ") + set;
  return {
      {{"Made by "},
       {"scripts/kernels-page", Style::code},
       {fmt::format(" from one run; not edited by hand. The run: seed {}, instruction sets {}, on {}. Where several "
                    "instruction sets are equally near their budget the first is named.",
                    ledger.plan.seed, names, ledger.environment.cpu)}}};
}

void add_meanings(Document& document, const Ledger& ledger) {
  document.push_back(
      Facts{{{"budget",
              {"what the kernel is proved to keep for every element, D = (max z - z_i)/T, H = ceil(log2 L); to be "
               "shown: the smaller error that the campaign demands"}},
             {"worst ulp",
              {"the largest error that was measured, a certain upper bound, in ulp of the exact value or of the "
               "element's magnitude"}},
             {"worst share", {"the largest error as a share of what is allowed at that element: above 1 fails"}},
             {"on, at", {"the instruction set and the case of the worst share"}}}});
  document.push_back(Paragraph{{{"A case runs again with "},
                                {campaign_of(ledger) + " --normalizer NAME --case CASE", Style::code},
                                {". Proofs of the budgets: "},
                                {"budgets.md", Style::code, "budgets.md"},
                                {"; of the errors that bounds state with each number: "},
                                {"bounds.md", Style::code, "bounds.md"},
                                {"."}}});
}

}  // namespace

std::string kernels_page(const Ledger& ledger, const KernelBudgets& budgets) {
  const std::vector<ResultsOfKernel> all = by_kernel(ledger);
  Document document{Heading{1, "Kernels"}, head_of(ledger)};
  add_meanings(document, ledger);
  const std::pair<KernelPart, const char*> parts[] = {{KernelPart::normalizers, "Normalizers"},
                                                      {KernelPart::derivatives, "Derivatives"},
                                                      {KernelPart::bounds, "Bounds"}};
  for (const auto& [part, title] : parts) {
    document.push_back(Heading{2, title});
    document.push_back(table_of(all, part, budgets));
  }
  return markdown(document);
}

}  // namespace attncert
