#include "properties/dumps/judged_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>

#include "properties/dumps/channel_row.hpp"
#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/rounding_named.hpp"
#include "reference/share_out.hpp"
#include "src/core/assert.hpp"

namespace attncert {

reference::Rounding output_format(const std::string& dtype) {
  if (dtype == "F16") return reference::f16_rounding;
  if (dtype == "BF16") return reference::bf16_rounding;
  return {reference::f32_unit, reference::f32_underflow};
}

reference::Rounding lse_storage(const AttentionDump& dump) {
  const std::string& dtype = dump.dtype("lse");
  return dtype == "F16" || dtype == "BF16" ? output_format(dtype) : reference::Rounding{};
}

reference::RoundingClass with_scales_of(const AttentionDump& dump, const reference::RoundingClass& rounding) {
  return with_scaled_values(with_scaled_keys(rounding, dump.scale_range("k_scale")), dump.scale_range("v_scale"));
}

std::vector<NamedRounding> candidates(const AttentionDump& dump) {
  std::vector<std::string> names{"f32-three-pass", "f32"};
  const std::string &q = dump.dtype("q"), &k = dump.dtype("k");
  if (q == "BF16") names = {"pbf16", "sbf16-unfused"};
  else if (q == "F16") names = {"pf16", "sf16-unfused", "pbf16", "sbf16-unfused"};
  else if (k == "BF16") names.push_back("pbf16+q=bf16");  // a matrix unit of the narrower type takes both
  else if (k == "F16") names.push_back("pf16+q=f16");
  if (!dump.settings().rounding.empty()) names = {dump.settings().rounding};
  std::vector<NamedRounding> result;
  for (const std::string& name : names) {
    result.push_back({name, with_scales_of(dump, *rounding_named(name))});
    result.back().rounding.output = output_format(dump.dtype("o"));
  }
  return result;
}

namespace {

// What the file's LSE is held to: the truth in its base, and how far it may be from it.
template <class Number>
std::pair<Number, Number> held_lse(const AttentionDump& dump, const reference::AttentionTruth<Number>& truth,
                                   const Number& natural, const reference::RoundingClass& rounding) {
  const auto number = [&](double value) { return Number(value, truth.lse.precision()); };
  Number exact = truth.lse, allowed = natural;
  if (dump.settings().lse_base_2) {
    // The natural bound in the other unit (1 / ln 2 < 1.5), and a rounded constant, product and sum of both parts of
    // the LSE, M / ln 2 and log2 Z: less than 4 units of each.
    exact = truth.lse / log(number(2));
    allowed =
        number(1.5) * (natural + number(4 * rounding.single.relative) * (abs(truth.largest) + abs(truth.log_sum)));
  }
  const reference::Rounding stored = lse_storage(dump);
  return {exact, allowed + number(stored.relative) * (abs(exact) + allowed) + number(stored.absolute)};
}

struct Elements {
  std::vector<Element> list;
  bool open = false;     // one of them stays open
  bool outside = false;  // one of them is outside for certain
};

template <class Number>
Elements elements_by(PrecisionOf<Number> precision, const AttentionDump& dump, const Place& place, const DumpedRow& row,
                     const reference::RoundingClass& rounding) {
  const auto truth = attention_truth(row.row, precision);
  const auto bound = attention_bound(row.row, truth, rounding);
  Elements elements;
  const auto add = [&](const char* tensor, std::optional<std::size_t> channel, double got, const Number& exact,
                       const Number& allowed) {
    elements.list.push_back(element(tensor, place, channel, got, exact, allowed, dump.dtype(std::string(tensor))));
    const bool decided = decides(got, exact, allowed);
    elements.open = elements.open || !decided;
    elements.outside = elements.outside || (decided && !(elements.list.back().fraction <= 1));
  };
  for (std::size_t c = 0; c < row.output.size(); ++c) add("o", c, row.output[c], truth.output[c], bound.output[c]);
  if (row.lse) {
    const auto [exact, allowed] = held_lse(dump, truth, bound.lse, rounding);
    add("lse", std::nullopt, *row.lse, exact, allowed);
  }
  return elements;
}

Elements quick_elements(const AttentionDump& dump, const Place& place, const DumpedRow& row,
                        const reference::RoundingClass& rounding) {
  return elements_by<DoubleInterval>({}, dump, place, row, rounding);
}

Elements wide_elements(const AttentionDump& dump, const Place& place, const DumpedRow& row,
                       const reference::RoundingClass& rounding) {
  return elements_by<Interval>(judged_precision, dump, place, row, rounding);
}

}  // namespace

std::vector<Element> elements_of(const AttentionDump& dump, const Place& place, const DumpedRow& row,
                                 const reference::RoundingClass& rounding) {
  Elements elements = quick_elements(dump, place, row, rounding);
  if (elements.open) elements = wide_elements(dump, place, row, rounding);
  return std::move(elements.list);
}

std::vector<Element> elements_within(const AttentionDump& dump, const Place& place, const DumpedRow& row,
                                     const reference::RoundingClass& rounding) {
  Elements elements = quick_elements(dump, place, row, rounding);
  if (elements.open && !elements.outside) elements = wide_elements(dump, place, row, rounding);
  return elements.outside ? std::vector<Element>{} : std::move(elements.list);
}

void state_exactly(const AttentionDump& dump, const reference::RoundingClass& rounding, std::size_t jobs,
                   std::size_t count, WorstElements& worst) {
  std::vector<Element> stated = worst.list();
  share_out(std::min(count, stated.size()), jobs, [&](std::size_t n) {
    Element& one = stated[n];
    const KeysAndValues shared = dump.keys_and_values(one.place.batch, dump.kv_head(one.place.head));
    DumpedRow row = dump.row(one.place, shared);
    const std::size_t channel = one.channel.value_or(0);
    const ChannelRow alone(row.row, channel);
    row.row = alone.row;
    row.output = {row.output[channel]};
    const std::vector<Element> elements = wide_elements(dump, one.place, row, rounding).list;
    const Element& again = one.channel ? elements.front() : elements.back();
    one.exact = again.exact, one.bound = again.bound, one.fraction = again.fraction;
  });
  worst = {};
  for (const Element& one : stated) worst.add(one);
}

namespace {

// One class on some rows.
class Pass {
 public:
  Pass(const AttentionDump& dump, const NamedRounding& named, std::size_t jobs, const Progress& progress,
       std::size_t most_open)
      : dump_(dump), named_(named), jobs_(jobs), most_open_(most_open), progress_(progress) {
    verdict_.rounding = named.name;
    verdict_.of = dump.shape().rows();
  }

