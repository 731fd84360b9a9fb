// JSON lines for Tyche (https://github.com/tyche-pbt/tyche-extension), which draws how the cases of a property spread:
// a line a case that the ledger keeps. Of a claim these are the instances that came nearest, one for each part; of a
// normalizer the worst row of each kernel; of a file what was judged in it. How many were tried is a line of its own.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>

#include "reports/ledger.hpp"
#include "reports/row_line.hpp"
#include "reports/wording.hpp"
#include "src/core/number_text.hpp"

namespace attncert {
namespace {

using Json = nlohmann::ordered_json;

// Seconds since 1970; 0 where the ledger does not say when it began.
double seconds_of(const std::string& started) {
  std::tm time{};
  if (std::sscanf(started.c_str(), "%d-%d-%dT%d:%d:%d", &time.tm_year, &time.tm_mon, &time.tm_mday, &time.tm_hour,
                  &time.tm_min, &time.tm_sec) != 6)
    return 0;
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  return static_cast<double>(timegm(&time));
}

const char* status_of(int status) { return status == 0 ? "passed" : status == 3 ? "gave_up" : "failed"; }

// A text where it is not finite, which JSON has no number for.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value)); }

class Lines {
 public:
  explicit Lines(const Ledger& ledger) : ledger_(ledger), run_start_(seconds_of(ledger.timing.started)) {}

  void add(const LedgerClaim& claim) {
    info(claim.id, "instances",
         fmt::format("{} tried, {} admissible; {}", report::grouped(claim.counts.tried),
                     report::grouped(claim.counts.admissible), report::line_of(claim, ledger_).says()));
    if (claim.tightest) add(claim, "all", *claim.tightest, claim.counts.violated > 0);
    for (const PartTally& part : claim.parts)
      if (part.tightest) add(claim, part.part, *part.tightest, part.violated > 0);
  }
  void add(const KernelResult& row) {
    test_case(row.normalizer, exit_status(row), report::line_of(row, ledger_),
              row.worst_entry.empty() ? report::case_of(row) : row.worst_entry,
              {{"share of budget", number(row.worst_fraction)},
               {"error, ulp", number(row.worst_ulp)},
               {"type", row.dtype},
               {"instruction set", row.isa}});
  }
  void add(const LedgerFault& row) {
    test_case(row.normalizer + ", wrong kernels", exit_status(row), report::line_of(row, ledger_), row.text,
              {{"caught by", row.caught_by}, {"cases", row.cases}});
  }
  void add(const LedgerJudgement& row) {
    test_case(row.part.empty() ? "judged" : row.part, exit_status(row), report::line_of(row, ledger_), row.read_as,
              {{"share of bound", number(row.worst.empty() ? 0 : row.worst[0].of_bound)}, {"class", row.rounding}});
  }
  void add(const LedgerReal& row) {
    test_case("captured weights", exit_status(row), report::line_of(row, ledger_), row.text,
              {{"error, ulp", number(row.worst_ulp)}});
  }
  std::string text() const { return text_; }

 private:
  // A violation is what a refuted statement was expected to have: the case fails, the row need not.
  void add(const LedgerClaim& claim, const std::string& part, const Tightest& nearest, bool violated) {
    test_case(claim.id, violated ? 1 : 0, {nearest.replay, {nearest.lhs + " against " + nearest.rhs}, claim.replay},
              nearest.replay, {{"left / right", number(nearest.tightness)}, {"part", part}});
  }
  void test_case(const std::string& property, int status, const report::RowLine& line,
                 const std::string& representation, const Json& features) {
    write({{"type", "test_case"},
           {"run_start", run_start_},
           {"property", property},
           {"status", status_of(status)},
           {"status_reason", line.says()},
           {"representation",
            representation.empty() || line.name == representation ? line.name : line.name + ": " + representation},
           {"how_generated", line.replay},
           {"features", features},
           {"coverage", nullptr},
           {"metadata", nullptr}});
  }
  void info(const std::string& property, const char* title, const std::string& content) {
    write(
        {{"type", "info"}, {"run_start", run_start_}, {"property", property}, {"title", title}, {"content", content}});
  }
  void write(const Json& line) { text_ += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

  const Ledger& ledger_;
  double run_start_;
  std::string text_;
};

}  // namespace

std::string tyche(const Ledger& ledger) {
  Lines lines(ledger);
  for_each_kind(ledger, [&](const char*, auto rows) {
    for (const auto& row : rows) lines.add(row);
  });
  return lines.text();
}

}  // namespace attncert
