// Draws the inputs of cases.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <string_view>
#include <vector>

#include "properties/dumps/cases.hpp"

namespace attncert {

struct CaseInputs {
  std::size_t batches = 1, heads = 2, kv_heads = 2, queries, keys, size, value_size;
  std::vector<double> q, k, v, bias, mask, sinks, slopes, lengths;  // bias and mask [queries, keys] of each of these:
  bool pairs_of_batches = false, pairs_of_heads = false;            // else one serves all
  std::vector<double> output_gradient;
  bool causal = false, top_left = false;  // of the diagonal; else it ends at the bottom right
  double scale = 0;                       // 0: 1 / sqrt(size)
  std::size_t window = 0, window_after = 0;
  double softcap = 0;
};

// Draws the inputs of one group's cases.
class CaseMaker {
 public:
  CaseMaker(const CaseWishes& wishes, std::uint64_t stream) : wishes_(wishes), engine_(wishes.seed * 1000 + stream) {}

  bool wants(std::string_view feature) const { return wishes_.features.count(feature) != 0; }
  bool wants_undeclared() const { return wishes_.undeclared; }
  double effort() const { return wishes_.effort; }
  std::size_t size() const { return wishes_.size; }
  std::size_t value_size() const { return wishes_.value_size; }
  double scale() const { return 1 / std::sqrt(static_cast<double>(wishes_.size)); }
  std::size_t below(std::size_t n) { return engine_() % n; }
  bool maybe(std::string_view feature) { return wants(feature) && below(2) == 0; }

  // Box and Muller's; the library's distribution differs from one standard library to the next.
  double normal() {
    const double a = (static_cast<double>(engine_() >> 11) + 1) * 0x1p-53;
    const double b = static_cast<double>(engine_() >> 11) * 0x1p-53;
    return std::sqrt(-2 * std::log(a)) * std::cos(2 * std::numbers::pi * b);
  }
  std::vector<double> normals(std::size_t count, double spread = 1) {
    std::vector<double> numbers(count);
    for (double& number : numbers) number = spread * normal();
    return numbers;
  }

  CaseInputs plain(std::size_t queries, std::size_t keys) {
    CaseInputs in{};
    in.queries = queries;
    in.keys = keys;
    in.size = size();
    in.value_size = value_size();
    if (wants("heads")) in.kv_heads = 1;
    draw(in);
    return in;
  }
  // q, k and v of the sizes that are set.
  void draw(CaseInputs& in) {
    in.q = normals(in.batches * in.heads * in.queries * in.size);
    in.k = normals(in.batches * in.kv_heads * in.keys * in.size);
    in.v = normals(in.batches * in.kv_heads * in.keys * in.value_size);
  }

  // Scores are set by the first entry of q and k alone: `scores` one a key, in units before softcap and bias. k
  // is a number of f16 up to heads of 512 entries.
  CaseInputs scored(std::size_t queries, const std::vector<double>& scores) {
    CaseInputs in = plain(queries, scores.size());
    const bool far = std::ranges::any_of(scores, [](double score) { return std::abs(score) > 3e4; });
    const double entry = far ? 512 : 8;
    std::fill(in.q.begin(), in.q.end(), 0);
    for (std::size_t n = 0; n < in.q.size(); n += size()) in.q[n] = entry;
    for (std::size_t n = 0; n < in.k.size(); n += size()) in.k[n] = scores[n / size() % in.keys] / (entry * scale());
    return in;
  }

 private:
  const CaseWishes& wishes_;
  std::mt19937_64 engine_;
};

inline void fill_key(CaseInputs& in, std::vector<double>& of, std::size_t key, double value) {
  const std::size_t size = of.size() / (in.kv_heads * in.keys);
  for (std::size_t head = 0; head < in.kv_heads; ++head)
    std::fill_n(of.begin() + static_cast<std::ptrdiff_t>((head * in.keys + key) * size), size, value);
}

}  // namespace attncert
