// What a campaign found of one kernel (a bound kernel among them) on one instruction set: what `attncert accuracy`
// prints, and a row of the ledger's `kernels`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/fields.hpp"
#include "src/core/share_counts.hpp"

namespace attncert {

// The worst of the rows that share a place on one axis: "range" (the standard deviation of the logits before they are
// divided by T), "temperature", "length" (the largest power of two that is not above it) and "position" (the tenth of
// its row, from 0 to 9, where the worst entry of a row, or one of the sample, stands); and what 99.9% of a sample of
// their entries stay within.
struct ErrorCurve {
  std::string axis;
  std::vector<double> at = {}, worst_ulp = {}, worst_fraction = {};  // one each for a place; places grow
  std::vector<double> nearly_all_fraction = {};                      // likewise; none where no entry was sampled
  std::vector<ShareCounts> counts = {};                              // likewise, of the run alone

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("axis", self.axis);
    field("at", self.at);
    field("worst_ulp", self.worst_ulp);
    field("worst_fraction", self.worst_fraction);
    field({"nearly_all_fraction", true}, self.nearly_all_fraction);
  }

  std::size_t index_of(double place) {
    const auto found = std::lower_bound(at.begin(), at.end(), place);
    const auto index = found - at.begin();
    if (found == at.end() || *found != place) {
      at.insert(found, place);
      worst_ulp.insert(worst_ulp.begin() + index, 0.0);
      worst_fraction.insert(worst_fraction.begin() + index, 0.0);
      counts.insert(counts.begin() + index, ShareCounts());
    }
    return static_cast<std::size_t>(index);
  }
  void add(double place, double ulp, double fraction) {
    const std::size_t here = index_of(place);
    worst_ulp[here] = std::max(worst_ulp[here], ulp);
    worst_fraction[here] = std::max(worst_fraction[here], fraction);
  }
  void count(double place, std::span<const EntryError> sample) {
    ShareCounts& here = counts[index_of(place)];
    for (const EntryError& entry : sample) here.add(entry.share);
  }
  // After everything was counted. The worst bounds it: ends of bins are above what is in them.
  void conclude() {
    constexpr double nearly_all = 0.999;
    for (std::size_t n = 0; n < counts.size(); ++n)
      nearly_all_fraction.push_back(std::min(worst_fraction[n], counts[n].reach(nearly_all)));
    if (std::ranges::all_of(nearly_all_fraction, [](double share) { return share == 0; })) nearly_all_fraction.clear();
  }
};

struct KernelResult {
  std::string normalizer = {}, kernel = {}, isa = {}, dtype = {};  // normalizer: of a bound kernel the bound's name
  double worst_ulp = 0;                                            // certain upper bound over everything judged
  double budget_ulp = 0;                                           // the budget where worst_fraction was met
  double worst_fraction = 0;                                       // the largest error / budget
  std::uint64_t elements = 0, undecided = 0, outside = 0;          // outside: beyond the budget, or a broken contract
  std::string contract = {};                                       // the contract declared and whether it was kept
  std::uint64_t contract_broken = 0;                               // breaches of it
  std::string laws = {};                                           // which were kept, and what broke
  std::uint64_t laws_broken = 0, laws_undecided = 0;  // broken: or unanswered; undecided at every precision
  std::string replay = {};                            // the command that repeats the worst case
  std::vector<ErrorCurve> errors = {};                // how the worst error depends on what a row is like
  std::vector<std::uint64_t> shares = {};  // rows by their largest error / budget: by tenths, and those beyond 1
  std::string worst_entry = {};            // that of worst_fraction: its case, what was computed and what is exact
  double vacuity = 0;  // 99 of 100 entries were judged so closely that a relative change of this size would have shown

  // Beyond this line: of the run alone, not in the ledger.
  bool weak = false;                         // the vacuity is too large, or too few entries say what it is
  std::uint64_t double_double_elements = 0;  // judged in double-double arithmetic
  std::uint64_t double_double_open = 0;      // left by it to intervals
  std::uint64_t cases = 0;                   // rows it ran on
  std::uint64_t laws_checked = 0, laws_kept = 0;
  std::string laws_replay = {};    // the command that repeats the first law that was not kept
  std::string contract_seen = {};  // the contracts of the catalogue that its rows agree with
  std::uint64_t contract_rows = 0;

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("normalizer", self.normalizer);
    field("kernel", self.kernel);
    field("isa", self.isa);
    field("dtype", self.dtype);
    field("worst_ulp", self.worst_ulp);
    field("budget_ulp", self.budget_ulp);
    field("worst_fraction", self.worst_fraction);
    field("elements", self.elements);
    field("undecided", self.undecided);
    field("outside", self.outside);
    field("contract", self.contract);
    field({"contract_broken", true}, self.contract_broken);
    field("laws", self.laws);
    field("laws_broken", self.laws_broken);
    field("laws_undecided", self.laws_undecided);
    field("replay", self.replay);
    field("vacuity", self.vacuity);
    field({"errors", true}, self.errors);
    field({"shares", true}, self.shares);
    field({"worst_entry", true}, self.worst_entry);
  }

  ErrorCurve& curve(std::string_view axis) {
    auto curve = std::find_if(errors.begin(), errors.end(), [&](const ErrorCurve& one) { return one.axis == axis; });
    if (curve == errors.end()) curve = errors.insert(curve, {std::string(axis)});
    return *curve;
  }
  // Of one row.
  void add_share(double fraction) {
    constexpr std::size_t tenths = 10;
    if (shares.empty()) shares.resize(tenths + 1);
    const bool beyond = !(fraction <= 1);
    ++shares[beyond ? tenths : std::min(tenths - 1, static_cast<std::size_t>(fraction * tenths))];
  }
};

}  // namespace attncert
