#include "properties/dumps/gradients/judged_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>

#include "properties/dumps/gradients/approximate_gradients.hpp"
#include "properties/dumps/gradients/group.hpp"
#include "properties/dumps/gradients/judged_sinks.hpp"
#include "properties/dumps/rounding_named.hpp"
#include "reference/attention/named_classes.hpp"
#include "reference/share_out.hpp"

namespace attncert {
namespace {

constexpr double least_vacuous = 0x1p-100;  // bounds of underflow alone are no empty promise

// Some rows and keys of one group.
struct Chosen {
  std::size_t group;
  std::vector<std::size_t> rows, keys;
};

// What is known of one group from doubles: how far each row of dq, and each key of dk and dv, strays, in units of what
// f32 could resolve; and the largest sum of magnitudes in it.
struct Survey {
  std::vector<double> rows, keys, dq_size, dk_size, dv_size;
  std::vector<ReadLse> lse;
};

double stray(const std::vector<double>& got, const std::vector<double>& near, const std::vector<double>& size) {
  double most = 0;
  for (std::size_t n = 0; n < got.size(); ++n) {
    const double off = std::abs(got[n] - near[n]) / (size[n] + std::numeric_limits<double>::min());
    most = std::max(most, std::isfinite(got[n]) ? off : std::numeric_limits<double>::infinity());
  }
  return most;
}

class Judge {
 public:
  Judge(const AttentionDump& dump, std::size_t count, std::size_t jobs,
        const std::function<void(std::size_t, std::size_t)>& progress)
      : dump_(dump), count_(count), jobs_(jobs), progress_(progress) {
    const DumpShape& shape = dump.shape();
    const std::size_t groups = shape.batches * shape.kv_heads;
    base_.of_rows = dump.has("dq") ? shape.rows() : 0;
    base_.of_sinks = dump.has("dsinks") ? shape.heads : 0;
    base_.of_keys = dump.has("dk") || dump.has("dv") ? groups * shape.keys : 0;
    surveys_.resize(groups);
    share_out(groups, jobs, [&](std::size_t n) { survey(n); });
    choose();
  }

  GradientVerdict with(const NamedBackward& candidate) {
    verdict_ = base_;
    verdict_.rounding = candidate.name;
    verdict_.unfused = candidate.rounding.unfused;
    done_ = 0;
    for (const Chosen& chosen : chosen_) {
      const DumpedGroup own = group(chosen.group, candidate.rounding.unfused ? nullptr : &candidate.rounding.common);
      if (const std::string why = out_of_range(own, candidate.rounding); !why.empty()) {
        leave_out(own, why);
        continue;
      }
      const auto tasks = cut(chosen, candidate.rounding.unfused);  // so that one group keeps several threads busy
      share_out(tasks.size(), jobs_, [&](std::size_t n) { judge(own, tasks[n], candidate.rounding); });
      if (progress_) progress_(++done_, chosen_.size());
    }
    sinks(candidate.rounding);
    const auto& empty = dump_.settings().empty_rows;
    if (empty == EmptyRow::zeros || empty == EmptyRow::zeros_lse_inf)
      share_out(surveys_.size(), jobs_, [&](std::size_t n) { zeros(n); });
    for (const char* tensor : {"dq", "dk", "dv", "dsinks"})
      if (failing_.count(tensor) != 0) verdict_.failing_tensors.emplace_back(tensor);
    failing_.clear();
    return verdict_;
  }

 private:
  DumpedGroup group(std::size_t n, const reference::RoundingClass* forward = nullptr) const {
    const std::size_t heads = dump_.shape().kv_heads;
    return {dump_, n / heads, n % heads, surveys_[n].lse, forward};
  }

  void survey(std::size_t n) {
    const DumpedGroup own = group(n);
    if (!own.unsound().empty()) {
      const std::lock_guard guard(lock_);
      base_.left_out = true;
      base_.not_judged.push_back(
          fmt::format("KV head {} of batch {}: row {}", own.kv_head(), own.batch(), own.unsound()));
      return;
    }
    // Which form of D the kernel has is open here; what tells them apart is small beside what makes a row stray.
    const ApproximateGradients near = approximate_gradients({own.rows()});
    Survey found;
    for (const reference::GradientRow& row : own.rows()) found.lse.push_back({row.lse, row.lse_error});
    found.rows.assign(own.rows().size(), 0);
    found.keys.assign(near.dk.size(), 0);
    const auto look = [&](const char* tensor, const auto& place, const auto& exact, const auto& sizes,
                          std::vector<double>& strays, std::vector<double>& largest) {
      for (std::size_t i = 0; i < exact.size() && dump_.has(tensor); ++i) {
        strays[i] = std::max(strays[i], stray(dump_.numbers(tensor, place(i)), exact[i], sizes[i]));
        largest.push_back(*std::max_element(sizes[i].begin(), sizes[i].end()));
      }
    };
    const auto key = [&](std::size_t j) { return Place{own.batch(), own.kv_head(), j}; };
    look(
        "dq", [&](std::size_t i) { return own.places()[i]; }, near.dq, near.dq_size, found.rows, found.dq_size);
    if (!own.unsound_sums().empty() && base_.of_keys > 0) {
      const std::lock_guard guard(lock_);
      base_.left_out = true;
      base_.not_judged.push_back(
          fmt::format("dk and dv of KV head {} of batch {}: row {}", own.kv_head(), own.batch(), own.unsound_sums()));
      found.keys.clear();
      surveys_[n] = std::move(found);
      return;
    }
    look("dk", key, near.dk, near.dk_size, found.keys, found.dk_size);
    look("dv", key, near.dv, near.dv_size, found.keys, found.dv_size);
    surveys_[n] = std::move(found);
  }

