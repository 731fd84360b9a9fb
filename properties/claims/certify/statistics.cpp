#include "properties/claims/certify/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <vector>

#include "src/core/counter.hpp"

namespace attncert {
namespace {

// Boost's inverse of the incomplete beta function is good to a few ulp; this is 4,000 of them.
constexpr double rounding = 1e-12;

struct Seen {
  std::uint64_t trials = 0, yes = 0, open = 0;
};

Seen sample(const RandomLaw& law, std::uint64_t seed, std::size_t draws, const std::atomic<bool>& stop) {
  Seen seen;
  for (; seen.trials < draws && !stop; ++seen.trials) {
    const Draw draw = law.draw(random_word(seed, seen.trials));
    if (draw == Draw::yes) ++seen.yes;
    if (draw == Draw::open) ++seen.open;
  }
  return seen;
}

void record(Tally& tally, const RandomLaw& law, const Seen& seen) {
  const Interval bound = law.bound(Precision{128});
  // with every open draw a no, and with every one a yes
  const double low = confidence_limits(seen.trials, seen.yes, error_of_a_limit).low;
  const double high = confidence_limits(seen.trials, seen.yes + seen.open, error_of_a_limit).high;
  const bool held = law.at_least ? low >= bound.upper() : high <= bound.lower();
  const bool violated = law.at_least ? high < bound.lower() : low > bound.upper();
  PartTally& part = tally.parts.emplace_back();
  part.part = law.text;
  const auto count = [&](auto& counts) { ++(held ? counts.held : violated ? counts.violated : counts.undecided); };
  ++tally.counts.tried;
  ++tally.counts.admissible;
  count(tally.counts);
  count(part);
  const Precision precision{};
  const Interval mean = Interval::between(Interval(low, precision), Interval(high, precision));
  const double tightness = law.at_least ? bound.lower() / high : low / bound.upper();
  part.tightest =
      Tightest{tightness, (law.at_least ? bound : mean).text(), (law.at_least ? mean : bound).text(), law.text};
  Tally::offer(tally.tightest, part.tightest);
}

}  // namespace

Limits confidence_limits(std::uint64_t trials, std::uint64_t successes, double error) {
  using Binomial = boost::math::binomial_distribution<double>;
  const double n = static_cast<double>(trials), x = static_cast<double>(successes);
  return {std::max(0.0, Binomial::find_lower_bound_on_p(n, x, error) - rounding),
          std::min(1.0, Binomial::find_upper_bound_on_p(n, x, error) + rounding)};
}

Tally check_laws(const Statement& statement, const Sampling& sampling, const std::atomic<bool>& stop) {
  Tally tally;
  const std::vector<RandomLaw> laws = std::get<RandomLaws>(statement.kind).laws();
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const Seen seen = sample(laws[k], random_word(sampling.seed, k), sampling.draws, stop);
    if (stop) break;
    record(tally, laws[k], seen);
  }
  return tally;
}

}  // namespace attncert
