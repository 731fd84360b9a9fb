#include "properties/conformance/accuracy/observed.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "properties/conformance/accuracy/judge.hpp"

namespace attncert {
namespace {

using enum Behaviour;

bool all(std::span<const double> values, auto predicate) {
  return std::all_of(values.begin(), values.end(), predicate);
}
bool all_nan(std::span<const double> values) {
  return all(values, [](double value) { return std::isnan(value); });
}

bool has_upstream_beyond(const LogitRow& row, std::size_t i) {
  return !row.upstream.empty() && !std::isfinite(row.upstream[i]);
}

// An answer with all that its behaviours are recognized by.
class Answer {
 public:
  Answer(const Normalizer& normalizer, const LogitRow& row, const Format& format, std::span<const double> computed,
         const Budget& budget)
      : normalizer_(normalizer), row_(row), format_(format), computed_(computed), budget_(budget) {}

  bool shows(Behaviour behaviour, Situations situations) const {
    switch (behaviour) {
      case absent:
        return all(computed_, [this](double value) { return value == normalizer_.absent; });
      case nan_row:
        return all_nan(computed_);
      case nan_there:
        return is_nan_there(situations);
      case uniform:
        return !normalizer_.derivative && is_uniform();
      case limit:
        return (situations & bit(Situation::nan)) == 0 && is_limit(row_);
      case dropped:
        return !normalizer_.derivative && is_dropped();
      default:
        return false;
    }
  }

  // Whether an ordinary row that shows so much may be what the formula says: its numbers are judged elsewhere.
  bool may_be_formula(Behaviours shown) const {
    if (kind(row_) != RowKind::ordinary || (shown & (bit(nan_row) | bit(nan_there))) != 0) return false;
    return shown == 0 || is(row_);
  }

 private:
  // Within the budget of an ordinary row.
  bool is(const LogitRow& row) const {
    const auto truth = normalizer_.truth(row);
    const Judgement judgement = judge_row(normalizer_, row, *truth, format_, computed_, budget_);
    return judgement.outside + judgement.undecided == 0;
  }

  // Entries with one truth and one value are judged once.
  bool is_uniform() const {
    const LogitRow ties{std::vector<double>(computed_.size(), 0.0), 1.0, {}};
    std::vector<std::size_t> different;
    for (std::size_t i = 0; i < computed_.size(); ++i)
      if (i == 0 || computed_[i] != computed_[i - 1]) different.push_back(i);
    Judged one{computed_, &budget_};
    judge_row(normalizer_, ties, *normalizer_.truth(ties), format_, different, {&one, 1});
    return one.judgement.outside + one.judgement.undecided == 0;
  }

  bool is_limit(const LogitRow& row) const {
    const auto limit_row = normalizer_.at_infinity == nullptr ? std::nullopt : normalizer_.at_infinity(row);
    return limit_row ? is(*limit_row) : all_nan(computed_);
  }

  bool is_dropped() const {
    LogitRow without = row_;
    for (double& logit : without.logits)
      if (std::isnan(logit)) logit = -HUGE_VAL;
    if (kind(without) == RowKind::nothing_visible) return shows(absent, 0);
    return kind(without) == RowKind::has_infinity ? is_limit(without) : is(without);
  }

  // In several situations, whose entries need not all answer alike, it is enough that NaN stands nowhere else.
  bool is_nan_there(Situations situations) const {
    const bool one = std::popcount(situations) == 1, kept_ones = kind(row_) != RowKind::ordinary;
    const bool low = (situations & bit(Situation::low)) != 0;
    std::size_t nans = 0;
    for (std::size_t i = 0; i < computed_.size(); ++i) {
      const double logit = row_.logits[i];
      const bool high = std::isnan(logit) || logit == HUGE_VAL;
      const bool special = row_.visible(i) ? high || (low && logit == -HUGE_VAL) : high && !(one && kept_ones);
      nans += std::isnan(computed_[i]);
      if (std::isnan(computed_[i]) ? !special : special && one) return false;
    }
    return nans != 0;
  }

