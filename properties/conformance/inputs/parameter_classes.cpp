// Parameters and upstream gradients, of the normalizers that read them.
#include <cmath>

#include "properties/conformance/inputs/class_lists.hpp"

namespace attncert {
namespace {

using Facts = RowFacts;

template <class Condition>
InputClass parameter(ReadsParameter reads, std::string name, Condition condition) {
  return {"parameter", std::move(name), [=](const Facts& f) { return ordinary(f) && condition(f); },
          [=](const Normalizer& normalizer, const Format&) { return normalizer.parameter == reads; }};
}

template <class Condition>
InputClass alpha(std::string name, Condition condition) {  // of alpha - 1
  return parameter(ReadsParameter::alpha, std::move(name), [=](const Facts& f) {
    const RowParameters& p = f.row.parameters;
    return condition(static_cast<double>(p.alpha_numerator - p.alpha_denominator) /
                     static_cast<double>(p.alpha_denominator));
  });
}

template <class Condition>
InputClass k(std::string name, Condition condition) {
  return parameter(ReadsParameter::k, std::move(name),
                   [=](const Facts& f) { return condition(f.row.parameters.k, f.present); });
}

template <class Condition>
InputClass scale(std::string name, Condition condition) {
  return parameter(ReadsParameter::scale, std::move(name),
                   [=](const Facts& f) { return condition(f.row.parameters.scale); });
}

template <class Condition>
InputClass bias(std::string name, Condition condition) {
  return parameter(ReadsParameter::bias, std::move(name), condition);
}

template <class Condition>
InputClass order(std::string name, Condition condition) {
  return parameter(ReadsParameter::order, std::move(name),
                   [=](const Facts& f) { return condition(f.row.parameters.order); });
}

InputClass upstream(std::string name, bool Facts::*is) {
  return {"upstream", std::move(name), [=](const Facts& f) { return ordinary(f) && f.*is; },
          [](const Normalizer& normalizer, const Format&) { return normalizer.derivative; }};
}

}  // namespace

std::vector<InputClass> parameter_classes() {
  return {alpha("alpha - 1 below 2^-10", [](double a) { return a < 0x1p-10; }),
          alpha("alpha - 1 in [2^-10, 2^-4)", [](double a) { return a >= 0x1p-10 && a < 0x1p-4; }),
          alpha("alpha - 1 in [2^-4, 1/2)", [](double a) { return a >= 0x1p-4 && a < 0.5; }),
          alpha("alpha = 3/2", [](double a) { return a == 0.5; }),
          alpha("alpha next to 2, below", [](double a) { return a < 1 && a > 1 - 0x1p-8; }),
          alpha("alpha = 2", [](double a) { return a == 1; }),
          alpha("alpha next to 2, above", [](double a) { return a > 1 && a < 1 + 0x1p-8; }),
          alpha("alpha in (2, 16]", [](double a) { return a > 1 + 0x1p-8 && a <= 15; }),
          alpha("alpha beyond 16", [](double a) { return a > 15; }),
          k("k = 1", [](std::uint64_t k, std::size_t) { return k == 1; }),
          k("k one below the entries that take part", [](std::uint64_t k, std::size_t n) { return k + 1 == n; }),
          k("k as many as take part", [](std::uint64_t k, std::size_t n) { return k == n; }),
          k("k one above", [](std::uint64_t k, std::size_t n) { return k == n + 1; }),
          k("k = 2^64 - 1", [](std::uint64_t k, std::size_t) { return k == UINT64_MAX; }),
          scale("s = 0", [](double s) { return s == 0; }),
          scale("s > 0", [](double s) { return s > 0x1p-20 && s < 0x1p20; }),
          scale("s < 0", [](double s) { return s < -0x1p-20 && s > -0x1p20; }),
          scale("s below 1e-30 in size", [](double s) { return s != 0 && std::abs(s) < 1e-30; }),
          scale("s beyond 1e30 in size", [](double s) { return std::abs(s) > 1e30; }),
          bias("b = 0", [](const Facts& f) { return f.row.parameters.bias == 0; }),
          bias("b below 1e-15 in size",
               [](const Facts& f) { return f.row.parameters.bias != 0 && std::abs(f.row.parameters.bias) < 1e-15; }),
          bias("b beyond 1e15 in size", [](const Facts& f) { return std::abs(f.row.parameters.bias) > 1e15; }),
          bias("b cancels the largest z / T",
               [](const Facts& f) {
                 const double x = f.top / f.row.temperature, b = f.row.parameters.bias;
                 return x != 0 && std::isfinite(x) && std::abs(x + b) < 0x1p-10 * std::abs(x);
               }),
          order("order 2", [](std::uint32_t n) { return n == 2; }),
          order("order to 16", [](std::uint32_t n) { return n > 2 && n <= 16; }),
          order("order to 48", [](std::uint32_t n) { return n > 16; }),
          upstream("upstream 0", &Facts::upstream_zero),
          upstream("upstream at one entry", &Facts::upstream_one),
          upstream("upstream tiny", &Facts::upstream_tiny),
          upstream("upstream huge", &Facts::upstream_huge)};
}

}  // namespace attncert
