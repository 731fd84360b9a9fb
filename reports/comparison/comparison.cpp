#include "reports/comparison/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

#include "reports/comparison/row_fields.hpp"
#include "reports/comparison/rules.hpp"

namespace attncert::report {
namespace {

template <class Row>
struct Pair {
  const Row *before = nullptr, *after = nullptr;  // null: the row is new, or gone
};

// Rows of one name and detail first, then of one name, in their order: files may be judged twice, and hunts find
// several things. In the order of the ledger after, with those that are gone behind.
template <class Row>
std::vector<Pair<Row>> paired(const std::vector<Row>& before, const std::vector<Row>& after) {
  std::vector<Pair<Row>> pairs;
  for (const Row& row : after) pairs.push_back({nullptr, &row});
  std::set<const Row*> taken;
  const auto pair_by = [&](auto key) {
    std::map<std::string, std::deque<const Row*>> left;
    for (const Row& row : before)
      if (!taken.contains(&row)) left[key(row)].push_back(&row);
    for (Pair<Row>& pair : pairs) {
      if (pair.before != nullptr) continue;
      auto& rows = left[key(*pair.after)];
      if (rows.empty()) continue;
      pair.before = rows.front();
      taken.insert(rows.front());
      rows.pop_front();
    }
  };
  pair_by([](const Row& row) { return name_of(row) + "\n" + detail_of(row); });
  pair_by([](const Row& row) { return name_of(row); });
  for (const Row& row : before)
    if (!taken.contains(&row)) pairs.push_back({&row, nullptr});
  return pairs;
}

class KindComparison {
 public:
  KindComparison(Comparison& all, const ComparisonOptions& options) : all_(all), options_(options) {}

  template <class Row>
  void add(const char* kind, const std::vector<Row>& before, const std::vector<Row>& after) {
    if (before.empty() && after.empty()) return;
    KindChanges changes{kind};
    for (const Pair<Row>& pair : paired(before, after)) {
      if (pair.before == nullptr) put(name_of(*pair.after), ruling_of_new(*pair.after), {}, changes);
      else if (pair.after == nullptr) put(name_of(*pair.before), gone(*pair.before, after), {}, changes);
      else if (auto fields = differences(Leaves::of(*pair.before), Leaves::of(*pair.after)); fields.empty())
        ++changes.same;
      else put(name_of(*pair.after), ruling(*pair.before, *pair.after), std::move(fields), changes);
    }
    all_.same += changes.same;
    std::stable_sort(changes.rows.begin(), changes.rows.end(),
                     [](const RowChange& a, const RowChange& b) { return place(a) < place(b); });
    all_.kinds.push_back(std::move(changes));
  }

 private:
  static int place(const RowChange& row) { return row.outcome == regression ? 0 : row.outcome == improvement ? 1 : 2; }

  template <class Row>
  Ruling gone(const Row& row, const std::vector<Row>&) const {
    return ruling_of_gone(row);
  }
  // Another machine may lack an instruction set.
  Ruling gone(const KernelResult& row, const std::vector<KernelResult>& after) const {
    const bool runs_here = std::any_of(after.begin(), after.end(),
                                       [&](const KernelResult& kernel) { return kernel.isa == row.isa; });
    return options_.any_machine && !runs_here ? Ruling{plain_change, "not of this machine"} : ruling_of_gone(row);
  }

  void put(std::string row, Ruling ruling, std::vector<FieldChange> fields, KindChanges& changes) {
    ++(ruling.outcome == regression    ? all_.regressions
       : ruling.outcome == improvement ? all_.improvements
                                       : all_.changes);
    changes.rows.push_back({std::move(row), std::move(ruling.outcome), std::move(ruling.why), std::move(fields)});
  }

  Comparison& all_;
  const ComparisonOptions& options_;
};

std::vector<LedgerReal> as_list(const std::optional<LedgerReal>& real) {
  return real ? std::vector{*real} : std::vector<LedgerReal>{};
}

// Whether both have rows of some kind, or neither has any.
bool share_a_kind(const Ledger& a, const Ledger& b) {
  const auto kinds = [](const Ledger& ledger) {
    return std::array{!ledger.claims.empty(), !ledger.kernels.empty(), !ledger.faults.empty(),
                      !ledger.judgements.empty(), ledger.real.has_value()};
  };
  const auto one = kinds(a), other = kinds(b);
  bool any = false;
  for (std::size_t kind = 0; kind < one.size(); ++kind) {
    if (one[kind] && other[kind]) return true;
    any = any || one[kind] || other[kind];
  }
  return !any;
}

ComparedRun run_of(const NamedLedger& named) {
  const Environment& environment = named.ledger.environment;
  return {named.file, environment.commit + (environment.dirty ? " (with changes)" : ""), named.ledger.timing.started};
}

}  // namespace

Result<Comparison> compare(const NamedLedger& before, const NamedLedger& after, const ComparisonOptions& options) {
  Result<std::vector<FieldChange>> allowed = comparable(before, after, options);
  if (!allowed) return allowed.error();
  const Ledger &a = before.ledger, &b = after.ledger;
  if (!share_a_kind(a, b))
    return Error{fmt::format("{}: has no row of a kind that {} has; compare two runs of one command", after.file,
                             before.file)};
  Comparison comparison{.before = run_of(before), .after = run_of(after), .allowed = *std::move(allowed)};
  KindComparison kinds(comparison, options);
  kinds.add("claims", a.claims, b.claims);
  kinds.add("kernels", a.kernels, b.kernels);
  kinds.add("faults", a.faults, b.faults);
  kinds.add("judgements", a.judgements, b.judgements);
  kinds.add("real", as_list(a.real), as_list(b.real));
  comparison.speed = speed_ratios(a.timing, b.timing, options.max_slowdown);
  for (const SpeedRatio& ratio : comparison.speed) comparison.regressions += ratio.regresses;
  return comparison;
}

std::string to_json(const Comparison& comparison) {
  json_fields::Written whole = json_fields::Written::object();
  whole["format"] = comparison_format;
  whole.update(json_fields::written(comparison));
  return whole.dump(1, ' ', false, json_fields::Written::error_handler_t::replace) + "\n";
}

}  // namespace attncert::report
