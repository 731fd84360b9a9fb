// What `attncert gpt2` measures of real attention: one struct a table, one line a row of it. The columns of these
// tables, with their meaning, stand here and nowhere else; those of ks.csv and diagnosis.csv, which are made from these
// tables, stand in study/analysis. table.hpp writes and reads them, `attncert gpt2 --columns` prints them. Lengths are
// those of the tokens, logits are scaled by 1 / sqrt(head size), weights that claims speak of are divided by their sum.
// `error` bounds what the numbers of a line differ from the exact ones by, relative to each; numbers are written with
// nine digits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "src/core/attention.hpp"
#include "src/core/mixer.hpp"

namespace attncert {

// The row of a head: query q of a window sees L = q + 1 tokens. `error` columns: below 1e-12 the error is relative to
// 1e-12; nan: unknown.
struct RowKey {
  std::size_t window = 0, layer = 0, head = 0, query = 0;
  auto operator<=>(const RowKey&) const = default;
  std::size_t length() const { return query + 1; }

  template <class Self, class Column>
  static void columns(Self& row, Column column) {
    column("window", row.window, "number of the window in the text, from 0");
    column("layer", row.layer, "block, from 0");
    column("head", row.head, "head of the block, from 0");
    column("query", row.query, "position in the window; the row has L = query + 1 keys");
  }
};

// Depends on the place alone: a sample of rows does not depend on the order in which they come.
inline std::uint64_t hash(const RowKey& row) {
  std::uint64_t bits = 0;
  for (const std::size_t part : {row.window, row.layer, row.head, row.query}) bits = mixed(bits + part);
  return bits;
}

// heads.csv: what the row of weights p looks like.
struct HeadLine {
  static constexpr const char* table = "heads";
  RowKey row;
  double spread = 0, entropy = 0, n_eff = 0, participation = 0;
  std::size_t support = 0;
  double largest = 0, top5 = 0, sink = 0, margin = 0;
  std::size_t ties = 0;
  double error = 0;

  template <class Self, class Column>
  static void columns(Self& line, Column column) {
    RowKey::columns(line.row, column);
    column("spread", line.spread, "largest less smallest logit");
    column("entropy", line.entropy, "- sum p ln p, in nats");
    column("n_eff", line.n_eff, "exp(entropy)");
    column("participation", line.participation, "1 / sum p^2");
    column("support", line.support, "how many weights are above 0");
    column("largest", line.largest, "the largest weight");
    column("top5", line.top5, "mass of the five largest weights");
    column("sink", line.sink, "weight of token 0");
    column("margin", line.margin, "largest less second weight");
    column("ties", line.ties, "N at which equal weights leave the N largest open; the lower position is taken");
    column("error", line.error, "relative error of entropy to participation and of largest to margin, at most");
  }
};

// selections.csv: the N largest weights as a selection I (arXiv 2508.17821, Theorems 1 and 2), s = sum over I of a_i
// x_i.
struct SelectionLine {
  static constexpr const char* table = "selections";
  RowKey row;
  TokenKind x = TokenKind::hidden;
  TokenScale scale = TokenScale::raw;
  std::size_t N = 0;
  double mass = 0, context = 0, distance = 0, unselected = 0, diameter = 0, largest_selected = 0;
  double printed = 0, corrected = 0, expectation_printed = 0, second_moment = 0;
  double r = 0;
  std::size_t separable_least = 0, separable_most = 0;
  double printed_lower = 0, printed_lower_literal = 0, printed_upper = 0, corrected_lower = 0;
  std::size_t surely = 0, possibly = 0;
  double radius = 0, closest = 0, error = 0;