  const Normalizer& normalizer_;
  const LogitRow& row_;
  const Format& format_;
  std::span<const double> computed_;
  const Budget& budget_;
};

void for_each_choice(Situations situations, auto function) {
  for (std::size_t c = 0; c < choice_count; ++c)
    if ((situations >> c & 1) != 0) function(c);
}

}  // namespace

Situations situations_of(const LogitRow& row) {
  if (kind(row) == RowKind::bad_temperature) return bit(Situation::bad_temperature);
  Situations found = 0;
  const auto add = [&](Situation situation, bool is) { found |= is ? bit(situation) : Situations{0}; };
  const double* first = nullptr;
  bool kept = false, equal = true, low = false;
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    const double& logit = row.logits[i];
    kept = kept || row.visible(i);
    low = low || (row.visible(i) && !row.present(i));
    if (!row.present(i)) {
      add(Situation::masked_nan, std::isnan(logit) || logit == HUGE_VAL || has_upstream_beyond(row, i));
      continue;
    }
    add(Situation::nan, std::isnan(logit) || has_upstream_beyond(row, i));
    add(Situation::infinity, logit == HUGE_VAL);
    if (first == nullptr) first = &logit;
    equal = equal && std::isfinite(logit) && logit == *first;
  }
  add(Situation::masked_row, !kept);
  add(Situation::low_row, kept && first == nullptr);
  add(Situation::low, low && first != nullptr);
  add(Situation::equal, equal && first != nullptr);
  return found;
}

Observed observe(const Normalizer& normalizer, const LogitRow& row, const Format& format, const GuardedOutcome& outcome,
                 const Budget& budget) {
  Observed observed{situations_of(row), 0};
  const std::size_t length = outcome.output.size();
  if (observed.situations == bit(Situation::bad_temperature)) {
    const bool right = outcome.status == ATTNCERT_BAD_TEMPERATURE && outcome.unwritten == length;
    return {observed.situations, bit(right ? refused : other)};
  }
  if (outcome.status != ATTNCERT_OK || outcome.unwritten != 0) return {observed.situations, bit(other)};
  Behaviours options = 0;
  for_each_choice(observed.situations, [&](std::size_t c) { options |= choices()[c].options; });
  const Answer answer(normalizer, row, format, outcome.output, budget);
  for (std::size_t b = 0; b < behaviour_count; ++b)
    if ((options >> b & 1) != 0 && answer.shows(static_cast<Behaviour>(b), observed.situations))
      observed.behaviours |= bit(static_cast<Behaviour>(b));
  if (answer.may_be_formula(observed.behaviours)) observed.behaviours |= bit(formula);
  if (observed.behaviours == 0) observed.behaviours = bit(other);
  return observed;
}

Behaviours expected(const Contract& contract, Situations situations) {
  if (situations == bit(Situation::bad_temperature)) return bit(refused);
  Behaviours promised = 0;
  for_each_choice(situations, [&](std::size_t c) { promised |= bit(contract.behaviours[c]); });
  const auto others = static_cast<Behaviours>(promised & ~bit(formula));
  return others != 0 ? others : bit(formula);
}

bool by_formula(std::string_view declared, const LogitRow& row) {
  if (kind(row) != RowKind::ordinary) return false;
  const Result<Contract> contract = contract_named(declared);
  return !contract || expected(*contract, situations_of(row)) == bit(formula);
}

std::string contract_violation(const Contract& contract, const Observed& observed) {
  const Behaviours promised = expected(contract, observed.situations);
  if ((observed.behaviours & promised) != 0) return "";
  std::string what = observed.situations == bit(Situation::bad_temperature) ? "bad temperature" : "";
  for_each_choice(observed.situations,
                  [&](std::size_t c) { what += (what.empty() ? "" : " and ") + std::string(choices()[c].text); });
  return what + ": found " + names(observed.behaviours, " or ") + ", promised " + names(promised, " or ");
}

void ContractTally::add(const Observed& observed) {
  const auto choice = static_cast<std::size_t>(std::countr_zero(observed.situations));
  if (std::popcount(observed.situations) != 1 || choice >= choice_count) return;
  consistent[choice] = static_cast<Behaviours>(consistent[choice] & observed.behaviours);
  ++rows[choice];
}

std::string contract_seen(const ContractTally& tally) { return declaration(tally.consistent); }

}  // namespace attncert
