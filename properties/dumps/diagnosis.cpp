#include "properties/dumps/diagnosis.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <numbers>

#include "properties/dumps/alternatives.hpp"
#include "properties/dumps/approximate.hpp"
#include "properties/dumps/rounding_named.hpp"
#include "reference/share_out.hpp"
#include "src/core/assert.hpp"
#include "src/core/threads.hpp"

namespace attncert {
namespace {

// A convention holds for every row; a few rows that fail and a few that hold tell one from another.
constexpr std::size_t failing_looked_at = 6, worst_looked_at = 2, holding_looked_at = 2;
// Failing rows that are asked in doubles whether they agree with what explains those.
constexpr std::size_t most_asked = 64;
// Far more than any bound of a class that says something, far less than what another convention changes.
constexpr double near_enough = 0x1p-5;

struct Looked {
  std::size_t index;
  Place place;
  KeysAndValues shared;
  bool fails;
  double largest_value;  // of the values
};

void spread(const std::vector<std::size_t>& from, std::size_t count, std::vector<std::size_t>& into) {
  for (std::size_t n = 0; n < std::min(count, from.size()); ++n)
    into.push_back(from[n * (from.size() - 1) / std::max<std::size_t>(1, std::min(count, from.size()) - 1)]);
}

Looked look(const AttentionDump& dump, std::size_t row, bool fails) {
  const Place place = dump.place(row);
  Looked looked{row, place, dump.keys_and_values(place.batch, dump.kv_head(place.head)), fails, 0};
  for (const double value : looked.shared.largest_value)
    if (std::isfinite(value)) looked.largest_value = std::max(looked.largest_value, value);
  return looked;
}

std::vector<Looked> looked_at(const AttentionDump& dump, const DumpVerdict& verdict) {
  std::vector<std::size_t> rows, holding;
  for (const std::size_t row : verdict.rows)
    if (!std::binary_search(verdict.failing_rows.begin(), verdict.failing_rows.end(), row)) holding.push_back(row);
  for (const Element& worst : verdict.worst.list()) {
    const std::size_t row = dump.row_of(worst.place);
    const bool fails = std::binary_search(verdict.failing_rows.begin(), verdict.failing_rows.end(), row);
    if (fails && rows.size() < worst_looked_at && std::find(rows.begin(), rows.end(), row) == rows.end())
      rows.push_back(row);
  }
  spread(verdict.failing_rows, failing_looked_at, rows);
  const std::size_t failing = rows.size();
  spread(holding, holding_looked_at, rows);
  std::vector<Looked> result;
  for (std::size_t n = 0; n < rows.size(); ++n) result.push_back(look(dump, rows[n], n < failing));
  return result;
}

bool is_nothing(const std::vector<double>& output) {
  return std::all_of(output.begin(), output.end(), [](double v) { return v == 0 || std::isnan(v); });
}

// Within three bounds of the LSE, of which another base takes two and the calculation in doubles one; and where it is
// none that the row itself has, twice as near to it as to that. `expected` and `own` are natural.
bool fits(const AttentionDump& dump, const DumpedRow& row, double expected, double own, double bound) {
  const double unit = dump.settings().lse_base_2 ? std::numbers::log2e : 1;
  const double off = std::abs(*row.lse - unit * expected);
  const double stored = lse_storage(dump).relative * std::abs(unit * expected);
  return off <= 3 * bound + stored && (expected == own || off < std::abs(*row.lse - unit * own) / 2);
}

// One or two alternatives at once, in their order.
using Edits = std::vector<const Alternative*>;

std::string name_of(const Edits& edits) {
  std::string name;
  for (const Alternative* edit : edits) name += (name.empty() ? "" : ", and ") + edit->name;
  return name;
}

class Explainer {
 public:
  // with_lse: the LSE is asked for beside the outputs. Rows that fail by it alone have outputs that tell nothing.
  Explainer(const AttentionDump& dump, std::vector<Looked> rows, const reference::RoundingClass& rounding,
            std::size_t jobs, bool with_lse = false)
      : dump_(dump), rows_(std::move(rows)), rounding_(rounding), jobs_(jobs), with_lse_(with_lse) {}

  std::size_t rows() const { return rows_.size(); }