  template <class Self, class Column>
  static void columns(Self& line, Column column) {
    RowKey::columns(line.row, column);
    column(
        "x", line.x,
        "which vectors the tokens are: embed (wte + wpe), hidden (block input), ln1 (LN1 of it), value (the head's)");
    column("scale", line.scale, "raw, or unit: each divided by its length");
    column("N", line.N, "how many tokens are selected");
    column("mass", line.mass, "A, the sum of their weights");
    column("context", line.context, "||s||");
    column("distance", line.distance, "d-tilde, sum over the unselected of ||a_i x_i - s||");
    column("unselected", line.unselected, "sum over the unselected of a_i ||x_i||");
    column("diameter", line.diameter, "d_1, the largest distance between a selected and an unselected token");
    column("largest_selected", line.largest_selected, "m, the largest length of a selected token");
    column("printed", line.printed, "(1-A) d_1 + m^2 [A (L-N) - (1-A)], Theorem 1's upper bound as printed");
    column("corrected", line.corrected, "(1-A) d_1 + m [A (L-N) - (1-A)], which holds");
    column("expectation_printed", line.expectation_printed, "the expectation of d-tilde as printed");
    column("second_moment", line.second_moment, "expected sum of squared distances over random sets of N, exact");
    column("r", line.r, "the smallest distance of an unselected a_i x_i to s");
    column("separable_least", line.separable_least, "N_s at least: selected tokens no farther than r from s");
    column("separable_most", line.separable_most, "N_s at most; equal unless rounding leaves it open");
    column("printed_lower", line.printed_lower, "1 - (1/(rN)) sum xi_i, Theorem 2, k != i");
    column("printed_lower_literal", line.printed_lower_literal, "the same with k = i allowed, as the sum is printed");
    column("printed_upper", line.printed_upper, "(1/N) sum exp(-(r - xi_i)^2 / (16 M^2)), Theorem 2");
    column("corrected_lower", line.corrected_lower, "1 - (1/N) sum min(1, xi_i / r)");
    column("surely", line.surely, "the sandwich from below: how many xi_i are at most r");
    column("possibly", line.possibly, "the sandwich from above: how many eta_i are at most r");
    column("radius", line.radius, "M, the largest length among the row's tokens");
    column("closest", line.closest, "delta, the smallest distance between two of them");
    column("error", line.error,
           "relative error of mass, context, distance, unselected, diameter, second_moment and r, at most; counts "
           "cover theirs");
  }
};

// jacobian.csv: sensitivity of the normalizer at temperature T (Lemma 2), and what finite differences see of it. Every
// row at the pass's own temperature, the longest one at others too.
inline constexpr std::array<double, 3> difference_steps = {1e-3, 1e-2, 1e-1};
struct JacobianLine {
  static constexpr const char* table = "jacobian";
  RowKey row;
  std::size_t own = 0;
  double temperature = 1, spectral = 0, lower = 0, upper = 0, frobenius = 0, quarter = 0, half = 0, error = 0;
  std::array<double, 3> random{}, eigenvector{}, pair{};  // by difference_steps

  template <class Self, class Column>
  static void columns(Self& line, Column column) {
    RowKey::columns(line.row, column);
    column("T", line.temperature, "temperature put on the row's logits");
    column("own", line.own, "1 where it is the temperature of the pass itself, else 0");
    column("spectral", line.spectral, "the Jacobian's spectral norm");
    column("lower", line.lower, "a lower bound of it by p_1 and p_2; softmax only, else nan");
    column("upper", line.upper, "p_1 (1 - p_1 + p_2) / T, an upper bound of it; softmax only, else nan");
    column("frobenius", line.frobenius, "the Jacobian's Frobenius norm");
    column("quarter", line.quarter, "1 / (4T), the printed bound; this and what follows: softmax only, else nan");
    column("half", line.half, "1 / (2T), the bound that holds for softmax");
    column("error", line.error, "relative error of spectral and frobenius, at most");
    constexpr const char* names[3][3] = {{"random_0.001", "eigenvector_0.001", "pair_0.001"},
                                         {"random_0.01", "eigenvector_0.01", "pair_0.01"},
                                         {"random_0.1", "eigenvector_0.1", "pair_0.1"}};
    for (std::size_t step = 0; step < difference_steps.size(); ++step) {
      column(
          names[step][0], line.random[step],
          "difference quotient g(T, eps), the largest over four random directions, the same for all rows of a length");
      column(names[step][1], line.eigenvector[step], "the same along the top eigenvector, the larger of both signs");
      column(names[step][2], line.pair[step], "the same along the two largest logits, the larger of both signs");
    }
  }
};

// alternatives.csv: the same logits through another normalizer. Last query of the plan only; tokens: block input, unit.
struct AlternativeLine {
  static constexpr const char* table = "alternatives";
  RowKey row;
  std::string normalizer;
  double parameter = 0, entropy = 0, n_eff = 0, top5 = 0, spectral = 0;
  std::size_t support = 0, N = 0;
  double share = 0;

