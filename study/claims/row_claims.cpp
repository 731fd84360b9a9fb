#include "study/claims/row_claims.hpp"

#include <algorithm>
#include <optional>

#include "src/core/assert.hpp"
#include "study/claims/closer_sides.hpp"
#include "study/claims/logit_sides.hpp"
#include "study/claims/screens.hpp"

namespace attncert {
namespace {

// Exact tokens are kept up to so many numbers, 0.29 KiB each with their enclosures (measured): 1024 tokens of GPT-2 XL.
constexpr std::size_t most_numbers = 1024 * 1600;

const Statement& statement(std::string_view id) {
  const Claim* claim = find_claim(id);
  ATTNCERT_ASSERT(claim != nullptr);
  return claim->statement;
}

// `hypothesis`: of a discarded one, which fails.
void count(Counts& counts, Decision decision, std::string_view hypothesis) {
  ++counts.tried;
  if (decision == Decision::discarded) {
    ++counts.discarded[std::string(hypothesis)];
    return;
  }
  ++counts.admissible;
  counts.held += decision == Decision::held;
  counts.violated += decision == Decision::violated;
  counts.equality += decision == Decision::equality;
  counts.undecided += decision == Decision::undecided;
}

void count(ScreenTally& tally, const Outcome& outcome) { count(tally.counts, outcome.what, outcome.hypothesis); }

void count(ScreenTally& tally, const Ruling& ruling) {
  ++tally.by_interval;
  count(tally.counts, ruling.decision, ruling.discarded_by);
}

// Once divided by their sum.
bool on_simplex(std::span<const float> weights) {
  return std::all_of(weights.begin(), weights.end(), [](float w) { return w >= 0; }) &&
         std::any_of(weights.begin(), weights.end(), [](float w) { return w > 0; });
}

std::string text_of(const std::map<std::string, std::uint64_t>& discarded) {
  std::string text;
  for (const auto& [hypothesis, count] : discarded)
    text += (text.empty() ? "" : "; ") + hypothesis + ": " + std::to_string(count);
  std::replace(text.begin(), text.end(), ',', ' ');  // a cell of a table
  return text.empty() ? "-" : text;
}

}  // namespace

std::shared_ptr<const TokenSet> RowClaims::exact_tokens(const CapturedRow& row, TokenKind kind, TokenScale scale,
                                                        const TokensOf& tokens) {
  const std::string set = std::to_string(row.window) + ' ' + std::to_string(row.layer) + ' ' + name(kind) + ' ' +
                          name(scale) + (kind == TokenKind::value ? ' ' + std::to_string(row.head) : "");
  const std::size_t length = row.weights.size();
  if (set == exact_name_ && exact_set_->length() >= length) return exact_set_;
  const CapturedTokens& captured = tokens();
  exact_name_.clear();
  exact_set_.reset();  // before the next one: both at once would be twice the memory
  if (length * captured.width > most_numbers) return nullptr;
  exact_set_ = attncert::exact_tokens(captured, length, scale).tokens;
  exact_name_ = set;
  return exact_set_;
}

void RowClaims::selections(const CapturedRow& row, TokenKind kind, TokenScale scale,
                           const bounds::DistanceCurves& distance, const bounds::SeparabilityCurves& separability,
                           bool zero_token, const TokensOf& tokens) {
  const std::string x = std::string(name(kind)) + ' ' + name(scale);
  if (!on_simplex(row.weights)) {
    for (const SelectionScreen& screen : selection_screens())
      for (std::size_t point = 0; point < distance.N.size(); ++point)
        count(tallies_[{x, screen.claim}], Outcome{Decision::discarded, "a_i >= 0 and sum a_i = 1"});
    return;
  }
  for (SelectionSides& sides : selection_sides(row.weights, scale, zero_token, distance, separability)) {
    bool closer = false;
    std::optional<Instance> instance;
    for (const SelectionScreen& screen : selection_screens()) {
      ScreenTally& tally = tallies_[{x, screen.claim}];
      Outcome outcome = screen.ask(sides);
      if (outcome.what == Decision::undecided && screen.second_look && !closer) {
        const CloserSides found = closer_sides(row.weights, tokens(), scale, sides.count);
        sides.beyond = found.beyond;
        sides.minus_context = found.minus_context;
        closer = true;
        outcome = screen.ask(sides);
      }
      const auto set = outcome.what == Decision::undecided ? exact_tokens(row, kind, scale, tokens) : nullptr;
      if (set == nullptr) {
        count(tally, outcome);
        continue;
      }
      bool tie = false;
      if (!instance) instance = captured_selection(row, set, sides.count, tie);
      count(tally, judge(statement(screen.claim), *instance));
    }
  }
}

void RowClaims::logits(const CapturedRow& row, double temperature) {
  ATTNCERT_ASSERT(temperature >= 0x1p-100 && temperature <= 0x1p100);  // what logit_sides proves
  const LogitSides sides = logit_sides(row.logits, temperature);
  std::optional<Instance> instance;
  for (const LogitScreen& screen : logit_screens()) {
    ScreenTally& tally = tallies_[{"logits", screen.claim}];
    const Outcome outcome = screen.ask(sides);
    if (outcome.what != Decision::undecided) {
      count(tally, outcome);
      continue;
    }
    if (!instance) {
      instance = captured_logits(row);
      instance->temperature = exact(temperature);
    }
    count(tally, judge(statement(screen.claim), *instance));
  }
}

std::vector<ClaimLine> RowClaims::lines(std::size_t window) const {
  std::vector<ClaimLine> lines;
  for (const auto& [what, tally] : tallies_) {
    const Counts& counts = tally.counts;
    lines.push_back({.window = window,
                     .claim = std::string(what.second),
                     .x = what.first,
                     .tried = counts.tried,
                     .admissible = counts.admissible,
                     .held = counts.held,
                     .violated = counts.violated,
                     .equality = counts.equality,
                     .undecided = counts.undecided,
                     .by_interval = tally.by_interval,
                     .discarded = text_of(counts.discarded)});
  }
  return lines;
}

}  // namespace attncert