  // distance(edits, 1) of each.
  std::vector<double> distances_of_first_row(const std::vector<Edits>& all) const {
    std::vector<double> result(all.size());
    // Each thread has keys and values of its own, as edited, and a copy that is calculated with.
    constexpr double most_bytes = 0x1p31;
    const DumpShape& shape = dump_.shape();
    const double bytes = 3.0 * sizeof(double) * static_cast<double>(shape.keys * (shape.size + shape.value_size));
    const auto most = static_cast<std::size_t>(std::max(1.0, most_bytes / bytes));
    share_out(all.size(), std::min(most, jobs_ == 0 ? all_cores() : jobs_),
              [&](std::size_t n) { result[n] = distance(all[n], 1); });
    return result;
  }

  // The largest error of the outputs, in units of the values, and of the LSE; +inf where the edits leave a failing row
  // as it is.
  double distance(const Edits& edits, std::size_t of_rows) const {
    double most = 0;
    for (std::size_t n = 0; n < std::min(of_rows, rows_.size()) && most < infinity; ++n) {
      EditedRow row;
      if (!edited(edits, rows_[n], row)) return infinity;
      most = std::max(most, off(row.dumped, rows_[n]));
    }
    return most;
  }

  // Whether every other failing row is at least twice as near with the edits as without, in doubles.
  bool agree(const Edits& edits, const std::vector<std::size_t>& failing) const {
    std::vector<std::size_t> asked;
    spread(failing, most_asked, asked);
    return std::all_of(asked.begin(), asked.end(), [&](std::size_t index) {
      const Looked looked = look(dump_, index, true);
      EditedRow row, own;
      if (!edited(edits, looked, row) || !edited({}, looked, own)) return false;
      const double with = off(row.dumped, looked), without = off(own.dumped, looked);
      return with == 0 || with < without / 2;
    });
  }

  // Whether every element of every row is within another class's bounds, and these are no empty promise.
  bool within(reference::RoundingClass other) const {
    other.output = rounding_.output;
    return every_row([&](const Looked& looked) {
      const auto elements = elements_within(dump_, looked.place, dump_.row(looked.place, looked.shared), other);
      double largest = 0;  // of the row's exact outputs: what a bound of a quarter of it allows is still that row
      for (const Element& e : elements)
        if (e.channel) largest = std::max(largest, std::abs(e.exact));
      return !elements.empty() && std::all_of(elements.begin(), elements.end(),
                                              [&](const Element& e) { return !e.channel || e.bound < largest / 4; });
    });
  }

  // Whether every output of every row is within the class's bound of what the edited row has. Rows that the edits leave
  // without a key say something only beside failing ones that keep some: any kernel may return zeros.
  bool explains(const Edits& edits) const {
    std::atomic<bool> some_with_keys = false;
    const bool all = every_row([&](const Looked& looked) {
      EditedRow row;
      if (!edited(edits, looked, row)) return false;
      if (!with_lse_) row.dumped.lse = std::nullopt;
      const Standing stands = standing(row.dumped, rounding_);
      if (stands == Standing::without_key) return is_nothing(row.dumped.output);
      if (stands != Standing::sound) return false;
      if (looked.fails) some_with_keys = true;
      return !elements_within(dump_, looked.place, row.dumped, rounding_).empty();
    });
    return all && some_with_keys;
  }

  // What is to be said of the LSE where the edits explain the outputs: "" where they explain it as well.
  std::string of_lse(const Edits& edits) const {
    if (lse_fits(edits, [](const EditedRow&, const ApproximateRow& near) { return near.lse; })) return "";
    for (const LseAlternative& alternative : lse_alternatives())
      if (lse_fits(edits, [&](const EditedRow& row, const ApproximateRow& near) {
            return alternative.lse(row.dumped.row, near.largest, near.sum);
          }))
        return ", and " + std::string(alternative.name);
    return ", and the LSE is another one";
  }

  // "0" or "NaN" where every output of the failing rows is that.
  std::string nothing_but() const {
    const auto all = [&](auto is) {
      return std::all_of(rows_.begin(), rows_.end(), [&](const Looked& looked) {
        const std::vector<double> output = dump_.row(looked.place, looked.shared).output;
        return !looked.fails || std::all_of(output.begin(), output.end(), is);
      });
    };
    if (all([](double v) { return v == 0; })) return "0";
    return all([](double v) { return std::isnan(v); }) ? "NaN" : "";
  }

 private:
  // Whether all rows do; once one does not, the rest are let go.
  bool every_row(const std::function<bool(const Looked&)>& holds) const {
    std::atomic<bool> all = true;
    share_out(rows_.size(), jobs_, [&](std::size_t n) {
      if (all && !holds(rows_[n])) all = false;
    });
    return all;
  }