  DumpVerdict over(const std::vector<std::size_t>& rows) {
    total_ = rows.size();
    pass(rows, quick_elements);
    std::sort(open_.begin(), open_.end());
    if (open_.size() > most_open_) {
      verdict_.left_open = open_.size() - most_open_;
      for (std::size_t n = 0; n < most_open_; ++n) open_[n] = open_[n * open_.size() / most_open_];
      open_.resize(most_open_);
    }
    total_ += open_.size();
    pass(std::exchange(open_, {}), wide_elements);
    std::sort(verdict_.rows.begin(), verdict_.rows.end());
    std::sort(verdict_.failing_rows.begin(), verdict_.failing_rows.end());
    return verdict_;
  }

 private:
  // Rows of one head, which share what is read of keys and values; several tasks a head, for the threads.
  std::vector<std::span<const std::size_t>> cut(std::span<const std::size_t> rows) const {
    constexpr std::size_t together = 16;
    const std::size_t queries = dump_.shape().queries;
    std::vector<std::span<const std::size_t>> tasks;
    for (std::size_t first = 0, n = 0; n < rows.size(); ++n)
      if (n + 1 == rows.size() || n + 1 - first == together || rows[n + 1] / queries != rows[first] / queries) {
        tasks.push_back(rows.subspan(first, n + 1 - first));
        first = n + 1;
      }
    return tasks;
  }

  using Judge =
      std::function<Elements(const AttentionDump&, const Place&, const DumpedRow&, const reference::RoundingClass&)>;

  void pass(const std::vector<std::size_t>& rows, const Judge& judge) {
    const auto tasks = cut(rows);
    share_out(tasks.size(), jobs_, [&](std::size_t n) { judge_all(tasks[n], judge); });
  }

  void judge_all(std::span<const std::size_t> rows, const Judge& judge) {
    const Place first = dump_.place(rows[0]);
    const KeysAndValues shared = dump_.keys_and_values(first.batch, dump_.kv_head(first.head));
    double limit = 0;  // farther than any average of the values from any other
    for (const double value : shared.largest_value)
      if (std::isfinite(value)) limit = std::max(limit, 2 * value);
    for (const std::size_t index : rows) {
      const Place place = dump_.place(index);
      const DumpedRow row = dump_.row(place, shared);
      const Standing stands = standing(row, named_.rounding);
      Elements elements;
      if (stands == Standing::sound) elements = judge(dump_, place, row, named_.rounding);
      const std::lock_guard guard(lock_);
      if (elements.open) open_.push_back(index);
      else if (stands == Standing::without_key) note_empty(row);
      else if (stands == Standing::not_finite) note_not_finite(row);
      else note(index, stands, elements.list, limit);
      if (progress_) progress_(++done_, total_);
    }
  }

