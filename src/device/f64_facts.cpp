#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "src/core/mixer.hpp"
#include "src/device/facts.hpp"
#include "src/device/facts_questions.hpp"
#include "src/device/kernel_texts.hpp"

namespace attncert::device {
namespace {

struct WideTriple {
  double a, b, c;
};

double product(const WideTriple& t) { return t.a * t.b; }
std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
// The float of a's lower half, one in 256 subnormal.
double widened(const WideTriple& t) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits(t.a))));
}

// In the order of facts_f64.cl.
constexpr Fact<WideTriple, std::uint64_t> list[] = {
    {"a * b of f64", [](const WideTriple& t) { return bits(product(t)); }},
    {"a + c of f64", [](const WideTriple& t) { return bits(t.a + t.c); }},
    {"fma(a, b, c) of f64", [](const WideTriple& t) { return bits(std::fma(t.a, t.b, t.c)); }},
    {"a * b + c of f64 without contraction", [](const WideTriple& t) { return bits(product(t) + t.c); }},
    {"a > b of f64", [](const WideTriple& t) { return std::uint64_t{t.a > t.b ? 1u : 0u}; }},
    {"f32 as f64", [](const WideTriple& t) { return bits(widened(t)); }},
};

// A finite double: any bits; every second one within 2^-67 and 2^66, so that sums and products have something to round;
// every eighth below 2^-1020, subnormal ones among them.
double any_double(std::uint64_t n, std::uint64_t salt) {
  std::uint64_t b = mixed(4 * n + salt);
  if (n % 2 == 1) b = (b & 0x800fffffffffffffu) | (956 + (b >> 8) % 133) << 52;
  if (n % 8 == 0) b &= 0x803fffffffffffffu;
  if ((b & 0x7ff0000000000000u) == 0x7ff0000000000000u) b &= 0xbfffffffffffffffu;
  return std::bit_cast<double>(b);
}

// Every sixteenth sum cancels but for what the product rounds off.
WideTriple triple(std::uint64_t n) {
  WideTriple t{any_double(n, 0), any_double(n, 1), any_double(n, 2)};
  if (n % 16 == 3 && std::isfinite(product(t))) t.c = -product(t);
  return t;
}

bool same(std::uint64_t x, std::uint64_t y) {
  return x == y || (std::isnan(std::bit_cast<double>(x)) && std::isnan(std::bit_cast<double>(y)));
}

}  // namespace

Result<Done> check_f64_facts(const Device& device, std::size_t triples) {
  const Questions<WideTriple, std::uint64_t> questions{facts_f64_text, "facts_f64", list, triple, same, 0};
  const Result<std::vector<std::size_t>> wrong = wrong_answers(device, questions, triples);
  if (wrong) return judged(device, questions, *wrong, triples);
  // The first line of what a compiler says is enough; most often that the device has no f64.
  const std::string why = wrong.error().message;
  return Error{device.name() + " runs no f64: " + why.substr(0, why.find('\n'))};
}

}  // namespace attncert::device
