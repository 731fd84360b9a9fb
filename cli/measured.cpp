#include "cli/measured.hpp"

#include "src/core/assert.hpp"
#include "study/analysis/findings.hpp"
#include "study/measures/measures.hpp"

namespace attncert::cli {
namespace {

std::size_t longest_query(const CapturedAttention& attention) {
  std::size_t query = 0;
  for (const CapturedRow& row : attention.rows) query = std::max(query, row.query);
  return query;
}

void measure_tokens(const CapturedAttention& attention, const CapturedTokens& captured, TokenScale scale,
                    std::size_t longest, std::vector<SelectionLine>& lines) {
  const TokenVectors vectors = token_vectors(TokenKind::hidden, scale, captured.values, captured.width, 1);
  const Result<MeasuredTokens> measured = MeasuredTokens::of(vectors, nullptr);
  std::vector<AskedSelections> asked;
  for (const CapturedRow& row : attention.rows)
    if (row.tokens.get() == &captured)
      asked.push_back({&row, selection_counts(row.weights.size(), row.query == longest)});
  // On the processor nothing fails.
  ATTNCERT_ASSERT(measured && measured->measure(asked, {}, lines));
}

MeasuredFindings findings_of(const CapturedAttention& attention) {
  const std::size_t longest = longest_query(attention);
  std::vector<SelectionLine> selections;
  std::vector<JacobianLine> jacobian;
  for (const auto& captured : attention.tokens)
    for (const TokenScale scale : {TokenScale::raw, TokenScale::unit})
      measure_tokens(attention, *captured, scale, longest, selections);
  const MeasurePlan plan;
  RandomDirections random(plan.directions, plan.seed);
  std::vector<AskedJacobian> asked;
  for (const CapturedRow& row : attention.rows) asked.push_back({&row, row.query == longest});
  // On the processor nothing fails.
  ATTNCERT_ASSERT(measure_jacobians(asked, {}, plan, nullptr, random, jacobian));
  MeasuredFindings findings;
  for (const SelectionLine& line : selections) findings.add(line);
  for (const JacobianLine& line : jacobian) findings.add(line);
  return findings;
}

}  // namespace

MeasuredClaims::MeasuredClaims(const CapturedAttention* attention) {
  if (attention != nullptr) findings_ = std::make_unique<const MeasuredFindings>(findings_of(*attention));
}
MeasuredClaims::~MeasuredClaims() = default;

std::vector<Finding> MeasuredClaims::of(std::string_view claim) const {
  if (findings_ == nullptr) return {{"not measured in this run", "no captured rows"}};
  return findings_->of(claim);
}

}  // namespace attncert::cli
