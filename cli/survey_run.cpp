#include "cli/survey_run.hpp"

#include <algorithm>
#include <optional>

#include "src/core/table.hpp"
#include "study/claims/captured.hpp"
#include "study/claims/row_claims.hpp"

namespace attncert::cli {
namespace {

template <class Line>
TableFile table_file() {
  return {Line::table, header_line<Line>()};
}

template <class Line>
std::string lines_of(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) append_line(text, line);
  return text;
}

CapturedWeights weights_of(const Weighting& weighting) {
  const attncert_parameters& p = weighting.parameters;
  return {weighting.normalizer,
          weighting.temperature,
          {p.alpha_numerator, p.alpha_denominator, p.k, p.order, p.scale, p.bias}};
}

bool any_zero_token(const TokenVectors& tokens, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) {
    const float* x = tokens.raw.data() + i * tokens.width;
    if (std::all_of(x, x + tokens.width, [](float value) { return value == 0; })) return true;
  }
  return false;
}

// Claims about softmax are asked of logits that softmax made the weights of; those about unit tokens, of the sphere of
// radius 1.
Onlooker judging(const SurveyRun& run, CheckLine& checks, RowClaims& claims) {
  const Weighting& weighting = run.plan.weighting;
  Onlooker onlooker;
  onlooker.unit_token_error = unit_token_error;
  onlooker.row = [&](const CapturedRow& row) {
    checks += check_captured(row.logits, row.weights, weights_of(weighting), in_sample(row));
    if (weighting.normalizer == "softmax") claims.logits(row, weighting.temperature);
  };
  onlooker.selections = [&](const CapturedRow& row, const TokenVectors& tokens, const auto& distance,
                            const auto& separability) {
    const bool unit = tokens.scale == TokenScale::unit;
    if (unit && (run.plan.measures.radius != 1 || tokens.width > widest_tokens)) return;
    std::optional<CapturedTokens> captured;
    claims.selections(row, tokens.kind, tokens.scale, distance, separability,
                      any_zero_token(tokens, row.weights.size()), [&]() -> const CapturedTokens& {
                        if (!captured)
                          captured = CapturedTokens{row.window, row.layer, tokens.count, tokens.width, tokens.raw};
                        return *captured;
                      });
  };
  return onlooker;
}

}  // namespace

std::vector<TableFile> survey_tables() {
  return {table_file<HeadLine>(),        table_file<SelectionLine>(), table_file<JacobianLine>(),
          table_file<AlternativeLine>(), table_file<GeometryLine>(),  table_file<CheckLine>(),
          table_file<ClaimLine>()};
}

Result<WindowTables> measured_window(const SurveyRun& run, std::size_t window) {
  const std::size_t T = run.model.shape.T;
  CheckLine checks;
  checks.window = window;
  RowClaims claims;
  const Onlooker onlooker = judging(run, checks, claims);
  Result<WindowLines> lines = survey_window(run.model, std::span(run.tokens).subspan(window * T, T), window, run.plan,
                                            run.normalizer, onlooker, run.where);
  if (!lines) return lines.error();
  return WindowTables{{lines_of(lines->heads), lines_of(lines->selections), lines_of(lines->jacobian),
                       lines_of(lines->alternatives), lines_of(lines->geometry), lines_of(std::vector{checks}),
                       lines_of(claims.lines(window))}};
}

}  // namespace attncert::cli
