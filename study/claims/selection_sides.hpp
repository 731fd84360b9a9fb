// What a screen of a claim about selections is asked of: the numbers of one row and one N as the bound kernels gave
// them, with errors that cover the claim's own instance.
//
// Raw tokens are the instance's. Unit tokens are not: the kernels saw x_i, rounded in f64, and the instance has exact
// unit vectors y_i (instances/captured.hpp: within 2^-30 of the captured token over its length), so that ||x_i - y_i||
// <= t. The separability curves are asked with token_error = t and cover that. For the distance curves, where saturated
// heads leave nearly nothing to the unselected tokens, a change of t (L - N) would leave every such row open; what
// follows is relative to what they have left. With |x_j . x_k - y_j . y_k| <= T = t (2 + t) and | ||x_j||^2 - 1 | <= n,
// A the selected mass, R = 1 - A, B = A less the largest weight:
//   ||s||^2 moves by n A^2 + T P, P = sum over j != k in I of a_j a_k <= B (2 a_1 + B); a_i x_i . s by a_i A T; hence
//   f_i^2 by n (a_i^2 + A^2) + T P + 2 a_i A T, and f_i by that over r, the smallest f_i of the instance;
//   f_i^2 - ||s||^2 by a_i (n + 2 A T), and itself is at most 3 a_i A (1 + n), since a_i <= A;
//   f_i + ||s|| by 3 A T, and is at least E = r + ||s|| - 3 A T, so that
//   f_i - ||s|| = (f_i^2 - ||s||^2) / (f_i + ||s||) moves by a_i ((n + 2 A T) / E + 9 A^2 T (1 + n) / E^2).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "reference/truth.hpp"
#include "src/bounds/distance.hpp"
#include "src/bounds/separability.hpp"
#include "src/core/attention.hpp"

namespace attncert {

// t: 2^-30 of the instance's points, and (d/2 + 3) 2^-53 of x / ||x|| in f64, below 2^-41 for d <= 4096.
inline constexpr double unit_token_error = 0x1.002p-30;
inline constexpr std::size_t widest_tokens = 4096;
inline constexpr double unit_drift = 2.001 * unit_token_error;  // T

struct SelectionSides {
  std::size_t length = 0, count = 0;   // L, N
  bool one_hot = false, unit = false;  // one weight that is not 0; tokens of length 1
  Truth equal_norms = Truth::unknown;  // of the row's tokens
  bounds::Certified distance;          // d-tilde
  bounds::Certified beyond;            // |d-tilde - (L-N) ||s|| |
  bounds::Certified minus_context;     // ||(sum over the unselected of a_i x_i) - s||, from ||s|| and the next number
  bounds::Certified context, unselected;  // ||s||, sum over the unselected of a_i ||x_i||
  bounds::Certified rest;                 // 1 - A
  bounds::Certified printed, corrected;   // Theorem 1's right side, with m^2 and with m
  bounds::Certified spread;               // max a / min a; `unknown` where a weight is 0
  bounds::Certified radius, closest, farthest, r;
  bounds::Count separable;
  std::array<bounds::Certified, 2> printed_lower;  // by bounds::Reading
  bounds::Certified printed_upper;                 // distinct
};

// By point of the curves, which have the same N >= 1. Weights >= 0, not all 0. Unit: the separability curves were asked
// with unit_token_error; `zero_token`: a token of length 0 is among them, which lies on no sphere.
std::vector<SelectionSides> selection_sides(std::span<const float> weights, TokenScale scale, bool zero_token,
                                            const bounds::DistanceCurves& distance,
                                            const bounds::SeparabilityCurves& separability);

}  // namespace attncert
