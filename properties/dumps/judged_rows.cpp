#include "properties/dumps/judged_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "properties/dumps/approximate.hpp"
#include "properties/dumps/rounding_named.hpp"
#include "reference/share_out.hpp"
#include "src/core/assert.hpp"

namespace attncert {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// How far the row strays from the calculation in doubles, in units of what an f32 kernel's output could resolve.
double strays(const DumpedRow& row, const ApproximateRow& near, bool base_2) {
  double most = 0;
  for (std::size_t c = 0; c < row.output.size(); ++c) {
    const double off = std::abs(row.output[c] - near.output[c]);
    const double size = near.magnitude[c] + std::numeric_limits<double>::min();
    most = std::max(most, std::isfinite(row.output[c]) ? off / size : infinity);
  }
  if (row.lse) {
    const double lse = base_2 ? *row.lse * std::log(2.0) : *row.lse;
    most = std::max(most, std::isfinite(lse) ? std::abs(lse - near.lse) / (1 + std::abs(near.largest)) : infinity);
  }
  return most;
}

// Of rows that share their keys: -1 where the bounds do not speak of a row.
void stray(const AttentionDump& dump, const KeysAndValues& shared, Place place, std::span<double> far) {
  std::vector<DumpedRow> rows;
  std::vector<const reference::AttentionRow*> sound;
  for (std::size_t n = 0; n < far.size(); ++n) {
    rows.push_back(dump.row({place.batch, place.head, place.query + n}, shared));
    far[n] = standing(rows[n]) == Standing::sound ? 0 : -1;
  }
  for (std::size_t n = 0; n < far.size(); ++n)
    if (far[n] == 0) sound.push_back(&rows[n].row);
  if (sound.empty()) return;
  const auto near = approximate(sound);
  for (std::size_t n = 0, k = 0; n < far.size(); ++n)
    if (far[n] == 0) far[n] = strays(rows[n], near[k++], dump.settings().lse_base_2);
}

std::vector<double> straying(const AttentionDump& dump, std::size_t jobs) {
  constexpr std::size_t together = 64;  // rows that share what is read of keys and values
  const DumpShape& shape = dump.shape();
  const std::size_t chunks = (shape.queries + together - 1) / together;
  std::vector<double> result(shape.rows());
  share_out(shape.batches * shape.heads * chunks, jobs, [&](std::size_t task) {
    const std::size_t first = task / chunks * shape.queries + task % chunks * together;
    const Place place = dump.place(first);
    const KeysAndValues shared = dump.keys_and_values(place.batch, dump.kv_head(place.head));
    const std::size_t count = std::min(together, shape.queries - place.query);
    stray(dump, shared, place, std::span(result).subspan(first, count));
  });
  return result;
}

}  // namespace

std::vector<std::size_t> chosen_rows(const AttentionDump& dump, std::size_t count, std::size_t jobs) {
  std::vector<std::size_t> rows(dump.shape().rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (count == 0 || count >= rows.size()) return rows;
  const std::vector<double> far = straying(dump, jobs);
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return far[a] > far[b]; });
  rows.resize((count + 1) / 2);
  // Multiples of the golden ratio modulo 1 leave no large gap, whatever their number (Weyl; Knuth 6.4).
  constexpr double golden = 0.6180339887498949;
  const auto total = static_cast<double>(dump.shape().rows());
  for (std::size_t n = 1; n <= count / 2; ++n)
    rows.push_back(static_cast<std::size_t>(std::fmod(static_cast<double>(n) * golden, 1.0) * total));
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

std::size_t affordable_rows(const DumpShape& shape) {
  // A number of the products takes about two microseconds, bound included, and the calculation in doubles of all
  // 32,768 rows of 4,096 keys and 256 numbers each some 30 s of processor time (measured in 2026). Such a file takes
  // half a minute on two cores.
  constexpr std::size_t products = std::size_t{1} << 24;
  return std::max<std::size_t>(16, products / (shape.keys * (shape.size + shape.value_size)));
}

reference::Rounding output_format(const std::string& dtype) {
  if (dtype == "F16") return {0x1p-11, 0x1p-25};
  if (dtype == "BF16") return {0x1p-8, reference::f32_underflow};
  return {reference::f32_unit, reference::f32_underflow};
}

std::vector<NamedRounding> candidates(const AttentionDump& dump) {
  std::vector<std::string> names{"f32-three-pass", "f32"};
  if (dump.dtype("q") == "BF16") names = {"pbf16", "sbf16-unfused"};
  if (dump.dtype("q") == "F16") names = {"pf16", "pbf16", "sbf16-unfused"};
  if (!dump.settings().rounding.empty()) names = {dump.settings().rounding};
  std::vector<NamedRounding> result;
  for (const std::string& name : names) {
    result.push_back({name, *rounding_named(name)});
    result.back().rounding.output = output_format(dump.dtype("o"));
  }
  return result;
}

Standing standing(const DumpedRow& dumped) {
  const reference::AttentionRow& row = dumped.row;
  const auto kept = reference::kept_keys(row);
  if (kept.empty() && !row.sink) return Standing::without_key;
  double query = 0, key = 0;
  bool finite = true;
  for (const double value : row.query) query = std::max(query, std::isfinite(value) ? std::abs(value) : infinity);
  for (const std::size_t j : kept) {
    key = std::max(key, dumped.shared->largest_key[j]);
    finite =
        finite && std::isfinite(dumped.shared->largest_value[j]) && (row.bias.empty() || std::isfinite(row.bias[j]));
  }
  if (!finite || std::isinf(query) || std::isinf(key)) return Standing::not_finite;
  // f32 ends at 2^128; a kernel may multiply by log2(e) and the scale before or after the sum.
  const double product = 2 * static_cast<double>(row.query.size()) * query * key;
  return product * std::max(1.0, std::abs(row.scale)) < 0x1p126 ? Standing::sound : Standing::out_of_range;
}

