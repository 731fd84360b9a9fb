#include "fuzz/attention_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "properties/dumps/removed_keys.hpp"

namespace attncert {
namespace {

// Whole eighths to 8, or 20 bits to 8, times one power of two.
class Entries {
 public:
  explicit Entries(Choices& choices)
      : choices_(choices), fine_(choices.flip()), size_(std::ldexp(1, static_cast<int>(choices.pick(powers)))) {}
  std::vector<double> operator()(std::size_t count) {
    std::vector<double> numbers(count);
    for (double& number : numbers)
      number = size_ * (fine_ ? std::ldexp(static_cast<double>(choices_.between(-(1 << 19), 1 << 19)), -16)
                              : static_cast<double>(choices_.between(-64, 64)) / 8);
    return numbers;
  }

 private:
  static constexpr int powers[] = {0, 1, -2, 2, 4, 6, -6, -20};
  Choices& choices_;
  bool fine_;
  double size_;
};

CaseInputs drawn(Choices& choices) {
  CaseInputs in{};
  in.batches = 1 + choices.below(2);
  in.kv_heads = 1 + choices.below(2);
  in.heads = in.kv_heads * (1 + choices.below(2));
  in.queries = 1 + choices.below(5);
  in.keys = 1 + choices.below(choices.below(4) == 3 ? 150 : 12);
  in.size = 1 + choices.below(9);
  in.value_size = 1 + choices.below(9);
  in.causal = choices.flip();
  if (choices.flip()) in.window = 1 + choices.below(in.keys);
  if (choices.flip()) in.softcap = std::ldexp(1, static_cast<int>(choices.between(-2, 6)));
  const auto some = [&](std::size_t count) { return choices.flip() ? Entries(choices)(count) : std::vector<double>(); };
  in.bias = some(in.queries * in.keys);
  in.sinks = some(in.heads);
  in.slopes = some(in.heads);
  if (choices.flip())
    for (std::size_t b = 0; b < in.batches; ++b) in.lengths.push_back(static_cast<double>(choices.below(in.keys + 1)));
  if (choices.flip())
    for (std::size_t n = 0; n < in.queries * in.keys; ++n) in.mask.push_back(choices.flip() ? 0 : 1);
  in.q = Entries(choices)(in.batches * in.heads * in.queries * in.size);
  in.k = Entries(choices)(in.batches * in.kv_heads * in.keys * in.size);
  in.v = Entries(choices)(in.batches * in.kv_heads * in.keys * in.value_size);
  if (choices.flip()) in.output_gradient = Entries(choices)(in.batches * in.heads * in.queries * in.value_size);
  return in;
}

// Scores, before softcap and bias, are set by the first entry of q and k alone.
void set_scores(CaseInputs& in, auto&& score) {
  std::ranges::fill(in.q, 0);
  for (std::size_t n = 0; n < in.q.size(); n += in.size) in.q[n] = 8;
  const double scale = 1 / std::sqrt(static_cast<double>(in.size));
  for (std::size_t n = 0; n < in.k.size(); n += in.size) in.k[n] = score(n / in.size % in.keys) / (8 * scale);
}

void rising(CaseInputs& in, Choices& choices) {
  const auto step = static_cast<double>(choices.between(-7, 7));
  const std::size_t block = 1 + choices.below(32);
  set_scores(in, [&](std::size_t j) { return step * static_cast<double>(j / block); });
}

void far_scores(CaseInputs& in, Choices& choices) {
  constexpr double centres[] = {-100, 100, -1000, 1000, -20000};
  const double centre = choices.pick(centres);
  set_scores(in, [&](std::size_t j) { return centre + static_cast<double>(j % 3); });
}

void dominating_key(CaseInputs& in, Choices& choices) {
  const std::size_t key = in.keys - 1 - choices.below(in.keys);
  set_scores(in, [&](std::size_t j) { return j == key ? 4 : -1; });
}

void equal_keys(CaseInputs& in, Choices&) {
  set_scores(in, [](std::size_t) { return 0; });
}

void one_hot(CaseInputs& in, Choices&) {
  set_scores(in, [](std::size_t j) { return static_cast<double>(j * 7 % 5); });
  for (std::size_t n = 0; n < in.v.size(); ++n)
    in.v[n] = n % in.value_size == n / in.value_size % in.value_size ? 1 : 0;
}

void cancelling(CaseInputs& in, Choices& choices) {
  const bool offset = choices.flip();
  for (std::size_t n = 0; n < in.v.size(); ++n) in.v[n] += offset || n / in.value_size % 2 == 0 ? 100 : -100;
}

void huge_removed_keys(CaseInputs& in, Choices&) {
  const auto removed = removed_keys(in);
  for (std::size_t row = 0; row < in.k.size() / in.size; ++row)
    if (std::ranges::count(removed[row / (in.kv_heads * in.keys)], row % in.keys) > 0)
      std::fill_n(in.k.begin() + static_cast<std::ptrdiff_t>(row * in.size), in.size, row % 2 == 0 ? 30000 : -30000);
}

void removed_nan(CaseInputs& in, Choices&) { put_nan_in_removed_keys(in); }

void wide_sinks(CaseInputs& in, Choices& choices) {
  constexpr double sinks[] = {2, 100, -100};
  in.sinks.assign(in.heads, choices.pick(sinks));
}

void saturated(CaseInputs& in, Choices& choices) {
  in.softcap = choices.flip() ? 30 : 2;
  for (double& number : in.q) number *= 10;
}

// What the groups of cases are made to show.
constexpr void (*chosen[])(CaseInputs&, Choices&) = {rising,     far_scores, dominating_key,    equal_keys,
                                                     one_hot,    cancelling, huge_removed_keys, removed_nan,
                                                     wide_sinks, saturated};

}  // namespace

CaseInputs attention_case(Choices& choices) {
  CaseInputs in = drawn(choices);
  if (const std::uint64_t number = choices.below(std::size(chosen) + 1); number > 0) chosen[number - 1](in, choices);
  return in;
}

std::string text_of(const CaseInputs& in) {
  constexpr std::size_t few = 16;
  std::string line = fmt::format("{} batches, heads {} of keys {}, {} queries, {} keys, sizes {} and {}", in.batches,
                                 in.heads, in.kv_heads, in.queries, in.keys, in.size, in.value_size);
  const auto numbers = [&](const char* what, const std::vector<double>& of) {
    if (of.size() > few) line += fmt::format(", {} of {}", what, of.size());
    else if (!of.empty()) line += fmt::format(", {} {}", what, fmt::join(of, " "));
  };
  if (in.causal) line += ", causal";
  if (in.window != 0) line += fmt::format(", window {}", in.window);
  if (in.softcap != 0) line += fmt::format(", softcap {}", in.softcap);
  numbers("bias", in.bias), numbers("sinks", in.sinks), numbers("slopes", in.slopes);
  numbers("lengths", in.lengths), numbers("mask", in.mask);
  if (in.q.size() + in.k.size() + in.v.size() <= 3 * few) numbers("q", in.q), numbers("k", in.k), numbers("v", in.v);
  if (!in.output_gradient.empty()) line += ", backward";
  if (in.output_gradient.size() <= few) numbers("do", in.output_gradient);
  return line;
}

}  // namespace attncert
