// A kernel's budget B bounds its error by B ulp of the exact weight, which is at most 2 B u relative, u = 2^-53
// (docs/budgets.md).
#include "src/bounds/normalizer_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <string_view>

#include "src/kernel/budget.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::bounds {
namespace {

constexpr double u = 0x1p-53;
constexpr double smallest_normal = std::numeric_limits<double>::min();

class Scratch {  // aligned as kernel.h promises
 public:
  explicit Scratch(std::size_t bytes) : data_(bytes > 0 ? ::operator new(bytes, alignment) : nullptr) {}
  ~Scratch() {
    if (data_ != nullptr) ::operator delete(data_, alignment);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* get() const { return data_; }

 private:
  static constexpr std::align_val_t alignment{scratch_alignment};
  void* data_;
};

bool is_faint(double weight) { return weight < smallest_normal; }

}  // namespace

double proved_error(const attncert_kernel& kernel, double temperature) {
  const Budget* budget = built_in_budget(kernel);
  return budget == nullptr ? HUGE_VAL : 2 * u * (budget->bound(temperature) + budget->last);
}

Weighted weights_of(const char* normalizer, const std::vector<double>& logits, double temperature,
                    const attncert_parameters& parameters) {
  const attncert_kernel* kernel = find_kernel(normalizer, ATTNCERT_F64);
  const double relative = kernel != nullptr ? proved_error(*kernel, temperature) : HUGE_VAL;
  if (!(relative < 0x1p-32) || logits.empty()) return {};
  Weighted out;
  out.values.resize(logits.size());
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = 1;
  arguments.length = arguments.input_stride = arguments.output_stride = logits.size();
  arguments.input = logits.data();
  arguments.output = out.values.data();
  arguments.temperature = temperature;
  arguments.parameters = &parameters;
  arguments.scratch_bytes = kernel->scratch_needed != nullptr ? kernel->scratch_needed(&arguments) : 0;
  const Scratch scratch(arguments.scratch_bytes);
  arguments.scratch = scratch.get();
  out.known = kernel->run(&arguments) == ATTNCERT_OK;
  out.relative = relative;
  return out;
}

// Errors of p enter s multiplied by |2 - alpha|; the power in long double adds 745 |2 - alpha| 2^-63 and the last
// rounding u. What is faint: docs/bounds.md.
Weighted entmax_slopes(const char* normalizer, const std::vector<double>& logits, double temperature,
                       const attncert_parameters& parameters) {
  const bool three_halves = std::string_view(normalizer) == "entmax-1.5";
  const auto numerator = static_cast<long double>(three_halves ? 3 : parameters.alpha_numerator);
  const auto denominator = static_cast<long double>(three_halves ? 2 : parameters.alpha_denominator);
  const long double exponent = (2 * denominator - numerator) / denominator, away = std::abs(exponent);
  if (!(2 - exponent >= 1 + 0x1p-18L) || !(away <= 0x1p10L)) return {};
  Weighted s = weights_of(normalizer, logits, temperature, parameters);
  if (!s.known) return {};
  const bool faint = std::any_of(s.values.begin(), s.values.end(), is_faint);
  const bool subnormal = std::any_of(s.values.begin(), s.values.end(), [](double p) { return p > 0 && is_faint(p); });
  if (three_halves) {
    s.floor = faint ? 0x1p-480 : 0;
  } else if (exponent >= 0.75L) {
    s.floor = faint ? 0x1p-740 : 0;
  } else if (subnormal || on_edge_of_support(logits, s.values, temperature, denominator / (numerator - denominator))) {
    return {};
  }
  for (double& p : s.values)
    if (p > 0) p = three_halves ? std::sqrt(p) : static_cast<double>(std::pow(static_cast<long double>(p), exponent));
  s.relative = static_cast<double>(away) * (s.relative * (1 + 0x1p-20) + 745 * 0x1p-62) + 2 * u;
  return s;
}

// Each difference, quotient and power errs by power 2^-60 at most (t^power abs(ln t) < 1 / power for t < 1), and no
// power is above 2^18.
bool on_edge_of_support(const std::vector<double>& logits, const std::vector<double>& weights, double temperature,
                        long double power) {
  double outside = -HUGE_VAL;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (weights[i] == 0) outside = std::max(outside, logits[i]);
  if (outside == -HUGE_VAL) return false;
  long double sum = 0;  // at least 1 where z is outside the support, 1 at its edge
  std::size_t count = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (weights[i] == 0) continue;
    const long double apart = (static_cast<long double>(logits[i]) - outside) / temperature;
    sum += power == 1 ? apart : std::pow(apart / power, power);
    ++count;
  }
  const long double doubt = static_cast<long double>(count + 4) * power * (power == 1 ? 0x1p-63L : 0x1p-56L);
  return !(std::abs(sum - 1) > doubt * (1 + sum));
}

}  // namespace attncert::bounds