  // Those of all groups that stray most, and as many spread evenly; all of them where count_ is 0.
  std::vector<std::vector<std::size_t>> picked(std::vector<double> Survey::*side) const {
    std::vector<std::vector<std::size_t>> result(surveys_.size());
    std::vector<std::pair<std::size_t, std::size_t>> all;  // group, place in it
    for (std::size_t g = 0; g < surveys_.size(); ++g)
      for (std::size_t n = 0; n < (surveys_[g].*side).size(); ++n) all.emplace_back(g, n);
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto far = [&](std::size_t n) { return (surveys_[all[n].first].*side)[all[n].second]; };
    const std::size_t count = count_ == 0 ? all.size() : std::min(count_, all.size());
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return far(a) > far(b); });
    std::vector<std::size_t> taken(order.begin(), order.begin() + static_cast<std::ptrdiff_t>((count + 1) / 2));
    for (std::size_t n = 0; n < count / 2; ++n) taken.push_back(n * all.size() / (count / 2));
    if (count == all.size()) taken = order;
    std::sort(taken.begin(), taken.end());
    taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
    for (const std::size_t n : taken) result[all[n].first].push_back(all[n].second);
    return result;
  }

  void choose() {
    auto rows = picked(&Survey::rows), keys = picked(&Survey::keys);
    if (!dump_.has("dq")) rows.assign(rows.size(), {});
    if (base_.of_keys == 0) keys.assign(keys.size(), {});
    for (std::size_t g = 0; g < surveys_.size(); ++g)
      if (!rows[g].empty() || !keys[g].empty()) chosen_.push_back({g, rows[g], keys[g]});
  }

  std::vector<Chosen> cut(const Chosen& chosen, bool all_keys) const {
    constexpr std::size_t rows_at_once = 16, keys_at_once = 64;
    std::vector<Chosen> tasks;
    const auto pieces = [&](std::vector<std::size_t> Chosen::*side, std::size_t size) {
      const std::vector<std::size_t>& from = chosen.*side;
      for (std::size_t begin = 0; begin < from.size(); begin += size) {
        const auto first = from.begin() + static_cast<std::ptrdiff_t>(begin);
        tasks.push_back({chosen.group, {}, {}});
        (tasks.back().*side).assign(first, first + static_cast<std::ptrdiff_t>(std::min(size, from.size() - begin)));
      }
    };
    pieces(&Chosen::rows, rows_at_once);
    pieces(&Chosen::keys, all_keys ? std::max<std::size_t>(1, chosen.keys.size()) : keys_at_once);
    return tasks;
  }

  void judge(const DumpedGroup& own, const Chosen& task, const reference::GradientRounding& rounding) {
    for (const std::size_t n : task.rows) judge_some(own, {task.group, {n}, {}}, rounding);
    if (task.keys.empty()) return;
    if (rounding.unfused && too_many_products(own.rows().size(), dump_.shape())) {
      const std::lock_guard guard(lock_);
      verdict_.left_out = true;
      verdict_.not_judged.push_back(
          fmt::format("dk and dv of KV head {} of batch {}: an unfused kernel's take all products of its {} rows",
                      own.kv_head(), own.batch(), own.rows().size()));
      return;
    }
    judge_some(own, {task.group, {}, task.keys}, rounding);
  }

  // Exact zeros: dq of rows without a key, and dk and dv where no row of a group has one.
  void zeros(std::size_t n) {
    const DumpedGroup own = group(n);
    const DumpShape& shape = dump_.shape();
    const auto judge_zero = [&](const char* tensor, const Place& place) {
      if (!dump_.has(tensor)) return;
      Judged one{{}, 0};
      const DoubleInterval zero(0.0, DoublePrecision{});
      const auto got = dump_.numbers(tensor, place);
      for (std::size_t c = 0; c < got.size(); ++c)
        one.elements.push_back(element(tensor, place, c, got[c], zero, zero, dump_.dtype(tensor)));
      note(one);
    };
    for (const Place& place : own.empty()) judge_zero("dq", place);
    if (own.empty().size() < shape.heads / shape.kv_heads * shape.queries) return;
    for (std::size_t j = 0; j < shape.keys; ++j)
      for (const char* const tensor : {"dk", "dv"}) judge_zero(tensor, {own.batch(), own.kv_head(), j});
  }