  // Whether the LSE of every edited row is as expected.
  template <class Expected>
  bool lse_fits(const Edits& edits, Expected expected) const {
    return std::all_of(rows_.begin(), rows_.end(), [&](const Looked& looked) {
      EditedRow row;
      if (!edited(edits, looked, row) || standing(row.dumped, rounding_) != Standing::sound || !row.dumped.lse)
        return true;
      const double bound = elements_of(dump_, looked.place, row.dumped, rounding_).back().bound;
      const ApproximateRow near = approximate(row.dumped.row);
      return fits(dump_, row.dumped, expected(row, near), near.lse, bound);
    });
  }

  // A failing row that no edit changes is not explained by them.
  bool edited(const Edits& edits, const Looked& looked, EditedRow& row) const {
    row.dumped = dump_.row(looked.place, looked.shared);
    bool changed = edits.empty() || !looked.fails;
    for (const Alternative* edit : edits) changed = edit->edit(dump_, looked.place, row) || changed;
    return changed;
  }

  double off(const DumpedRow& row, const Looked& looked) const {
    const Standing stands = standing(row, rounding_);
    if (stands == Standing::without_key) return is_nothing(row.output) ? 0 : infinity;
    if (stands != Standing::sound) return infinity;
    const ApproximateRow near = approximate(row.row);
    double most = 0;
    for (std::size_t c = 0; c < row.output.size(); ++c) {
      const double difference = std::abs(row.output[c] - near.output[c]);
      most = std::max(most, std::isnan(difference) ? infinity : difference);
    }
    if (most > 0) most /= looked.largest_value;
    if (!with_lse_ || !row.lse) return most;
    const double lse = std::abs(*row.lse * (dump_.settings().lse_base_2 ? std::numbers::ln2 : 1) - near.lse);
    return std::isnan(lse) ? infinity : std::max(most, lse);
  }

  const AttentionDump& dump_;
  std::vector<Looked> rows_;
  const reference::RoundingClass& rounding_;
  std::size_t jobs_;
  bool with_lse_;
};

// Tries the edits that bring the outputs near, the nearest first, and keeps those that explain them. What brings them
// not twice as near as they are explains nothing: its bounds may be wider only because its scores are larger.
void keep_explaining(const Explainer& explainer, const std::vector<std::size_t>& failing,
                     std::vector<std::pair<double, Edits>> near, Diagnosis& diagnosis) {
  constexpr std::size_t most_tried = 12;  // each costs a proof of every row
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t n = 0; n < std::min(near.size(), most_tried); ++n)
    if (near[n].first < diagnosis.own / 2 && explainer.explains(near[n].second) &&
        explainer.agree(near[n].second, failing))
      diagnosis.explain.push_back(name_of(near[n].second) + explainer.of_lse(near[n].second));
}

void explain_by_two(const Explainer& explainer, const std::vector<std::size_t>& failing, Diagnosis& diagnosis) {
  std::vector<Edits> pairs;
  for (const Alternative& first : row_alternatives())
    for (const Alternative& second : row_alternatives())
      if (&first < &second) pairs.push_back({&first, &second});
  const std::vector<double> first = explainer.distances_of_first_row(pairs);
  std::vector<std::pair<double, Edits>> near;
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    if (first[n] > near_enough) continue;
    const double distance = explainer.distance(pairs[n], explainer.rows());
    if (distance <= near_enough) near.push_back({distance, pairs[n]});
  }
  keep_explaining(explainer, failing, near, diagnosis);
}

void explain_by_one(const AttentionDump& dump, const Explainer& explainer, const std::vector<std::size_t>& failing,
                    Diagnosis& diagnosis) {
  std::vector<std::pair<double, Edits>> near;
  const std::vector<Alternative> of_storage = storage_alternatives(dump.shape());
  std::vector<Edits> all;
  for (const Alternative& alternative : row_alternatives()) all.push_back({&alternative});
  for (const Alternative& alternative : of_storage) all.push_back({&alternative});
  const std::vector<double> first = explainer.distances_of_first_row(all);
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (first[n] >= std::max(near_enough, diagnosis.distance)) continue;
    const double distance = explainer.distance(all[n], explainer.rows());
    if (distance <= near_enough) near.push_back({distance, all[n]});
    if (distance < diagnosis.distance) diagnosis.nearest = name_of(all[n]);
    diagnosis.distance = std::min(diagnosis.distance, distance);
  }
  keep_explaining(explainer, failing, near, diagnosis);
}

