// Norms of the Jacobian at given logits: every formula of docs/specification.md#normalizers, from weights that the
// suite's own f64 kernels compute and whose proved budgets (src/kernel/budget.hpp) enter the error. Proofs:
// docs/bounds.md, "Operator norms".
#include "src/bounds/operator_norm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "src/bounds/norm_equation.hpp"
#include "src/bounds/normalizer_weights.hpp"
#include "src/bounds/taylor_terms.hpp"

namespace attncert::bounds {
namespace {

constexpr double u = 0x1p-53;
const NormEquation nothing{};
const NormEquation zero{.norm = {}};

struct Question {
  const std::vector<double>& logits;
  double temperature;
  const attncert_parameters& parameters;
  std::size_t length() const { return logits.size(); }
};

// 2^-1000: what weights below the smallest normal number, known to a few 2^-1074 only, move a norm by for L < 2^40.
double subnormal_floor(const std::vector<double>& weights) {
  const bool some = std::any_of(weights.begin(), weights.end(), [](double w) { return w < 0x1p-1022; });
  return some ? 0x1p-1000 : 0;
}

NormEquation over(const Scaled& spectral, const Scaled& frobenius, double temperature, double inputs,
                  double floor = 0) {
  return {.norm = {over_temperature(spectral, temperature, inputs, floor),
                   over_temperature(frobenius, temperature, inputs, floor)}};
}

// Whose spectral norm is that of the largest eigenvalue, as `share` has it.
NormEquation of_spectrum(const Spectrum& spectrum, std::function<Certified(Scaled)> share) {
  return {.norm = {unknown, share(frobenius_norm(spectrum))}, .secular = spectrum, .share = std::move(share)};
}

// factor (diag p - p p^T) / T; the factor in [2^-900, 2^900].
NormEquation of_weights(const Weighted& p, double temperature, double factor = 1, double factor_error = 0) {
  Spectrum spectrum;
  if (!p.known || !spectrum_of<double>(p.values, spectrum)) return nothing;
  const Scaled sigma = total(spectrum);
  const double floor = subnormal_floor(p.values) * std::max(1.0, 2 * factor), inputs = input_error(p.relative, 2);
  return of_spectrum(spectrum, [=](Scaled norm) {
    norm = ratio(norm, sigma);
    norm.mantissa *= factor;
    norm.relative += factor_error + 2 * u;
    return over_temperature(norm, temperature, inputs, floor);
  });
}

NormEquation softmax(const Question& q) {
  return of_weights(weights_of("softmax", q.logits, q.temperature, q.parameters), q.temperature);
}

// The sum of squares over the square of the sum: ||a||^2 for a = w / sum w.
Scaled concentration(const Spectrum& s) {
  const double scale = std::ldexp(1.0, -s.lead), sigma = total(s).mantissa;
  return {(s.first * s.first + scale * scale * s.squares) / (sigma * sigma), 0, 3 * s.sum_error + 16 * u};
}

// (I - 1 p^T) / T: norm sqrt(L) ||p|| / T; squared Frobenius norm L - 2 + L ||p||^2.
NormEquation log_softmax(const Question& q) {
  const Weighted p = weights_of("softmax", q.logits, q.temperature, q.parameters);
  Spectrum spectrum;
  if (!p.known || !spectrum_of<double>(p.values, spectrum)) return nothing;
  if (q.length() == 1) return zero;
  const double L = static_cast<double>(q.length());
  const Scaled squares = concentration(spectrum);
  const double share = L * squares.mantissa;
  return over({std::sqrt(share), 0, squares.relative + 2 * u}, {std::sqrt(L - 2 + share), 0, squares.relative + 4 * u},
              q.temperature, input_error(p.relative, 4), subnormal_floor(p.values));
}

// (I_S - 1 1^T / k) / T: norm 1 / T, squared Frobenius norm (k - 1) / T^2.
NormEquation sparsemax(const Question& q) {
  const Weighted p = weights_of("sparsemax", q.logits, q.temperature, q.parameters);
  if (!p.known || on_edge_of_support(q.logits, p.values, q.temperature, 1)) return nothing;
  const auto k = std::count_if(p.values.begin(), p.values.end(), [](double w) { return w > 0; });
  if (k < 2) return zero;
  return over({1, 0, 0}, {std::sqrt(static_cast<double>(k - 1)), 0, u}, q.temperature, 0);
}

// diag s - s s^T / sum s, s = p^(2 - alpha) on the support.
NormEquation entmax_of(const Question& q, const char* normalizer) {
  const Weighted s = entmax_slopes(normalizer, q.logits, q.temperature, q.parameters);
  Spectrum spectrum;
  if (!s.known || !spectrum_of<double>(s.values, spectrum)) return nothing;
  const double inputs = input_error(s.relative, 1), floor = s.floor, temperature = q.temperature;
  return of_spectrum(spectrum, [=, unit = spectrum.exponent](Scaled norm) {
    norm.exponent += unit;
    return over_temperature(norm, temperature, inputs, floor);
  });
}
NormEquation entmax15(const Question& q) { return entmax_of(q, "entmax-1.5"); }
NormEquation entmax(const Question& q) {
  const auto numerator = q.parameters.alpha_numerator, denominator = q.parameters.alpha_denominator;
  if (denominator == 0 || numerator <= denominator) return nothing;
  if (numerator % 2 == 0 && numerator / 2 == denominator) return sparsemax(q);
  if (numerator % 3 == 0 && denominator % 2 == 0 && numerator / 3 == denominator / 2) return entmax15(q);
  return entmax_of(q, "entmax");
}

// |s| ln(n) (diag p - p p^T) / T
NormEquation ssmax(const Question& q) {
  const double s = std::abs(q.parameters.scale);
  const Weighted p = weights_of("ssmax", q.logits, q.temperature, q.parameters);
  if (!p.known) return nothing;
  if (q.length() == 1 || s == 0) return zero;
  if (!(s >= 0x1p-890 && s <= 0x1p890)) return nothing;
  return of_weights(p, q.temperature, s * std::log(static_cast<double>(q.length())), 4 * u);
}

// diag p - p p^T where sum p < 1: softmax of (0, z) without its first entry, which is the v of secular.hpp.
NormEquation softmax1(const Question& q) {
  std::vector<double> extended(q.logits);
  extended.push_back(0);
  Weighted p = weights_of("softmax", extended, q.temperature, q.parameters);
  if (!p.known) return nothing;
  const double missing = p.values.back(), floor = subnormal_floor(p.values), inputs = input_error(p.relative, 2);
  p.values.pop_back();
  Spectrum spectrum;
  if (!spectrum_of<double>(p.values, spectrum, missing)) return over({}, {}, q.temperature, 0, floor);
  if (!(spectrum.v < 0x1p400)) {  // every p is below 2^-399: J is diag p but for 2^-399 L of it
    const double scale = std::ldexp(1.0, -spectrum.lead);
    const double squares = spectrum.first * spectrum.first + scale * scale * spectrum.squares;
    const int exponent = spectrum.exponent + spectrum.lead;
    return over({spectrum.first, exponent, u}, {std::sqrt(squares), exponent, spectrum.sum_error + 8 * u},
                q.temperature, inputs, floor);
  }
  return of_spectrum(spectrum, [=, sigma = total(spectrum), temperature = q.temperature](const Scaled& norm) {
    return over_temperature(ratio(norm, sigma), temperature, inputs, floor);
  });
}

// sigma and 1 - sigma = sigma(-z - b), both with all their digits.
struct Sigmoids {
  Weighted up, down;
};
Sigmoids sigmoids(const Question& q, double bias) {
  std::vector<double> mirrored(q.logits);
  for (double& z : mirrored) z = -z;
  attncert_parameters parameters = q.parameters;
  parameters.bias = bias;
  Sigmoids out{weights_of("sigmoid", q.logits, q.temperature, parameters), {}};
  parameters.bias = -bias;
  out.down = weights_of("sigmoid", mirrored, q.temperature, parameters);
  return out;
}

// diag(sigma (1 - sigma)) / T
NormEquation sigmoid(const Question& q) {
  const Sigmoids s = sigmoids(q, q.parameters.bias);
  if (!s.up.known || !s.down.known) return nothing;
  std::vector<double> slopes(q.length());
  for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = s.up.values[i] * s.down.values[i];
  const double floor = subnormal_floor(slopes), inputs = s.up.relative + s.down.relative + 4 * u;
  Spectrum spectrum;
  if (!spectrum_of<double>(slopes, spectrum)) return over({}, {}, q.temperature, 0, floor);
  const double scale = std::ldexp(1.0, -spectrum.lead);
  const double squares = spectrum.first * spectrum.first + scale * scale * spectrum.squares;
  const int exponent = spectrum.exponent + spectrum.lead;
  return over({spectrum.first, exponent, 0}, {std::sqrt(squares), exponent, spectrum.sum_error + 8 * u}, q.temperature,
              inputs * (1 + inputs), floor);
}

// (I - a 1^T) diag(g) / T, g known but for `divisor`.
NormEquation separable(SeparableRow row, double temperature, Scaled divisor, double inputs, double floor) {
  if (!row.known()) return nothing;
  floor += row.floor();
  const auto share = [=](const Scaled& norm) {
    return over_temperature(ratio(norm, divisor), temperature, inputs, floor);
  };
  return {.norm = {unknown, share(row.frobenius())}, .separable = std::move(row), .share = share};
}

// a = sigma / sum sigma, g = a (1 - sigma)
NormEquation sigmoid_normalized(const Question& q) {
  const Weighted a = weights_of("sigmoid-normalized", q.logits, q.temperature, q.parameters);
  const Weighted down = sigmoids(q, 0).down;
  if (!a.known || !down.known) return nothing;
  std::vector<double> slopes(q.length());
  for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = a.values[i] * down.values[i];
  SeparableRow row(a.values, slopes);
  const double slope_error = (a.relative + down.relative) * (1 + 0x1p-20) + 2 * u;
  const double inputs = separable_input_error(row, a.relative, slope_error);
  return separable(std::move(row), q.temperature, {1, 0, 0}, inputs,
                   std::max(subnormal_floor(a.values), subnormal_floor(slopes)));
}

// (I - a 1^T) diag(1 where z > 0) / S, S = sum of the positive z: sqrt(k) ||a|| / S, squared Frobenius norm (k - 2 + k
// ||a||^2) / S^2, for k >= 2 positive logits. Temperature has no effect. At a logit of 0 there is no derivative.
NormEquation relu_normalized(const Question& q) {
  std::vector<double> positive;
  for (const double z : q.logits) {
    if (z == 0) return nothing;
    if (z > 0) positive.push_back(z);
  }
  if (positive.size() < 2) return zero;
  Spectrum spectrum;
  if (!spectrum_of<double>(positive, spectrum)) return nothing;
  const double k = static_cast<double>(positive.size());
  const Scaled squares = concentration(spectrum);
  Scaled sum = total(spectrum);
  sum.exponent += spectrum.exponent;
  const double share = k * squares.mantissa, relative = squares.relative + 4 * u;
  return over(ratio({std::sqrt(share), 0, relative}, sum), ratio({std::sqrt(k - 2 + share), 0, relative}, sum), 1, 0);
}

// F = F_n, F' = F_(n-1); the kernel says which orders there are. An absolute error of slopes enters times the norm of I
// - a 1^T.
NormEquation taylor_softmax(const Question& q) {
  if (!weights_of("taylor-softmax", q.logits, q.temperature, q.parameters).known) return nothing;
  const TaylorTerms terms = taylor_terms(q.logits, q.temperature, q.parameters.order);
  Spectrum spectrum;
  if (!spectrum_of<double>(terms.weights, spectrum)) return nothing;
  Scaled sum = total(spectrum);
  sum.exponent += spectrum.exponent;
  SeparableRow row(terms.weights, terms.slopes);
  const double inputs = separable_input_error(row, terms.weight_error, terms.slope_error + terms.weight_error);
  const double root = terms.slope_floor > 0 ? 2 * row.growth() * std::sqrt(static_cast<double>(q.length())) : 0;
  return separable(std::move(row), q.temperature, sum, inputs,
                   subnormal_floor(terms.weights) + root * terms.slope_floor);
}

// Softmax on the k largest: at a tie of the k-th with the next the map jumps.
NormEquation top_k_softmax(const Question& q) {
  if (q.parameters.k == 0) return nothing;
  if (q.parameters.k >= q.length()) return softmax(q);
  const auto k = static_cast<std::ptrdiff_t>(q.parameters.k);
  std::vector<double> sorted(q.logits);
  std::nth_element(sorted.begin(), sorted.begin() + k, sorted.end(), std::greater<>());
  const double least = *std::min_element(sorted.begin(), sorted.begin() + k);
  if (least == sorted[static_cast<std::size_t>(k)]) return nothing;
  sorted.resize(static_cast<std::size_t>(k));
  return softmax({sorted, q.temperature, q.parameters});
}

struct Entry {
  std::string_view normalizer;
  NormEquation (*norm)(const Question&);
};
// Drawn rows name a normalizer by its place here: these keep theirs, and new ones follow.
constexpr std::array<Entry, 12> formulas{{{"softmax", softmax},
                                          {"log-softmax", log_softmax},
                                          {"sparsemax", sparsemax},
                                          {"entmax", entmax},
                                          {"entmax-1.5", entmax15},
                                          {"ssmax", ssmax},
                                          {"softmax1", softmax1},
                                          {"sigmoid", sigmoid},
                                          {"sigmoid-normalized", sigmoid_normalized},
                                          {"relu-normalized", relu_normalized},
                                          {"taylor-softmax", taylor_softmax},
                                          {"top-k-softmax", top_k_softmax}}};

constexpr auto formula_names = [] {
  std::array<std::string_view, formulas.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = formulas[i].normalizer;
  return names;
}();

const Entry* find_formula(std::string_view normalizer) {
  for (const Entry& entry : formulas)
    if (entry.normalizer == normalizer) return &entry;
  return nullptr;
}

// kernel.h: a field beyond the caller's `size` has its default.
attncert_parameters with_defaults(const attncert_parameters* given) {
  attncert_parameters parameters = ATTNCERT_DEFAULT_PARAMETERS;
  if (given == nullptr) return parameters;
  std::memcpy(&parameters, given, std::min<std::size_t>(given->size, sizeof parameters));
  parameters.size = sizeof parameters;
  return parameters;
}

OperatorNorm solved(const NormEquation& equation) {
  OperatorNorm norm = equation.norm;
  if (equation.secular) norm.spectral = equation.share(largest_eigenvalue(*equation.secular));
  if (equation.separable) norm.spectral = equation.share(largest_singular_value(*equation.separable));
  return norm;
}

}  // namespace

NormEquation norm_equation(std::string_view normalizer, std::span<const double> logits, double temperature,
                           const attncert_parameters* parameters) {
  const Entry* formula = find_formula(normalizer);
  const bool finite = std::all_of(logits.begin(), logits.end(), [](double value) { return std::isfinite(value); });
  if (formula == nullptr || logits.empty() || !finite || !(temperature > 0) || std::isinf(temperature)) return nothing;
  const std::vector<double> z(logits.begin(), logits.end());
  const attncert_parameters with = with_defaults(parameters);
  return formula->norm({z, temperature, with});
}
NormEquation separable_equation(std::span<const double> weights, std::span<const double> slopes) {
  return separable({weights, slopes}, 1, {1, 0, 0}, 0, 0);
}

template <class T>
OperatorNorm separable_jacobian(std::span<const T> weights, std::span<const T> slopes) {
  const std::vector<double> w(weights.begin(), weights.end()), g(slopes.begin(), slopes.end());
  return solved(separable_equation(w, g));
}
template OperatorNorm separable_jacobian<float>(std::span<const float>, std::span<const float>);
template OperatorNorm separable_jacobian<double>(std::span<const double>, std::span<const double>);

template <class T>
OperatorNorm operator_norm(std::string_view normalizer, std::span<const T> logits, double temperature,
                           const attncert_parameters* parameters) {
  const std::vector<double> z(logits.begin(), logits.end());
  return solved(norm_equation(normalizer, z, temperature, parameters));
}
template OperatorNorm operator_norm<float>(std::string_view, std::span<const float>, double,
                                           const attncert_parameters*);
template OperatorNorm operator_norm<double>(std::string_view, std::span<const double>, double,
                                            const attncert_parameters*);

std::span<const std::string_view> normalizers_with_operator_norm() { return formula_names; }

}  // namespace attncert::bounds
