// What T is, alone and beside logits of its size.
#include <cmath>

#include "properties/conformance/inputs/class_lists.hpp"

namespace attncert {
namespace {

using Facts = RowFacts;

template <class Condition>
InputClass temperature(std::string name, Condition condition) {
  return {"temperature", std::move(name), [=](const Facts& f) { return ordinary(f) && condition(f.row.temperature); }};
}

bool is_float(double t) { return static_cast<double>(static_cast<float>(t)) == t; }

constexpr int bands = 8;  // equal parts of a format's exponents

}  // namespace

std::vector<InputClass> temperature_classes() {
  std::vector<InputClass> list{
      temperature("T = 1", [](double t) { return t == 1; }),
      temperature("T a float, not 1", [](double t) { return t != 1 && is_float(t); }),
      temperature("T no float", [](double t) { return t > 0x1p-126 && t < 0x1p128 && !is_float(t); }),
      temperature("1 / T overflows f32", [](double t) { return t >= 0x1p-149 && t <= 0x1p-128; }),
      temperature("T below the floats", [](double t) { return t >= 0x1p-1022 && t < 0x1p-150; }),
      temperature("T subnormal", [](double t) { return t < 0x1p-1022; }),
      temperature("1 / T overflows", [](double t) { return std::isinf(1 / t); }),
      temperature("1 / T subnormal in f32", [](double t) { return t > 0x1p126 && t < 0x1p128; }),
      temperature("T beyond the floats", [](double t) { return t >= 0x1p128 && t <= 0x1p1022; }),
      temperature("1 / T subnormal", [](double t) { return t > 0x1p1022; }),
      {"temperature", "bad T", [](const Facts& f) { return f.kind == RowKind::bad_temperature; }}};
  for (int band = 0; band < bands; ++band) {
    const auto in_band = [band](const Facts& f) {
      if (!ordinary(f) || !f.sized()) return false;
      const int lowest = f.format.min_exponent - f.format.digits, all = f.format.max_exponent - lowest;
      return (std::ilogb(f.row.temperature) - lowest) * bands / all == band &&
             std::ilogb(f.row.temperature) >= lowest && std::ilogb(f.row.temperature) < f.format.max_exponent;
    };
    list.push_back(
        {"temperature", "logits of T's size, T in part " + std::to_string(band + 1) + " of 8 of the format", in_band});
  }
  return list;
}

}  // namespace attncert