  void note_empty(const DumpedRow& row) {
    const std::string& dtype = dump_.dtype("o");
    ++verdict_.empty[contents_of(row, dtype)];
    const auto& declared = dump_.settings().empty_rows;
    verdict_.against_contract += declared && !holds(*declared, row, dtype);
  }

  void note_not_finite(const DumpedRow& row) {
    const NotFinite became = of_not_finite(row, named_.rounding);
    ++verdict_.not_finite[became];
    const bool wrong = became == NotFinite::lost || became == NotFinite::spread;
    verdict_.against_contract += wrong && dump_.settings().nan_propagates;
  }

  void note_shares(const std::vector<Element>& elements) {
    double squares = 0, count = 0, largest = 0;
    for (const Element& e : elements)
      if (e.channel) squares += e.exact * e.exact, ++count;
    const double typical = std::sqrt(squares / std::max(1.0, count));
    if (typical == 0) return;  // of outputs that are exactly 0 nothing is a share
    for (const Element& e : elements) {
      if (!e.channel) continue;
      const double size = std::max(std::abs(e.exact), typical), share = e.bound == 0 ? 0 : e.bound / size;
      verdict_.shares.add(share);
      largest = std::max(largest, share);
    }
    verdict_.shares.weak_rows += largest > BoundShares::weak;
  }

  void note(std::size_t index, Standing stands, const std::vector<Element>& elements, double limit) {
    verdict_.scores_overflow += stands == Standing::scores_overflow;
    verdict_.sums_overflow += stands == Standing::sums_overflow;
    if (stands != Standing::sound) return;
    verdict_.rows.push_back(index);
    bool fails = false;
    std::size_t vacuous = 0;
    for (const Element& e : elements) {
      ++verdict_.elements;
      vacuous += e.channel ? e.bound >= limit && limit > 0 : std::isinf(e.bound);
      verdict_.failing += e.fraction > 1;
      (e.channel ? verdict_.output_fails : verdict_.lse_fails) |= e.fraction > 1;
      fails = fails || e.fraction > 1;
    }
    if (fails) verdict_.failing_rows.push_back(index);
    else verdict_.vacuous += vacuous;
    verdict_.unsettled += vacuous > 0 && !fails;
    // A bound that allows any number allows none that is not one, but proves no fault either.
    verdict_.no_numbers +=
        std::ranges::any_of(elements, [](const Element& e) { return std::isinf(e.bound) && !std::isfinite(e.got); });
    note_shares(elements);
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
  std::size_t jobs_, most_open_, done_ = 0, total_ = 0;
  const Progress& progress_;
  std::mutex lock_;
  std::vector<std::size_t> open_;  // by intervals of doubles
  DumpVerdict verdict_;
};

}  // namespace

std::size_t DumpVerdict::without_key() const {
  std::size_t count = 0;
  for (const auto& [contents, rows_of_it] : empty) count += rows_of_it;
  return count;
}

std::size_t DumpVerdict::reading_no_number() const {
  std::size_t count = 0;
  for (const auto& [became, rows_of_it] : not_finite) count += rows_of_it;
  return count;
}

DumpVerdict judged(const AttentionDump& dump, const std::vector<std::size_t>& rows,
                   const std::vector<NamedRounding>& candidates, std::size_t jobs, const Progress& progress,
                   std::optional<std::size_t> most_open) {
  ATTNCERT_ASSERT(!candidates.empty());
  const bool all = rows.size() == dump.shape().rows();
  const std::size_t most = most_open.value_or(all ? rows.size() : affordable_open_rows(dump.shape()));
  DumpVerdict verdict = Pass(dump, candidates[0], jobs, progress, most).over(rows);
  verdict.unsettled = 0;
  for (std::size_t n = 1; n < candidates.size() && !verdict.failing_rows.empty(); ++n) {
    DumpVerdict wider = Pass(dump, candidates[n], jobs, progress, most).over(verdict.failing_rows);
    if (n == 1) verdict.outside_narrowest = verdict.failing_rows, verdict.outside_by_lse = !verdict.output_fails;
    verdict.left_open += wider.left_open;
    verdict.vacuous += wider.vacuous;
    verdict.no_numbers = wider.no_numbers;
    verdict.unsettled = wider.unsettled + wider.scores_overflow + wider.sums_overflow;
    verdict.too_narrow = verdict.rounding;
    verdict.rounding = wider.rounding;
    verdict.failing = wider.failing;
    verdict.output_fails = wider.output_fails;
    verdict.lse_fails = wider.lse_fails;
    verdict.failing_rows = wider.failing_rows;
    verdict.worst = wider.worst;
    verdict.shares = wider.shares;  // of the rows that the narrower class does not allow
  }
  return verdict;
}

}  // namespace attncert
