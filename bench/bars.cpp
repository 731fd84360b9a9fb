#include "bench/bars.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <limits>

namespace attncert::bench {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

// The first line that fits counts. An empty word fits all; a name fits where it begins or ends so ("softmax.f32",
// ".f16"); "cache" is each level of it.
struct Line {
  std::string_view begins, ends, peer, memory;
  std::size_t shortest, longest;
  double most;
};

constexpr Line kBars[] = {
    // The fastest peer known. Every entry errs by at most 4 ulp, the peer's by 18 to 487.
    {"softmax.f32", "softmax.f32", "XNNPACK", "cache", 0, 64, 0.6},
    {"softmax.f32", "softmax.f32", "XNNPACK", "memory", 0, 4096, 0.7},
    {"softmax.f32", "softmax.f32", "XNNPACK", "", 65, kAny, 1},
    {"sparsemax.f32", "sparsemax.f32", "softmax", "cache", 8, 256, 3},
    {"entmax-1.5.f32", "entmax-1.5.f32", "softmax", "cache", 8, 256, 3},
    // A mask is read, which is a byte for every four of a logit.
    {"", "/masked", "unmasked", "cache", 8, 256, 1.15},
    {"", "f16", "f32", "memory", 1024, kAny, 0.75},
    {"", "f16", "f32", "cache", 0, kAny, 1.1},
    {"", "-vjp.f32", "forward", "cache", 0, kAny, 1.5},
    // Two terms under one exponential more, and a logarithm a row.
    {"ssmax.f32", "ssmax.f32", "softmax", "cache", 64, kAny, 1.15},
};

bool fits(const Line& line, const Benchmark& what, std::string_view peer) {
  const bool where =
      line.memory.empty() || line.memory == what.memory || (line.memory == "cache" && what.memory != "memory");
  return where && what.name.starts_with(line.begins) && what.name.ends_with(line.ends) &&
         (line.peer.empty() || line.peer == peer) && what.length >= line.shortest && what.length <= line.longest;
}

}  // namespace

std::optional<double> bar(const Benchmark& what, std::string_view peer) {
  for (const Line& line : kBars)
    if (fits(line, what, peer)) return line.most;
  return std::nullopt;
}

std::string Bars::beside(double figure, double most) {
  missed_ = missed_ || figure > most;
  return fmt::format("{:.2f} (at most {}{})", figure, most, figure > most ? ": missed" : "");
}

}  // namespace attncert::bench
