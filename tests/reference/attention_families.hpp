// Chosen rows of attention, of any number of keys: each family makes one part of a bound large.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tests/reference/attention_case.hpp"

namespace attncert {

struct RowFamily {
  std::string name;
  AttentionCase (*of)(std::size_t keys);
};

// A row whose key j has about the score and the value that the functions give. `rest` is what the second entry of the
// query brings to all scores alike: products that are no floats; 0: the scores are exact.
template <class Score, class Value>
AttentionCase chosen_row(std::size_t keys, Score score, Value value, double rest = 0x1.234568p-3) {
  AttentionCase c;
  c.query = {1, rest};
  for (std::size_t j = 0; j < keys; ++j) {
    c.keys.insert(c.keys.end(), {static_cast<float>(score(static_cast<double>(j))), 0x1.9abcdep-2});
    c.values.push_back(static_cast<float>(value(static_cast<double>(j))));
  }
  return c;
}

inline double mixed_value(double j) { return std::fmod(j, 3) == 0 ? -1 : 1 + j / 32; }

inline AttentionCase with_sink(std::size_t keys, double above) {
  AttentionCase c = chosen_row(
      keys, [](double j) { return j / 256; }, mixed_value);
  c.sink = static_cast<float>(above);
  return c;
}

inline AttentionCase lattice_row(std::size_t keys) {  // exact scores, and values of two keys only
  AttentionCase c;
  c.query = {1, 2, -3};
  c.scale = 0.125;
  c.value_size = 2;
  c.values.assign(2 * keys, 0);
  for (std::size_t j = 0; j < keys; ++j)
    for (const std::size_t prime : {3u, 5u, 7u}) c.keys.push_back(static_cast<double>(j * prime % 11) - 5);
  c.values[2 * (keys / 2)] = c.values[2 * keys - 1] = 1;
  return c;
}

inline AttentionCase cancelling_scores(std::size_t keys) {
  AttentionCase c;
  c.query = {1000, -1000};
  for (std::size_t j = 0; j < keys; ++j) {
    const float small = static_cast<float>(std::sin(static_cast<double>(j)));
    c.keys.insert(c.keys.end(), {1000 + 0x1p-10 * std::rint(small * 4), 1000});
    c.values.push_back(static_cast<float>(mixed_value(static_cast<double>(j))));
  }
  return c;
}

inline AttentionCase with_slope(std::size_t keys, bool causal) {
  AttentionCase c = chosen_row(
      keys, [](double j) { return std::sin(j); }, mixed_value);
  c.slope = 0.25;
  c.causal = causal;
  c.position = static_cast<std::int64_t>(causal ? keys - 1 : keys / 2);
  return c;
}

inline AttentionCase with_bias(std::size_t keys, double size) {
  AttentionCase c = chosen_row(
      keys, [](double j) { return std::sin(j); }, mixed_value);
  for (std::size_t j = 0; j < keys; ++j)
    c.bias.push_back(static_cast<float>(size * std::cos(3 * static_cast<double>(j))));
  return c;
}

// Every second key, or the first half of them, is removed by an added number.
inline AttentionCase with_added_mask(std::size_t keys, double added, bool left) {
  AttentionCase c = with_bias(keys, 1);
  for (std::size_t j = 0; j < keys; ++j)
    if (left ? 2 * j < keys && j + 1 < keys : j % 2 == 1) c.bias[j] = added;
  return c;
}

inline AttentionCase with_softcap(std::size_t keys, double cap) {
  AttentionCase c = chosen_row(
      keys, [](double j) { return 20 * std::sin(j); }, mixed_value);
  c.softcap = cap;
  return c;
}

inline AttentionCase with_everything(std::size_t keys) {
  AttentionCase c = with_bias(keys, 4);
  c.scale = 0.353515625;
  c.softcap = 30;
  c.slope = 0.125;
  c.sink = 2.5;
  c.position = static_cast<std::int64_t>(keys) - 1;
  for (std::size_t j = 0; j < keys; ++j) c.mask.push_back(j % 5 != 3);
  return c;
}

inline const std::vector<RowFamily> row_families{
    {"equal",
     [](std::size_t n) {
       return chosen_row(
           n, [](double) { return 1.5; }, mixed_value);
     }},
    {"rising",
     [](std::size_t n) {
       return chosen_row(
           n, [](double j) { return 1.5 + j / 8; }, mixed_value);
     }},
    {"rising steeply",
     [](std::size_t n) {
       return chosen_row(
           n, [](double j) { return 1.5 + j; }, mixed_value);
     }},
    {"falling",
     [](std::size_t n) {
       return chosen_row(
           n, [](double j) { return 1.5 - j / 8; }, mixed_value);
     }},
    {"rising by steps of 5",
     [](std::size_t n) {
       return chosen_row(
           n, [](double j) { return 5 * std::floor(j / 8); }, mixed_value);
     }},
    // Exact scores and weights nearly equal, so that rescaling is all that errs; the early values oppose the late ones.
    {"rising exactly",
     [](std::size_t n) {
       const double half = static_cast<double>(n) / 2;
       return chosen_row(
           n, [](double j) { return j / 1024 - 1.5; }, [=](double j) { return j < half ? -1.0 : 1.0; }, 0);
     }},
    {"up and down",
     [](std::size_t n) {
       return chosen_row(
           n, [](double j) { return 3 * std::cos(3 * j); }, mixed_value);
     }},
    {"lattice", lattice_row},
    {"cancelling values",
     [](std::size_t n) {
       return chosen_row(
           n, [](double j) { return std::floor(j / 2) / 64; },
           [](double j) { return std::fmod(j, 2) == 0 ? 1000.0 : -1000.0; });
     }},
    {"offset values",
     [](std::size_t n) {
       return chosen_row(
           n, [](double j) { return std::sin(j); }, [](double j) { return 1000 + std::fmod(j, 7) / 8; });
     }},
    {"sink of half", [](std::size_t n) { return with_sink(n, std::log(static_cast<double>(n))); }},
    {"sink above", [](std::size_t n) { return with_sink(n, 100); }},
    {"sink below", [](std::size_t n) { return with_sink(n, -100); }},
    {"saturated softcap", [](std::size_t n) { return with_softcap(n, 2); }},
    {"softcap", [](std::size_t n) { return with_softcap(n, 50); }},
    {"bias", [](std::size_t n) { return with_bias(n, 1); }},
    {"wide bias", [](std::size_t n) { return with_bias(n, 50); }},
    {"added mask", [](std::size_t n) { return with_added_mask(n, -1e9, false); }},
    {"added mask at the left", [](std::size_t n) { return with_added_mask(n, -1e9, true); }},
    {"small added mask at the left", [](std::size_t n) { return with_added_mask(n, -1e4, true); }},
    {"slope", [](std::size_t n) { return with_slope(n, true); }},
    {"slope on both sides", [](std::size_t n) { return with_slope(n, false); }},
    {"everything", with_everything},
    // Numbers below the normal ones of f16: queries, then values.
    {"small queries",
     [](std::size_t n) {
       AttentionCase c = chosen_row(
           n, [](double j) { return 0x1p15 * std::sin(j); }, mixed_value);
       c.query = {0x1p-15, 0x1.234568p-17};
       return c;
     }},
    {"small values",
     [](std::size_t n) {
       return chosen_row(
           n, [](double j) { return std::sin(j); }, [](double j) { return 0x1p-22 * mixed_value(j); });
     }},
    // A factor that underflows in f16 meets a large sum.
    {"last far above",
     [](std::size_t n) {
       const double last = static_cast<double>(n) - 1;
       return chosen_row(
           n, [=](double j) { return j < last ? 0 : 17.3; }, [=](double j) { return j < last ? 1000 : 0; });
     }},
    // At the end of the exponential's range, on both sides.
    {"flushed",
     [](std::size_t n) {
       return chosen_row(
           n, [](double j) { return j == 0 ? 0 : -85 - std::fmod(j, 7) / 2; }, mixed_value);
     }},
    {"far below 0",
     [](std::size_t n) {
       return chosen_row(
           n, [](double j) { return std::sin(j) - 500; }, mixed_value);
     }},
    {"cancelling scores", cancelling_scores}};

}  // namespace attncert