std::vector<Element> elements_of(const AttentionDump& dump, const Place& place, const DumpedRow& row,
                                 const reference::RoundingClass& rounding) {
  const reference::AttentionTruth truth = attention_truth(row.row, judged_precision);
  const reference::AttentionBound bound = attention_bound(row.row, truth, rounding);
  std::vector<Element> elements;
  for (std::size_t c = 0; c < row.output.size(); ++c)
    elements.push_back(element("o", place, c, row.output[c], truth.output[c], bound.output[c]));
  if (!row.lse) return elements;
  if (!dump.settings().lse_base_2) {
    elements.push_back(element("lse", place, std::nullopt, *row.lse, truth.lse, bound.lse));
  } else {
    // The natural bound in the other unit (1 / ln 2 < 1.5), and a rounded constant, product and sum of both parts of
    // the LSE, M / ln 2 and log2 Z: less than 4 units of each.
    const Interval in_base_2 = truth.lse / log(Interval(2.0, judged_precision)), unit(1.5, judged_precision);
    const Interval more =
        Interval(4 * rounding.single.relative, judged_precision) * (abs(truth.largest) + abs(truth.log_sum));
    const Interval wider = unit * (bound.lse + more);
    elements.push_back(element("lse", place, std::nullopt, *row.lse, in_base_2, wider));
  }
  return elements;
}

namespace {

// One class on some rows.
class Pass {
 public:
  Pass(const AttentionDump& dump, const NamedRounding& named, std::size_t jobs, const Progress& progress)
      : dump_(dump), named_(named), jobs_(jobs), progress_(progress) {
    verdict_.rounding = named.name;
    verdict_.of = dump.shape().rows();
  }

  DumpVerdict over(const std::vector<std::size_t>& rows) {
    total_ = rows.size();
    share_out(rows.size(), jobs_, [&](std::size_t n) { judge(rows[n]); });
    std::sort(verdict_.rows.begin(), verdict_.rows.end());
    std::sort(verdict_.failing_rows.begin(), verdict_.failing_rows.end());
    return verdict_;
  }

 private:
  void judge(std::size_t index) {
    const Place place = dump_.place(index);
    const KeysAndValues shared = dump_.keys_and_values(place.batch, dump_.kv_head(place.head));
    const DumpedRow row = dump_.row(place, shared);
    const Standing stands = standing(row);
    std::vector<Element> elements;
    if (stands == Standing::sound) elements = elements_of(dump_, place, row, named_.rounding);
    double limit = 0;  // farther than any average of the values from any other
    for (const double value : shared.largest_value)
      if (std::isfinite(value)) limit = std::max(limit, 2 * value);
    const std::lock_guard guard(lock_);
    note(index, stands, elements, limit);
    if (progress_) progress_(++done_, total_);
  }

  void note(std::size_t index, Standing stands, const std::vector<Element>& elements, double limit) {
    if (stands == Standing::without_key) ++verdict_.without_key;
    if (stands == Standing::not_finite) ++verdict_.not_finite;
    if (stands == Standing::out_of_range) ++verdict_.out_of_range;
    if (stands != Standing::sound) return;
    verdict_.rows.push_back(index);
    bool fails = false;
    for (const Element& e : elements) {
      ++verdict_.elements;
      verdict_.vacuous += e.channel ? e.bound >= limit && limit > 0 : std::isinf(e.bound);
      verdict_.failing += e.fraction > 1;
      (e.channel ? verdict_.output_fails : verdict_.lse_fails) |= e.fraction > 1;
      fails = fails || e.fraction > 1;
    }
    if (fails) verdict_.failing_rows.push_back(index);
    const auto of = [&](bool lse) {
      const Element* worst = nullptr;
      for (const Element& e : elements)
        if (e.channel.has_value() != lse && (worst == nullptr || e.fraction > worst->fraction)) worst = &e;
      if (worst != nullptr) verdict_.worst.add(*worst);
    };
    of(false);
    of(true);
  }

  const AttentionDump& dump_;
  const NamedRounding& named_;
  std::size_t jobs_, done_ = 0, total_ = 0;
  const Progress& progress_;
  std::mutex lock_;
  DumpVerdict verdict_;
};

}  // namespace

DumpVerdict judged(const AttentionDump& dump, const std::vector<std::size_t>& rows,
                   const std::vector<NamedRounding>& candidates, std::size_t jobs, const Progress& progress) {
  ATTNCERT_ASSERT(!candidates.empty());
  DumpVerdict verdict = Pass(dump, candidates[0], jobs, progress).over(rows);
  for (std::size_t n = 1; n < candidates.size() && !verdict.failing_rows.empty(); ++n) {
    DumpVerdict wider = Pass(dump, candidates[n], jobs, progress).over(verdict.failing_rows);
    if (n == 1 && verdict.output_fails) verdict.outside_narrowest = verdict.failing_rows;
    verdict.too_narrow = verdict.rounding;
    verdict.rounding = wider.rounding;
    verdict.failing = wider.failing;
    verdict.output_fails = wider.output_fails;
    verdict.lse_fails = wider.lse_fails;
    verdict.failing_rows = wider.failing_rows;
    verdict.worst = wider.worst;
  }
  return verdict;
}

}  // namespace attncert
