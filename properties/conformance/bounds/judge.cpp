#include "properties/conformance/bounds/judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace attncert {
namespace {

using Kind = Enclosed::Kind;
using Key = std::pair<std::string, std::size_t>;

// Products of three doubles are exact at the first, differences over nine decades resolved; the last holds sums of products
// over the range of f64.
constexpr Precision precisions[] = {{192}, {768}, {3072}};

// Beyond this a result may leave the range of doubles on the way: a kernel may say that it does not know.
// Kernels add the smallest normal to every error, or to the square of one; ordinary rows are far above that.
constexpr double no_less = 0x1p-400;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double near_overflow = 0x1p+1000;

struct Verdict {
  Truth within = Truth::yes;
  bool weak = false;
  double fraction = 0, ulp = 0, budget = 0;
  double unnoticed = -1;  // relative change; < 0: not a number
  std::string what;
};

std::string text(const char* format, double a, double b, double c) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, format, a, b, c);
  return buffer;
}

Verdict outside(std::string what) { return {Truth::no, false, infinity, 0, 0, -1, std::move(what)}; }

Verdict judge_count(const Said& said, const Enclosed& truth, const UsefulBar& bar, bool ordinary) {
  Verdict verdict;
  const std::string what = "count in [" + std::to_string(said.least) + ", " + std::to_string(said.most) +
                           "], exact in [" + std::to_string(truth.certain) + ", " + std::to_string(truth.possible) +
                           "]";
  if (!said.counts || said.least > truth.possible || said.most < truth.certain || said.least > said.most)
    return outside(what);
  if (said.least > truth.certain || said.most < truth.possible) verdict.within = Truth::unknown;
  verdict.weak = ordinary && said.most - said.least > truth.possible - truth.certain + truth.near + bar.count;
  verdict.what = what;
  return verdict;
}

Verdict judge_infinite(const Said& said, double exact) {
  if (said.value == exact && !(said.error < 0)) return {};
  return outside(text("%.17g +- %.3g, exact %g", said.value, said.error, exact));
}

double upper_magnitude(const Interval& value) { return std::max(std::abs(value.lower()), std::abs(value.upper())); }

Verdict judge_number(const Said& said, const Enclosed& truth, const UsefulBar& bar, bool ordinary) {
  const Interval& exact = *truth.value;
  const double size = upper_magnitude(exact);
  if (said.counts || std::isnan(said.error) || said.error < 0) return outside("no error bound");
  if (!std::isfinite(said.value) || !std::isfinite(said.error)) {
    if (std::max(size, truth.magnitude) > near_overflow) return {};
    if (!exact.is_finite()) return {Truth::unknown, false, 0, 0, 0, -1, "exact value too wide"};
    return outside(text("says %g +- %g, exact %.17g", said.value, said.error, exact.midpoint()));
  }
  const Precision precision = exact.precision();
  const Interval distance = abs(Interval(said.value, precision) - exact), error(said.error, precision);
  Verdict verdict;
  verdict.within = less_equal(distance, error);
  verdict.what = text("%.17g +- %.3g, exact %.17g", said.value, said.error, exact.midpoint());
  const double off = distance.upper(), unit = std::max(size, truth.magnitude) * 0x1p-53;
  if (verdict.within == Truth::no) verdict.fraction = said.error == 0 ? infinity : off / said.error;
  else if (verdict.within == Truth::yes && off > 0) verdict.fraction = std::min(1.0, off / said.error);
  if (size > 0) verdict.unnoticed = 2 * said.error / size;
  if (unit > 0) verdict.ulp = off / unit, verdict.budget = said.error / unit;
  verdict.weak = ordinary && said.error > bar.relative * size + bar.absolute * truth.magnitude + no_less;
  return verdict;
}

// A value as good as another: anywhere in the hull, or anything where there is none.
Verdict judge_open(const Said& said, const Enclosed& truth) {
  if (!truth.value || !std::isfinite(said.value)) return {};
  const Precision precision = truth.value->precision();
  const Interval around = Interval(said.value, precision) +
                          Interval::between(Interval(-said.error, precision), Interval(said.error, precision));
  if (!std::isfinite(said.error) || overlaps(around, *truth.value) == Truth::yes) return {};
  return outside(text("%.17g +- %.3g, exact up to %.17g", said.value, said.error, truth.value->upper()));
}

