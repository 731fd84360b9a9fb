#include "reports/comparison/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <string_view>

#include "reports/comparison/row_fields.hpp"
#include "reports/comparison/rules.hpp"

namespace attncert::report {
namespace {

// "cases/sinks-1.out.safetensors" and "cases/sinks-1.safetensors" are one case.
std::string without_suffix(const std::string& file) {
  for (const std::string_view end : {".out.safetensors", ".safetensors"})
    if (file.size() > end.size() && file.ends_with(end)) return file.substr(0, file.size() - end.size());
  return file;
}

// The last `parts` names of a path; all of it where it has fewer.
std::string end_of(const std::string& path, std::size_t parts) {
  std::size_t from = path.size();
  for (; parts > 0 && from != std::string::npos; --parts)
    from = from == 0 ? std::string::npos : path.rfind('/', from - 1);
  return from == std::string::npos ? path : path.substr(from + 1);
}

// How much of the paths tells apart those files of a ledger that have one name, by that name.
void add_lengths(const std::vector<LedgerJudgement>& rows, std::map<std::string, std::size_t>& lengths) {
  std::map<std::string, std::set<std::string>> files;
  for (const LedgerJudgement& row : rows) {
    const std::string path = without_suffix(row.file);
    files[end_of(path, 1)].insert(path);
  }
  for (const auto& [name, paths] : files) {
    const auto tells_apart = [&](std::size_t parts) {
      std::set<std::string> ends;
      for (const std::string& path : paths) ends.insert(end_of(path, parts));
      return ends.size() == paths.size();
    };
    std::size_t& length = lengths.try_emplace(name, 1).first->second;
    std::size_t parts = 1;
    while (parts < 64 && !tells_apart(parts)) ++parts;
    length = std::max(length, parts);
  }
}

// Runs judge in folders of their own, so a file is its name and of its path only what tells it from the others.
std::vector<LedgerJudgement> with_short_names(std::vector<LedgerJudgement> rows,
                                              const std::map<std::string, std::size_t>& lengths) {
  for (LedgerJudgement& row : rows) {
    const std::string path = without_suffix(row.file);
    row.file = end_of(path, lengths.at(end_of(path, 1)));
  }
  return rows;
}

template <class Row>
std::vector<Leaf> leaves_of(const Row& row) {
  return Leaves::of(row);
}
// The command names the folder, which is another one each time; the settings that it names are fields too.
std::vector<Leaf> leaves_of(const LedgerJudgement& row) {
  LedgerJudgement plain = row;
  plain.replay.clear();
  return Leaves::of(plain);
}

template <class Row>
struct Pair {
  const Row *before = nullptr, *after = nullptr;  // null: the row is new, or gone
};

// Rows of one name and detail first, then of one name, in their order: files may be judged twice, and hunts find
// several things. In the order of the ledger after, with those that are gone behind.
template <class Row>
void pair_with_whole(const std::vector<Row>&, const std::vector<Row>&, std::vector<Pair<Row>>&) {}

// A case that is refused or fails has one row, without a part; one that is judged has a row of each part. So a row that
// is left alone is compared with the one that stands for the whole case on the other side, if need be with several.
void pair_with_whole(const std::vector<LedgerJudgement>& before, const std::vector<LedgerJudgement>& after,
                     std::vector<Pair<LedgerJudgement>>& pairs) {
  const auto wholes_of = [](const std::vector<LedgerJudgement>& rows) {
    std::map<std::string, const LedgerJudgement*> wholes;
    for (const LedgerJudgement& row : rows)
      if (row.part.empty()) wholes.emplace(row.file, &row);
    return wholes;
  };
  const auto then = wholes_of(before), now = wholes_of(after);
  std::set<const LedgerJudgement*> used;
  for (Pair<LedgerJudgement>& pair : pairs) {
    const bool is_new = pair.before == nullptr, is_gone = pair.after == nullptr;
    if (!is_new && !is_gone) continue;
    const LedgerJudgement& row = is_new ? *pair.after : *pair.before;
    if (row.part.empty()) continue;
    const auto& wholes = is_new ? then : now;
    const auto whole = wholes.find(row.file);
    if (whole == wholes.end()) continue;
    (is_new ? pair.before : pair.after) = whole->second;
    used.insert(whole->second);
  }
  std::erase_if(pairs, [&](const Pair<LedgerJudgement>& pair) {
    return (pair.before == nullptr && used.contains(pair.after)) ||
           (pair.after == nullptr && used.contains(pair.before));
  });
}

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
  pair_with_whole(before, after, pairs);
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
      if (pair.before == nullptr) put(*pair.after, ruling_of_new(*pair.after), only_in(*pair.after, false), changes);
      else if (pair.after == nullptr)
        put(*pair.before, gone(*pair.before, after), only_in(*pair.before, true), changes);
      else if (auto fields = differences(leaves_of(*pair.before), leaves_of(*pair.after)); fields.empty())
        ++changes.same;
      else put(*pair.after, ruling(*pair.before, *pair.after), std::move(fields), changes);
    }
    all_.same += changes.same;
    std::stable_sort(changes.rows.begin(), changes.rows.end(),
                     [](const RowChange& a, const RowChange& b) { return place(a) < place(b); });
    all_.kinds.push_back(std::move(changes));
  }

  // Where no row says why.
  void add_whole(int status) {
    KindChanges changes{"run"};
    put("exit status", "", {regression, "the run fails, and did not"}, {{"exit_status", "0", std::to_string(status)}},
        changes);
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
    const bool runs_here =
        std::any_of(after.begin(), after.end(), [&](const KernelResult& kernel) { return kernel.isa == row.isa; });
    const bool other_machine = std::any_of(all_.allowed.begin(), all_.allowed.end(), [](const FieldChange& fact) {
      return fact.field == "cpu" || fact.field == "isa" || fact.field == "libraries.device:";
    });
    if (options_.any_machine && other_machine && !runs_here) return {plain_change, "not of this machine"};
    return ruling_of_gone(row);
  }

  // What a row that one side has alone says of itself.
  template <class Row>
  static std::vector<FieldChange> only_in(const Row& row, bool before) {
    const std::string detail = detail_of(row), none(no_value);
    if (detail.empty()) return {};
    return {{"why", before ? detail : none, before ? none : detail}};
  }

  template <class Row>
  void put(const Row& row, Ruling ruling, std::vector<FieldChange> fields, KindChanges& changes) {
    put(name_of(row), replay_of(row), std::move(ruling), std::move(fields), changes);
  }
  void put(std::string row, std::string repeat, Ruling ruling, std::vector<FieldChange> fields, KindChanges& changes) {
    ++(ruling.outcome == regression    ? all_.regressions
       : ruling.outcome == improvement ? all_.improvements
                                       : all_.changes);
    changes.rows.push_back(
        {std::move(row), std::move(ruling.outcome), std::move(ruling.why), std::move(repeat), std::move(fields)});
  }

  Comparison& all_;
  const ComparisonOptions& options_;
};