  template <class Self, class Column>
  static void columns(Self& line, Column column) {
    RowKey::columns(line.row, column);
    column("normalizer", line.normalizer, "as `attncert list --normalizers` names it; softmax: the base line");
    column("parameter", line.parameter,
           "ssmax: s, fitted so that this row has the entropy of the head's row nearest to L/8 (no line where no s "
           "does); else 0");
    column("entropy", line.entropy, "- sum p ln p, in nats");
    column("n_eff", line.n_eff, "exp(entropy)");
    column("top5", line.top5, "mass of the five largest weights");
    column("spectral", line.spectral, "the Jacobian's spectral norm at the pass's own T; nan where it has none");
    column("support", line.support, "how many weights are above 0");
    column("N", line.N, "how many are selected: its own n_eff, rounded");
    column("share", line.share, "N_s / N, the separable share, at most");
  }
};

// geometry.csv: the paper's Figure 1 for the last query of window 0: where a_i x_i lies as seen from s.
struct GeometryLine {
  static constexpr const char* table = "geometry";
  RowKey row;
  std::size_t token = 0, selected = 0;
  double weight = 0, distance = 0, angle = 0;

  template <class Self, class Column>
  static void columns(Self& line, Column column) {
    RowKey::columns(line.row, column);
    column("token", line.token, "position of the key");
    column("selected", line.selected, "1 among the five largest weights, else 0");
    column("weight", line.weight, "a_i");
    column("distance", line.distance, "||a_i x_i - s||; x: block input, unit");
    column("angle", line.angle,
           "direction from s in the plane along which the points of the 64 largest weights differ most");
  }
};

// checks.csv: every captured weight against the enclosure of the exact weights of its f32 logits.
struct CheckLine {
  static constexpr const char* table = "checks";
  std::size_t window = 0;
  std::uint64_t rows = 0, weights = 0, outside = 0, undecided = 0, sampled = 0;
  double worst_ulp = 0, budget_ulp = 0;

  // Sums of the counts, the largest of the errors.
  CheckLine& operator+=(const CheckLine& other) {
    rows += other.rows;
    weights += other.weights;
    outside += other.outside;
    undecided += other.undecided;
    sampled += other.sampled;
    worst_ulp = std::max(worst_ulp, other.worst_ulp);
    budget_ulp = std::max(budget_ulp, other.budget_ulp);
    return *this;
  }

  template <class Self, class Column>
  static void columns(Self& line, Column column) {
    column("window", line.window, "number of the window in the text, from 0");
    column("rows", line.rows, "captured rows");
    column("weights", line.weights, "their weights, every one judged by the double-double tier or by intervals");
    column("outside", line.outside, "beyond the kernel's budget");
    column("undecided", line.undecided, "neither inside nor outside for certain");
    column("sampled", line.sampled, "weights that were judged by intervals as well");
    column("worst_ulp", line.worst_ulp, "largest error, in ulp");
    column("budget_ulp", line.budget_ulp, "what the kernel may err by");
  }
};

// claims.csv: claims on the measured rows, decided by the bound kernels with their proved error, by intervals where
// those leave it open.
struct ClaimLine {
  static constexpr const char* table = "claims";
  std::size_t window = 0;
  std::string claim;
  std::string x;  // "hidden raw", ...; "logits" for claims about softmax
  std::uint64_t tried = 0, admissible = 0, held = 0, violated = 0, equality = 0, undecided = 0, by_interval = 0;
  std::string discarded = "-";

  template <class Self, class Column>
  static void columns(Self& line, Column column) {
    column("window", line.window, "number of the window in the text, from 0");
    column("claim", line.claim, "as `attncert list` names it");
    column("x", line.x, "what it was asked of: vectors and scale of the tokens, or the logits");
    column("tried", line.tried, "instances: rows, or rows and N");
    column("admissible", line.admissible, "those that satisfy every hypothesis");
    column("held", line.held, "those for which it is true");
    column("violated", line.violated, "those for which it is false");
    column("equality", line.equality, "those with equal sides");
    column("undecided", line.undecided, "those that no precision decided");
    column("by_interval", line.by_interval, "those that the bound kernels left open and intervals decided");
    column("discarded", line.discarded, "which hypothesis the others fail, and how many; - for none");
  }
};

}  // namespace attncert