  // "", or what of the group a class promises nothing of: scores beyond a format of its own; dS, parts of gradients or
  // sums of them beyond f16, where it stores these so.
  std::string out_of_range(const DumpedGroup& own, const reference::GradientRounding& rounding) const {
    constexpr double f16_unit = 0x1p-11, f16_largest = 65504;
    if (own.leaves_formats_of(rounding.common)) return "scores may leave the class's range";
    if (rounding.dS.relative == f16_unit && own.largest_dP() >= f16_largest) return "dS may overflow f16";
    if (rounding.common.output_sum.relative == f16_unit && own.largest_sum() >= f16_largest)
      return "sums of gradients may overflow f16";
    return stored_part(own, rounding) >= f16_largest ? "parts of gradients may overflow f16" : "";
  }

  void leave_out(const DumpedGroup& own, const std::string& why) {
    const std::lock_guard guard(lock_);
    verdict_.left_out = true;
    verdict_.not_judged.push_back(fmt::format("KV head {} of batch {}: {}", own.kv_head(), own.batch(), why));
  }

  // The most that is stored in f16 of a sum before it is multiplied with the scale or its root, or before it is summed
  // over heads: in doubles, and as much again for errors, beyond which a bound would say nothing.
  double stored_part(const DumpedGroup& own, const reference::GradientRounding& rounding) const {
    const Survey& survey = surveys_[own.batch() * dump_.shape().kv_heads + own.kv_head()];
    const double scale = own.rows().empty() ? 1 : std::abs(own.rows()[0].row.scale);
    const double behind = rounding.root_of_scale && scale > 0 ? std::min(1.0, scale) : 1;  // all of it, on q alone
    double most = 0;
    const auto add = [&](const char* tensor, const std::vector<double>& sizes, double factor) {
      if (!dump_.has(tensor) || dump_.dtype(tensor) != "F16") return;
      for (const double size : sizes) most = std::max(most, 2 * size / factor);
    };
    if (rounding.root_of_scale) add("dq", survey.dq_size, behind);
    if (rounding.root_of_scale || rounding.common.heads_stored) add("dk", survey.dk_size, behind);
    if (rounding.common.heads_stored) add("dv", survey.dv_size, 1);
    return most;
  }

  void sinks(const reference::GradientRounding& declared) {
    if (!dump_.has("dsinks")) return;
    reference::GradientRounding rounding = declared;
    rounding.common.output = output_format(dump_.dtype("dsinks"));
    share_out(dump_.shape().kv_heads, jobs_, [&](std::size_t kv_head) {
      std::deque<DumpedGroup> batches;
      for (std::size_t b = 0; b < dump_.shape().batches; ++b) {
        const auto& lse = surveys_[b * dump_.shape().kv_heads + kv_head].lse;
        batches.emplace_back(dump_, b, kv_head, lse, declared.unfused ? nullptr : &declared.common);
        if (const std::string why = out_of_range(batches.back(), declared); !why.empty())
          return leave_out(batches.back(), "dsinks: " + why);
      }
      for (const JudgedSink& sink : judged_sinks(dump_, batches, rounding)) {
        if (sink.not_judged.empty()) note({{sink.element}, sink.size});
        const std::lock_guard guard(lock_);
        if (!sink.not_judged.empty()) verdict_.not_judged.push_back(sink.not_judged);
        verdict_.left_out = verdict_.left_out || sink.left_out;
      }
    });
  }

  // What intervals of doubles leave open takes long: of some keys, only those.
  void judge_some(const DumpedGroup& own, const Chosen& some, const reference::GradientRounding& rounding) {
    auto judged = elements_by<DoubleInterval>({}, own, some, rounding);
    if (!judged && some.keys.size() > 1) {
      for (const std::size_t key : some.keys) judge_some(own, {some.group, {}, {key}}, rounding);
      return;
    }
    if (!judged) judged = elements_by<Interval>(judged_precision, own, some, rounding);
    for (const Judged& one : *judged) note(one);
  }

  // A row of dq, or of dk or dv.
  struct Judged {
    std::vector<Element> elements;
    double size;  // the largest sum of magnitudes that they are sums of
  };