Verdict judge_one(const Said& said, const Enclosed& truth, const UsefulBar& bar, bool ordinary) {
  if (truth.may_be_unknown && std::isnan(said.value) && said.error == infinity) return {};
  switch (truth.kind) {
    case Kind::number:
      return judge_number(said, truth, bar, ordinary);
    case Kind::count:
      return judge_count(said, truth, bar, ordinary);
    case Kind::plus_infinity:
      return judge_infinite(said, infinity);
    case Kind::minus_infinity:
      return judge_infinite(said, -infinity);
    case Kind::open:
      return judge_open(said, truth);
  }
  return {};
}

void add(BoundJudgement& sum, const Verdict& verdict, const std::string& where) {
  ++sum.elements;
  const bool first = sum.outside == 0 && (verdict.within == Truth::no || (verdict.weak && sum.weak == 0));
  sum.outside += verdict.within == Truth::no;
  sum.undecided += verdict.within == Truth::unknown;
  sum.weak += verdict.weak;
  const bool worse = verdict.fraction > sum.worst_fraction;
  sum.worst_ulp = std::max(sum.worst_ulp, verdict.ulp);
  if (verdict.unnoticed >= 0) sum.vacuity.add(verdict.unnoticed);
  if (worse) {
    sum.worst_fraction = verdict.fraction;
    sum.budget_ulp = verdict.budget;
  }
  const std::string kind = verdict.within == Truth::no ? "outside: " : verdict.weak ? "weak: " : "";
  if (first || (worse && sum.outside + sum.weak == 0) || sum.witness.empty())
    sum.witness = kind + where + ": " + verdict.what;
}

}  // namespace

bool merge(BoundJudgement& sum, const BoundJudgement& more) {
  const auto rank = [](const BoundJudgement& j) { return j.outside > 0 ? 2 : j.weak > 0 ? 1 : 0; };
  const bool worse = rank(more) > rank(sum) ||
                     (rank(more) == 0 && rank(sum) == 0 && more.worst_fraction > sum.worst_fraction) ||
                     (sum.elements == 0 && more.elements > 0);
  if (more.worst_fraction > sum.worst_fraction || sum.elements == 0) {
    sum.worst_fraction = more.worst_fraction;
    sum.budget_ulp = more.budget_ulp;
  }
  sum.elements += more.elements;
  sum.outside += more.outside;
  sum.weak += more.weak;
  sum.undecided += more.undecided;
  sum.vacuity.merge(more.vacuity);
  sum.worst_ulp = std::max(sum.worst_ulp, more.worst_ulp);
  if (worse) sum.witness = more.witness;
  return worse;
}

void judge_bounds(const BoundSubject& subject, const BoundRow& row, std::span<BoundAnswer> answers) {
  std::vector<std::map<Key, const Said*>> by_key(answers.size());
  for (std::size_t a = 0; a < answers.size(); ++a)
    for (const Said& said : answers[a].said) by_key[a].emplace(Key(said.output, said.point), &said);
  BoundRow rest = row;  // the points that are still open
  std::vector<std::map<Key, bool>> done(answers.size());
  for (const Precision precision : precisions) {
    const bool last = precision == std::end(precisions)[-1];
    std::vector<std::size_t> open;
    for (const Enclosed& truth : subject.truth(rest, precision)) {
      const Key key(truth.output, truth.point);
      const UsefulBar bar = subject.bar(truth.output, row);
      for (std::size_t a = 0; a < answers.size(); ++a) {
        if (done[a][key]) continue;
        const auto found = by_key[a].find(key);
        const Verdict verdict =
            found == by_key[a].end() ? outside("nothing said") : judge_one(*found->second, truth, bar, row.ordinary);
        if (verdict.within == Truth::unknown && !last) {
          open.push_back(truth.point);
          continue;
        }
        done[a][key] = true;
        add(answers[a].judgement, verdict, row.name + " " + key.first + " at " + std::to_string(key.second));
      }
    }
    if (open.empty()) break;
    if (!row.points.empty()) {
      std::erase_if(rest.points, [&](std::size_t N) { return std::find(open.begin(), open.end(), N) == open.end(); });
    }
  }
}

}  // namespace attncert