std::vector<LedgerReal> as_list(const std::optional<LedgerReal>& real) {
  return real ? std::vector{*real} : std::vector<LedgerReal>{};
}

// Whether both have rows of some kind.
bool share_a_kind(const Ledger& a, const Ledger& b) {
  const auto kinds = [](const Ledger& ledger) {
    return std::array{!ledger.claims.empty(), !ledger.kernels.empty(), !ledger.faults.empty(),
                      !ledger.judgements.empty(), ledger.real.has_value()};
  };
  const auto one = kinds(a), other = kinds(b);
  for (std::size_t kind = 0; kind < one.size(); ++kind)
    if (one[kind] && other[kind]) return true;
  return false;
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
    return Error{
        fmt::format("{}: has no row of a kind that {} has; compare two runs of one command", after.file, before.file)};
  Comparison comparison{.before = run_of(before), .after = run_of(after), .allowed = *std::move(allowed)};
  KindComparison kinds(comparison, options);
  kinds.add("claims", a.claims, b.claims);
  kinds.add("kernels", a.kernels, b.kernels);
  kinds.add("faults", a.faults, b.faults);
  std::map<std::string, std::size_t> lengths;
  add_lengths(a.judgements, lengths);
  add_lengths(b.judgements, lengths);
  kinds.add("judgements", with_short_names(a.judgements, lengths), with_short_names(b.judgements, lengths));
  kinds.add("real", as_list(a.real), as_list(b.real));
  if (comparison.regressions == 0 && fails_now(a, b)) kinds.add_whole(exit_status(b));
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
