#include "src/device/facts.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "src/core/mixer.hpp"
#include "src/device/facts_questions.hpp"
#include "src/device/kernel_texts.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::device {
namespace {

struct Triple {
  float a, b, c;
};

float product(const Triple& t) { return t.a * t.b; }
__extension__ using Double = unsigned __int128;
std::uint64_t wide(float upper, float lower) {
  return std::uint64_t{std::bit_cast<std::uint32_t>(upper)} << 32 | std::bit_cast<std::uint32_t>(lower);
}
std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
std::uint16_t half_of(float x) {
  std::uint16_t half = 0;
  store_element(ATTNCERT_F16, &half, 0, static_cast<double>(x));
  return half;
}

// In the order of facts.cl.
constexpr Fact<Triple, std::uint32_t> list[] = {
    {"a * b", [](const Triple& t) { return bits(product(t)); }},
    {"a + c", [](const Triple& t) { return bits(t.a + t.c); }},
    {"fma(a, b, c)", [](const Triple& t) { return bits(std::fma(t.a, t.b, t.c)); }},
    {"a * b + c without contraction", [](const Triple& t) { return bits(product(t) + t.c); }},
    {"fmax(a, b)", [](const Triple& t) { return bits(t.a < t.b ? t.b : t.a); }},
    {"u32 to f32", [](const Triple& t) { return bits(static_cast<float>(bits(t.a) >> 8)); }},
    {"i64 to f32", [](const Triple& t) { return bits(static_cast<float>(static_cast<std::int64_t>(wide(t.a, t.b)))); }},
    {"clz",
     [](const Triple& t) { return static_cast<std::uint32_t>(std::countl_zero(wide(t.a, t.b) >> (bits(t.c) & 63))); }},
    {"f32 to f16", [](const Triple& t) { return std::uint32_t{half_of(t.a)}; }},
    {"f16 to f32",
     [](const Triple& t) {
       const std::uint16_t half = half_of(t.a);
       return bits(static_cast<float>(load_element(ATTNCERT_F16, &half, 0)));
     }},
    {"upper half of a product of u64",
     [](const Triple& t) {
       const auto product = static_cast<Double>(wide(t.a, t.b)) * wide(t.c, t.b);
       return static_cast<std::uint32_t>(product >> 64) ^ static_cast<std::uint32_t>(product >> 96);
     }},
};

// A finite float: any bits; every second one within 2^-67 and 2^66, so that sums and products have something to round;
// every eighth below 2^-124, subnormal ones among them.
float any_float(std::uint64_t n, std::uint64_t salt) {
  auto b = static_cast<std::uint32_t>(mixed(4 * n + salt));
  if (n % 2 == 1) b = (b & 0x807fffffu) | (60 + (b >> 8) % 133) << 23;
  if (n % 8 == 0) b &= 0x81ffffffu;
  if ((b & 0x7f800000u) == 0x7f800000u) b &= 0xbfffffffu;
  return std::bit_cast<float>(b);
}

// Every sixteenth sum cancels but for what the product rounds off.
Triple triple(std::uint64_t n) {
  Triple t{any_float(n, 0), any_float(n, 1), any_float(n, 2)};
  if (n % 16 == 3 && std::isfinite(product(t))) t.c = -product(t);
  return t;
}

bool same(std::uint32_t x, std::uint32_t y) {
  const auto nan = [](std::uint32_t b) { return std::isnan(std::bit_cast<float>(b)); };
  return x == y || (nan(x) && nan(y));
}

}  // namespace

Result<Done> check_facts(const Device& device, std::size_t triples) {
  const Questions<Triple, std::uint32_t> questions{facts_text, "facts", list, triple, same, sizeof(std::uint16_t)};
  const Result<std::vector<std::size_t>> wrong = wrong_answers(device, questions, triples);
  return wrong ? judged(device, questions, *wrong, triples) : wrong.error();
}

}  // namespace attncert::device
