// What changed between two ledgers: rows are matched by their names, their fields by the lists of fields that the
// ledger itself is written by (src/core/fields.hpp), so that a new field is compared without a word here. What counts
// as a regression is said in reports/comparison/rules.cpp alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/document.hpp"
#include "reports/ledger.hpp"
#include "src/core/result.hpp"

namespace attncert::report {

inline constexpr const char* comparison_format = "attncert-comparison/1";
inline constexpr const char *regression = "regression", *improvement = "improvement", *plain_change = "change";

struct FieldChange {
  std::string field;          // "counts.held"; of a list the first that differs, "by_source.random.held (and 3 more)"
  std::string before, after;  // as shown: a dash where there is none

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("field", self.field);
    field("before", self.before);
    field("after", self.after);
  }
};

struct RowChange {
  std::string row;      // its name: a claim's id, "softmax.f32 on AVX2"
  std::string outcome;  // regression, improvement or change
  std::string why;      // the rule; "" of a change
  std::string repeat;   // the command that repeats the row after; of one that is gone, before; "": none
  std::vector<FieldChange> changes = {};

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("row", self.row);
    field("outcome", self.outcome);
    field("why", self.why);
    field("repeat", self.repeat);
    field("changes", self.changes);
  }
};

struct KindChanges {
  std::string kind;                  // a key of the ledger: "claims", "kernels", ...
  std::uint64_t same = 0;            // rows that are the same in every field
  std::vector<RowChange> rows = {};  // the others: regressions, improvements, changes; each in the ledger's order

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("kind", self.kind);
    field("same", self.same);
    field("rows", self.rows);
  }
};

// How long the same work took. ratio: time after / time before, above 1 is slower.
struct SpeedRatio {
  std::string what;  // "tasks", "distance-upper at L=16 d=8"
  std::string before, after;
  double ratio = 0;          // the median over `measurements`
  double low = 0, high = 0;  // the noise: their lower and upper quartile; of one measurement the ratio
  std::uint64_t measurements = 0;
  bool regresses = false;  // slower than ComparisonOptions::max_slowdown

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("what", self.what);
    field("before", self.before);
    field("after", self.after);
    field("ratio", self.ratio);
    field("low", self.low);
    field("high", self.high);
    field("measurements", self.measurements);
    field("regresses", self.regresses);
  }
};

// Of which run a side is.
struct ComparedRun {
  std::string file, commit, started;

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("file", self.file);
    field("commit", self.commit);
    field("started", self.started);
  }
};

struct Comparison {
  std::uint64_t regressions = 0, improvements = 0, changes = 0, same = 0;  // rows; slow speeds are regressions too
  ComparedRun before, after;
  std::vector<FieldChange> allowed;     // what is not the same of plan, build and machine, where that is allowed
  std::vector<KindChanges> kinds = {};  // that either ledger has rows of
  std::vector<SpeedRatio> speed = {};

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("regressions", self.regressions);
    field("improvements", self.improvements);
    field("changes", self.changes);
    field("same", self.same);
    field("before", self.before);
    field("after", self.after);
    field("allowed", self.allowed);
    field("kinds", self.kinds);
    field("speed", self.speed);
  }
};

struct ComparisonOptions {
  bool any_plan = false;               // another seed, effort, text or model
  bool any_build = false;              // another compiler, other flags or libraries
  bool any_machine = false;            // another processor, instruction set, device or state of floating point
  std::optional<double> max_slowdown;  // a larger ratio of times is a regression; none: no speed ever is
};

struct NamedLedger {
  std::string file;  // printable
  Ledger ledger;
};

// Error: the two cannot be compared, which fact differs, and the option that compares them all the same.
Result<Comparison> compare(const NamedLedger& before, const NamedLedger& after, const ComparisonOptions& options);

// What of plan, build and machine differs though it may; Error as above. Of a history's ledgers too.
Result<std::vector<FieldChange>> comparable(const NamedLedger& before, const NamedLedger& after,
                                            const ComparisonOptions& options);

// "3 regressions, 1 improvement, 2 other changes, 812 rows the same"
std::string summary(const Comparison& comparison);
Document document(const Comparison& comparison);
std::string to_json(const Comparison& comparison);

// Time after / time before of each thing that both ledgers measured.
std::vector<SpeedRatio> speed_ratios(const Ledger::Timing& before, const Ledger::Timing& after,
                                     std::optional<double> max_slowdown);

}  // namespace attncert::report
