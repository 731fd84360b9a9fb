// Which normalizer would help a head: the same logits through others. SSMax (Nakanishi 2025, arXiv 2501.19399) is
// softmax(s ln(L) z); its s is fitted so that the row has the entropy that softmax has at about an eighth of the
// length: the sharpness of a short context, kept.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/bounds/head_statistics.hpp"
#include "src/bounds/normalizer_weights.hpp"
#include "src/bounds/operator_norm.hpp"
#include "study/measures/measures.hpp"

namespace attncert {
namespace {

double entropy_of(const std::vector<double>& weights) {
  return bounds::head_statistics<double>(weights, 1).entropy.value;
}

// s between 1/8 and 8 of the one at which SSMax is softmax, 1 / ln L: entropy falls as s grows, so that bisection finds
// it. nan where the target lies outside.
double fitted_scale(const std::vector<double>& logits, double temperature, double target) {
  const double neutral = 1 / std::log(static_cast<double>(logits.size()));
  const auto entropy = [&](double power) {
    return entropy_of(
        bounds::weights_of("softmax", logits, temperature * std::exp2(-power), Weighting().parameters).values);
  };
  double low = -3, high = 3;  // log2 of the factor
  if (!(entropy(low) >= target && entropy(high) <= target)) return std::numeric_limits<double>::quiet_NaN();
  for (int step = 0; step < 24; ++step) {
    const double middle = (low + high) / 2;
    (entropy(middle) > target ? low : high) = middle;
  }
  return neutral * std::exp2((low + high) / 2);
}

// Share and norm of one normalizer's weights.
Result<Done> complete(const std::vector<double>& logits, double temperature, const attncert_parameters& parameters,
                      const MeasuredTokens& tokens, AlternativeLine& line) {
  const bounds::Weighted p = bounds::weights_of(line.normalizer.c_str(), logits, temperature, parameters);
  const bounds::HeadStatistics head = bounds::head_statistics<double>(p.values, 5);
  line.entropy = head.entropy.value;
  line.n_eff = head.n_eff.value;
  line.top5 = head.top_mass.value;
  line.support = head.support;
  line.spectral = bounds::operator_norm<double>(line.normalizer, logits, temperature, &parameters).spectral.value;
  // N is the head's own effective number of keys: at a larger N all keys without weight are equally far from s.
  line.N = std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(line.n_eff)), 1, logits.size() - 1);
  const Result<bounds::Count> separable = tokens.separable(p.values, line.N);
  if (!separable) return separable.error();
  line.share = static_cast<double>(separable->most) / static_cast<double>(line.N);
  return Done{};
}

}  // namespace

Result<Done> measure_alternatives(const CapturedRow& row, const CapturedRow& reference, double temperature,
                                  const MeasuredTokens& tokens, std::vector<AlternativeLine>& lines) {
  if (row.logits.size() < 2) return Done{};
  const std::vector<double> logits(row.logits.begin(), row.logits.end()),
      shorter(reference.logits.begin(), reference.logits.end());
  for (const char* normalizer : {"softmax", "sparsemax", "entmax-1.5", "ssmax"}) {
    AlternativeLine line;
    line.row = key(row);
    line.normalizer = normalizer;
    attncert_parameters parameters = Weighting().parameters;
    if (line.normalizer == "ssmax") {
      if (reference.query == row.query) continue;
      const double target = entropy_of(bounds::weights_of("softmax", shorter, temperature, parameters).values);
      line.parameter = fitted_scale(logits, temperature, target);
      if (std::isnan(line.parameter)) continue;
      parameters.scale = line.parameter;
    }
    const Result<Done> done = complete(logits, temperature, parameters, tokens, line);
    if (!done) return done;
    lines.push_back(line);
  }
  return Done{};
}

}  // namespace attncert