  // One row, or some keys. Nothing where an element stays open.
  template <class Number>
  std::optional<std::vector<Judged>> elements_by(PrecisionOf<Number> precision, const DumpedGroup& own,
                                                 const Chosen& some, reference::GradientRounding rounding) const {
    const Survey& survey = surveys_[some.group];
    const bool of_row = !some.rows.empty();
    const auto rows = of_row ? std::span(own.rows()).subspan(some.rows[0], 1) : std::span(own.rows());
    const reference::Wanted wanted{of_row, some.keys};
    const auto truth = reference::gradient_truth(rows, rounding.unfused, wanted, precision);
    std::vector<Judged> result;
    bool open = false;
    const auto add = [&](const char* tensor, const Place& place, const std::vector<Number>& exact,
                         const std::vector<Number>& allowed, double size) {
      const auto got = dump_.numbers(tensor, place);
      Judged one{{}, size};
      for (std::size_t c = 0; c < got.size(); ++c) {
        open = open || !decides(got[c], exact[c], allowed[c]);
        one.elements.push_back(element(tensor, place, c, got[c], exact[c], allowed[c], dump_.dtype(tensor)));
      }
      result.push_back(std::move(one));
    };
    for (const char* const tensor : {"dq", "dk", "dv"}) {
      if (!dump_.has(tensor) || (tensor[1] == 'q') != of_row) continue;
      rounding.common.output = output_format(dump_.dtype(tensor));
      const auto bound = reference::gradient_bound(rows, truth, rounding, wanted, precision);
      if (of_row) add(tensor, own.places()[some.rows[0]], truth.dQ[0], bound.dQ[0], survey.dq_size[some.rows[0]]);
      const bool dk = tensor[1] == 'k';
      for (std::size_t n = 0; n < some.keys.size(); ++n)
        add(tensor, {own.batch(), own.kv_head(), some.keys[n]}, (dk ? truth.dK : truth.dV)[n],
            (dk ? bound.dK : bound.dV)[n], (dk ? survey.dk_size : survey.dv_size)[some.keys[n]]);
    }
    if (open) return std::nullopt;
    return result;
  }

  void note(const Judged& judged) {
    const std::vector<Element>& elements = judged.elements;
    const std::lock_guard guard(lock_);
    const std::string_view tensor = elements[0].tensor;
    if (tensor == "dq") ++verdict_.rows;
    else if (tensor == "dsinks") ++verdict_.sinks;
    else if (tensor == "dk" || (tensor == "dv" && !dump_.has("dk"))) ++verdict_.keys;
    const Element* worst = &elements[0];
    for (const Element& e : elements) {
      if (e.fraction > worst->fraction) worst = &e;
      ++verdict_.elements;
      verdict_.vacuous += std::isinf(e.bound) || (e.bound > judged.size && e.bound > least_vacuous);
      if (!(e.fraction > 1)) continue;
      ++verdict_.failing;
      failing_.insert(std::string(e.tensor));
    }
    verdict_.worst.add(*worst);
  }

  const AttentionDump& dump_;
  std::size_t count_, jobs_, done_ = 0;
  const std::function<void(std::size_t, std::size_t)>& progress_;
  std::mutex lock_;
  std::vector<Survey> surveys_;
  std::vector<Chosen> chosen_;
  std::set<std::string> failing_;
  GradientVerdict base_, verdict_;
};

}  // namespace

std::vector<NamedBackward> backward_candidates(const AttentionDump& dump) {
  std::vector<NamedBackward> result;
  for (const NamedRounding& forward : candidates(dump)) {
    reference::GradientRounding rounding = reference::backward_of(forward.rounding);
    result.push_back({forward.name, rounding});
  }
  if (dump.settings().rounding.empty() && dump.dtype("q") != "F16" && dump.dtype("q") != "BF16") {
    // f32 and wider: the passes of the maximum make no difference backwards, where the weights come from does.
    std::erase_if(result, [](const NamedBackward& candidate) { return candidate.name == "f32-three-pass"; });
    result.push_back({"f32-unfused", reference::backward_of(*rounding_named("f32-unfused"))});
  }
  return result;
}

GradientVerdict judged_gradients(const AttentionDump& dump, std::size_t count, std::size_t jobs,
                                 const std::function<void(std::size_t, std::size_t)>& progress) {
  Judge judge(dump, count, jobs, progress);
  std::optional<GradientVerdict> best, narrowest;
  for (const NamedBackward& candidate : backward_candidates(dump)) {
    GradientVerdict verdict = judge.with(candidate);
    if (!narrowest) narrowest = verdict;
    // What cannot be judged under a form does not speak for it.
    const bool better = !best || (best->failing > 0 && verdict.failing < best->failing);
    if (better) best = std::move(verdict);
    if (best->failing == 0) break;
  }
  if (best->failing == 0 && narrowest->failing > 0) best->narrowest.push_back(*std::move(narrowest));
  return *best;
}

}  // namespace attncert