Diagnosis undiagnosed(const Explainer& explainer) {
  return {explainer.rows(), {}, "", "", infinity, explainer.distance({}, explainer.rows())};
}

// What explains outputs and LSEs together, where the latter tell more: of rows that fail by them alone.
std::vector<std::string> explained_with_lse(const AttentionDump& dump, const DumpVerdict& verdict,
                                            const reference::RoundingClass& rounding, std::size_t jobs) {
  if (!dump.has("lse")) return {};
  const Explainer explainer(dump, looked_at(dump, verdict), rounding, jobs, true);
  Diagnosis diagnosis = undiagnosed(explainer);
  explain_by_one(dump, explainer, verdict.failing_rows, diagnosis);
  return diagnosis.explain;
}

}  // namespace

Diagnosis diagnosis_of_output(const AttentionDump& dump, const DumpVerdict& verdict,
                              const reference::RoundingClass& rounding, std::size_t jobs) {
  ATTNCERT_ASSERT(!verdict.failing_rows.empty());
  const Explainer explainer(dump, looked_at(dump, verdict), rounding, jobs);
  Diagnosis diagnosis = undiagnosed(explainer);
  if (const std::string nothing = explainer.nothing_but(); !nothing.empty()) {
    const bool all_fail = verdict.failing_rows.size() == verdict.rows.size();
    diagnosis.explain.push_back(std::string("every output ") + (all_fail ? "" : "of the rows that differ ") + "is " +
                                nothing);
    return diagnosis;
  }
  explain_by_one(dump, explainer, verdict.failing_rows, diagnosis);
  if (!diagnosis.explain.empty()) return diagnosis;
  explain_by_two(explainer, verdict.failing_rows, diagnosis);
  if (diagnosis.explain.empty()) diagnosis.explain = explained_with_lse(dump, verdict, rounding, jobs);
  if (!diagnosis.explain.empty()) return diagnosis;
  for (const char* name : {"f32", "pf16", "pbf16", "of16", "sf16-unfused", "sbf16-unfused"})
    if (diagnosis.wider.empty() && explainer.within(with_scales_of(dump, *rounding_named(name))))
      diagnosis.wider = name;
  if (!(diagnosis.distance < diagnosis.own / 2)) diagnosis.nearest = "";
  return diagnosis;
}

std::vector<std::string> explained_more_narrowly(const AttentionDump& dump, const DumpVerdict& verdict,
                                                 const reference::RoundingClass& narrowest, std::size_t jobs) {
  if (verdict.outside_narrowest.empty()) return {};
  DumpVerdict narrow = verdict;
  narrow.failing_rows = verdict.outside_narrowest;
  const Explainer explainer(dump, looked_at(dump, narrow), narrowest, jobs);
  Diagnosis diagnosis = undiagnosed(explainer);
  if (!verdict.outside_by_lse && explainer.nothing_but().empty())
    explain_by_one(dump, explainer, narrow.failing_rows, diagnosis);
  return diagnosis.explain.empty() ? explained_with_lse(dump, narrow, narrowest, jobs) : diagnosis.explain;
}

Diagnosis diagnosis_of_lse(const AttentionDump& dump, const DumpVerdict& verdict,
                           const reference::RoundingClass& rounding, std::size_t jobs) {
  ATTNCERT_ASSERT(!verdict.failing_rows.empty());
  const std::vector<Looked> rows = looked_at(dump, verdict);
  Diagnosis diagnosis{rows.size(), {}, "", "", infinity, infinity};
  for (const LseAlternative& alternative : lse_alternatives()) {
    const bool explains = std::all_of(rows.begin(), rows.end(), [&](const Looked& looked) {
      const DumpedRow row = dump.row(looked.place, looked.shared);
      const ApproximateRow near = approximate(row.row);
      const double bound = elements_of(dump, looked.place, row, rounding).back().bound;
      const double expected = alternative.lse(row.row, near.largest, near.sum);
      return expected != near.lse && fits(dump, row, expected, near.lse, bound);
    });
    if (explains) diagnosis.explain.emplace_back(alternative.name);
  }
  if (diagnosis.explain.empty()) diagnosis.explain = explained_with_lse(dump, verdict, rounding, jobs);
  return diagnosis;
}

}  // namespace attncert
