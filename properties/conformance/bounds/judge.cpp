#include "properties/conformance/bounds/judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace attncert {
namespace {

using Kind = Enclosure::Kind;
using Key = std::pair<std::string, std::size_t>;

// Products of three doubles are exact at the first, differences over nine decades resolved; the last holds sums of
// products over the range of f64.
constexpr Precision precisions[] = {{192}, {768}, {3072}};

// Beyond this a result may leave the range of doubles on the way: a kernel may say that it does not know.
// Kernels add the smallest normal to every error, or to the square of one; ordinary rows are far above that.
constexpr double no_less = 0x1p-400;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double near_overflow = 0x1p+1000;

struct Comparison {
  Truth within = Truth::yes;
  bool useless = false;
  double fraction = 0, ulp = 0, budget = 0;
  double unnoticed = -1;  // relative change; < 0: not a number
  std::string what;
};

std::string text(const char* format, double a, double b, double c) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, format, a, b, c);
  return buffer;
}

Comparison outside(std::string what) { return {Truth::no, false, infinity, 0, 0, -1, std::move(what)}; }

Comparison judge_count(const Reported& reported, const Enclosure& truth, const UsefulnessLimit& limit, bool ordinary) {
  Comparison found;
  const std::string what = "count in [" + std::to_string(reported.least) + ", " + std::to_string(reported.most) +
                           "], exact in [" + std::to_string(truth.certain) + ", " + std::to_string(truth.possible) +
                           "]";
  if (!reported.counts || reported.least > truth.possible || reported.most < truth.certain ||
      reported.least > reported.most)
    return outside(what);
  if (reported.least > truth.certain || reported.most < truth.possible) found.within = Truth::unknown;
  found.useless =
      ordinary && reported.most - reported.least > truth.possible - truth.certain + truth.near + limit.count;
  found.what = what;
  return found;
}

Comparison judge_infinite(const Reported& reported, double exact) {
  if (reported.value == exact && !(reported.error < 0)) return {};
  return outside(text("%.17g +- %.3g, exact %g", reported.value, reported.error, exact));
}

double upper_magnitude(const Interval& value) { return std::max(std::abs(value.lower()), std::abs(value.upper())); }

Comparison judge_number(const Reported& reported, const Enclosure& truth, const UsefulnessLimit& limit, bool ordinary) {
  const Interval& exact = *truth.value;
  const double size = upper_magnitude(exact);
  if (reported.counts || std::isnan(reported.error) || reported.error < 0) return outside("no error bound");
  if (!std::isfinite(reported.value) || !std::isfinite(reported.error)) {
    if (std::max(size, truth.magnitude) > near_overflow) return {};
    if (!exact.is_finite()) return {Truth::unknown, false, 0, 0, 0, -1, "exact value too wide"};
    return outside(text("says %g +- %g, exact %.17g", reported.value, reported.error, exact.midpoint()));
  }
  const Precision precision = exact.precision();
  const Interval distance = abs(Interval(reported.value, precision) - exact), error(reported.error, precision);
  Comparison found;
  found.within = less_equal(distance, error);
  found.what = text("%.17g +- %.3g, exact %.17g", reported.value, reported.error, exact.midpoint());
  const double off = distance.upper(), unit = std::max(size, truth.magnitude) * 0x1p-53;
  if (found.within == Truth::no)
    found.fraction = reported.error == 0 ? infinity : std::max(std::nextafter(1.0, 2.0), off / reported.error);
  else if (found.within == Truth::yes && off > 0) found.fraction = std::min(1.0, off / reported.error);
  if (size > 0) found.unnoticed = 2 * reported.error / size;
  if (unit > 0) found.ulp = off / unit, found.budget = reported.error / unit;
  found.useless = ordinary && reported.error > limit.relative * size + limit.absolute * truth.magnitude + no_less;
  return found;
}

// A value as good as another: anywhere in the hull, or anything where there is none.
Comparison judge_open(const Reported& reported, const Enclosure& truth) {
  if (!truth.value || !std::isfinite(reported.value)) return {};
  const Precision precision = truth.value->precision();
  const Interval around = Interval(reported.value, precision) +
                          Interval::between(Interval(-reported.error, precision), Interval(reported.error, precision));
  if (!std::isfinite(reported.error) || overlaps(around, *truth.value) == Truth::yes) return {};
  return outside(text("%.17g +- %.3g, exact up to %.17g", reported.value, reported.error, truth.value->upper()));
}

Comparison judge_one(const Reported& reported, const Enclosure& truth, const UsefulnessLimit& limit, bool ordinary) {
  if (truth.may_be_unknown && std::isnan(reported.value) && reported.error == infinity) return {};
  switch (truth.kind) {
    case Kind::number:
      return judge_number(reported, truth, limit, ordinary);
    case Kind::count:
      return judge_count(reported, truth, limit, ordinary);
    case Kind::plus_infinity:
      return judge_infinite(reported, infinity);
    case Kind::minus_infinity:
      return judge_infinite(reported, -infinity);
    case Kind::open:
      return judge_open(reported, truth);
  }
  return {};
}

void add(Judgement& sum, const Comparison& found, const std::string& where) {
  Judgement one;
  one.elements = 1;
  one.outside = found.within == Truth::no;
  one.undecided = found.within == Truth::unknown;
  one.useless = found.useless;
  one.worst_fraction = found.fraction;
  one.worst_ulp = found.ulp;
  one.budget_ulp = found.budget;
  if (found.unnoticed >= 0) one.vacuity.add(found.unnoticed);
  const std::string kind = one.outside ? "outside: " : one.useless ? "useless: " : "";
  one.worst_named = kind + where + ": " + found.what;
  merge(sum, one);
}

}  // namespace

void judge_bounds(const BoundSubject& subject, const BoundRow& row, std::span<BoundAnswer> answers) {
  std::vector<std::map<Key, const Reported*>> by_key(answers.size());
  for (std::size_t a = 0; a < answers.size(); ++a)
    for (const Reported& one : answers[a].reported) by_key[a].emplace(Key(one.output, one.point), &one);
  BoundRow rest = row;  // the points that are still open
  std::vector<std::map<Key, bool>> done(answers.size());
  for (const Precision precision : precisions) {
    const bool last = precision == std::end(precisions)[-1];
    std::vector<std::size_t> open;
    for (const Enclosure& truth : subject.truth(rest, precision)) {
      const Key key(truth.output, truth.point);
      const UsefulnessLimit limit = subject.limit(truth.output, row);
      for (std::size_t a = 0; a < answers.size(); ++a) {
        if (!answers[a].asked || done[a][key]) continue;
        const auto at = by_key[a].find(key);
        const Comparison found =
            at == by_key[a].end() ? outside("nothing reported") : judge_one(*at->second, truth, limit, row.ordinary);
        if (found.within == Truth::unknown && !last) {
          open.push_back(truth.point);
          continue;
        }
        done[a][key] = true;
        add(answers[a].judgement, found, key.first + " at " + std::to_string(key.second));
      }
    }
    if (open.empty()) break;
    if (!row.points.empty()) {
      std::erase_if(rest.points, [&](std::size_t N) { return std::find(open.begin(), open.end(), N) == open.end(); });
    }
  }
}

}  // namespace attncert
