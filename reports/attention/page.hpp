// What the report of a run says, as a document and as the text that the command prints last. What a practitioner can
// act on comes first.
#pragma once

#include <string>
#include <vector>

#include "reports/attention/figures.hpp"
#include "reports/attention/report.hpp"
#include "reports/document.hpp"
#include "study/analysis/diagnosis.hpp"
#include "study/analysis/findings.hpp"
#include "study/analysis/kolmogorov_smirnov.hpp"
#include "study/analysis/tallies.hpp"

namespace attncert::report {

struct AttentionContent {
  MeasuredFindings findings;
  std::vector<HeadDiagnosis> heads;  // largest severity first
  std::vector<Figure> figures;
  std::vector<KsLine> ks;
  ClaimTallies claims;
  CheckLine checks;                      // of all windows, which `window` counts
  std::vector<std::string> old_columns;  // names that the tables still had
};

struct MeasuredClaim {
  const char* id;
  const char* says;
};
inline constexpr MeasuredClaim measured_claims[] = {
    {"separability-saturation", "N_s/N, the separable share of the selected tokens, saturates at 70-85%"},
    {"distance-plateau", "beyond N = 20 the distance d-tilde plateaus"},
    {"ks-six-percent", "beyond N/L of about 6% a Kolmogorov-Smirnov test cannot tell d-tilde from its expectation"},
    {"jacobian-temperature-scaling", "the finite-difference norm of the Jacobian scales as 1/(4T) for T < 0.1"}};

Document attention_document(const AttentionContent& content, const AttentionRun& run);
std::string attention_text(const AttentionContent& content, const AttentionRun& run);

// The cells of one head, as both show them; their titles.
std::vector<std::string> diagnosis_titles();
std::vector<std::string> diagnosis_cells(const HeadDiagnosis& head);
std::string checks_text(const CheckLine& checks);
const char* remark_on(const ClaimLine& sum, const AttentionRun& run);

}  // namespace attncert::report
