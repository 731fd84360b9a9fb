#include "check/statement.hpp"

#include <sstream>

namespace attncert::check {

// All that the checker believes, in its own words (docs/specification.md). "says" holds where all of "given" do; "with"
// defines what they read; "use" stands for the lines of a block.
//
// Refuted along a family: what is said to be <= C exceeds every C, while what is "constant" does not depend on n; or
// what is said to tend to 0 keeps above what is said here. Proved along a family: what is said holds for every n, which
// is every L from "first" on, and the hypotheses leave nothing else. "text" is the claim in words, where a file brings
// it.
//
// Proved: a "piece" is >= 0 for all values of its arguments in [0, 1], where it is a quotient of polynomials; one whose
// argument is t alone speaks of ordered weights p_top >= p_next >= ... of sum 1 besides, for each L up to "longest". An
// "identity" of polynomials is one in the y_i, or in a and e. A "link" says how the statement follows: it holds of
// every row, and is tried on each that a certificate brings. "where" defines what pieces and links read. "by" names
// what is not tried: scaling and shift of F or logits change no weight; permutation lets one order of the tokens stand
// for all, and tokens that are alike enter by their mean; coordinates let tokens of width 1 stand for all; 1/(2T) is
// softmax's least Lipschitz constant.
const char* const statements_text = R"(
block simplex
  given a_i >= 0 and sum(i: a_i) = 1
block selection
  given 1 <= N and N <= L
  use simplex
block context
  use selection
  with s = sum(i in I: a_i x_i)
block top
  use context
  given max(i not in I: a_i) <= min(i in I: a_i)
  with A = sum(i in I: a_i)
block farthest
  use top
  with d1 = sqrt(max(i not in I, j in I: |x_i - x_j|^2))

refuted theorem1-upper
  use farthest
  says sum(i not in I: |a_i x_i - s|) <= (1 - A) d1 + max(i in I: |x_i|^2) (A (L - N) - (1 - A))
refuted theorem1-upper-norm-of-weighted-sum
  use farthest
  given N <= L - 1
  says |sum(i not in I: a_i x_i) - s| <= (1 - A) d1 + sqrt(max(i in I: |x_i|^2)) (A (L - N) - (1 - A))
refuted theorem1-expectation-main-term
  use context
  given 2 <= L and L <= 8
  with xbar = sum(i: a_i x_i)
  with main = (L - N)/L sum(i: |(a_i + N/(L - 1)) x_i - xbar|^2)
  says |mean(I: sum(i not in I: |a_i x_i - s|)) - main| <= 0

block sphere
  use top
  given N <= L - 1 and M2 > 0 and |x_i|^2 = M2 and delta2 > 0
  with M2 = |x_first|^2
  with delta2 = min(i, j != i: |x_i - x_j|^2)
  with f2_i = |a_i x_i - s|^2
  with r2 = min(i not in I: f2_i)
  with share = sum(i in I: [f2_i <= r2]) / N
block radii
  use sphere
  given r2 > 0
  with r = sqrt(r2)
  with Q = sum(i in I: a_i^2)
  with own_i = Q - a_i^2
refuted theorem2-lower-literal
  use radii
  given square_i >= 0
  with square_i = M2 own_i + (M2 - delta2/2) ((A - a_i)^2 - own_i + a_i (A - a_i))
  with xi_i = sqrt(square_i)
  says 1 - share <= sum(i in I: xi_i) / (r N)
refuted theorem2-upper
  use radii
  with square_i = M2 own_i + (M2 - delta2/2) ((A - a_i)^2 - own_i)
  with xi_i = sqrt(square_i)
  says share <= sum(i in I: exp(-(r - xi_i)^2 / (16 M2))) / N
refuted theorem2-eighty-percent
  use sphere
  given N >= 2
  says share <= 4/5
refuted separability-floor
  use sphere
  given N >= 2
  says 1/N <= share

block softmax
  given T > 0
  with e_i = exp((l_i - l_top)/T)
  with Z = sum(i: e_i)
  with p_i = e_i/Z
refuted lemma2-sqrt2-cap
  given F_i > 0
  with S = sum(i: F_i)
  with a_i = F_i/S
  with g_i = F'_i/S
  says spectral(a, g) <= sqrt(2)
refuted softmax-quarter-over-temperature
  use softmax
  says spectral(p, p)/T <= min(1/(4 T), sqrt(2))
refuted lemma2-recovers-quarter
  given T > 0
  with low = min(i: l_i)
  with x = sqrt(sum(i: exp(2 (l_i - low)/T)))/L
  says (x + x^2)/T = 1/(4 T)
refuted softmax-quarter-frobenius
  use softmax
  with P2 = sum(i: p_i^2)
  says sqrt(sum(i: p_i^2 (1 - 2 p_i + P2)))/T <= min(1/(4 T), sqrt(2))
refuted perturbation-output-distance
  given T > 0 and L >= 2 and sum(i: |l_i|) = |l_before| + |l_last| and |e| > 0
  with a = l_before
  with e = l_last - l_before
  with P = 1/(2 + (L - 2) exp(-a/T))
  with Q = 1/(2 exp(a/T) + L - 2)
  with m = P e/T
  says sqrt((L - 2) (Q m)^2 + (P (2 e/T - m))^2 + (P (e/T + m))^2) = sqrt(2) * |e|/T

refuted theorem1-collapse along equal-tokens
  text When the number of selected tokens grows like L, the distance d-tilde tends to 0.
  use top
  given c > 0 and N = c L and |x_i| <= B
  constant c
  constant B
  says sum(i not in I: |a_i x_i - s|) <= C
refuted distance-linear-in-length along equal-weights
  text With N = 5 selected tokens and logits bounded in L, d-tilde is at least c L for some c > 0.
  use top
  given N = 5 and a_i > 0 and max(i: a_i) <= B min(i: a_i) and M > 0 and |x_i| = M
  constant B
  constant M
  says L/sum(i not in I: |a_i x_i - s|) <= C
block sparsemax
  given a_i = max(l_i - tau, 0) and sum(i: a_i) = 1 and |l_i| <= B
  constant B
  says L a_first <= C
refuted selectivity-stability-tradeoff along sharp-and-stable
  text A rule with one l_2 Lipschitz constant for all L, on bounded logits, keeps no weight away from 0 as L grows.
  use sparsemax
  given a_first = 1
block separable
  with S = sum(i: F_i)
  says L F_first/S <= C
refuted lemma1-any-normalizer along unbounded-logits
  text Any normalizer F that does not depend on L forces every weight to be O(1/L).
  with F_i = 1 + l_i^2
  given F_i > 0
  use separable
refuted lemma1-any-normalizer along zero-of-f
  use separable
  given F_i >= 0 and min(i: F_i) = 0 and F_i <= B and |l_i| <= B
  constant B
refuted lemma1-any-normalizer along non-separable
  use sparsemax
refuted lemma1-any-normalizer-lower along falling-logits
  text Any normalizer F that does not depend on L keeps every weight at C1/L or above, for some C1 > 0.
  with F_i = 1/(1 + l_i^2)
  given F_i > 0
  with S = sum(i: F_i)
  says S/(L F_first) <= C
refuted weights-tend-to-uniform along two-values
  text As L grows, the weights of a positive F on bounded logits become uniform: L a_i tends to 1.
  given F_i > 0 and F_i <= B and |l_i| <= B
  constant B
  with S = sum(i: F_i)
  says L F_first/S - 1 >= 1/4
refuted expected-distance-linear-in-length along tokens-alike
  text With N = 5 tokens selected at random, E d-tilde is at least c L for some c > 0.
  given N = 5 and a_i = 1/L and M > 0 and x_i = M
  constant M
  with s = sum(i in I: a_i x_i)
  says L/sum(i not in I: |a_i x_i - s|) <= C
proved distance-linear-with-sink along sink
  text With N = 5 selected tokens, one of weight 1/2 at every L, d-tilde of equal tokens grows linearly in L.
  use top
  first 8
  given N = 5 and L >= 8
  given a_first = 1/2 and min(i != first: a_i) = max(i != first: a_i)
  given x_i = 1
  says sum(i not in I: |a_i x_i - s|)/L >= 15/56
  says sum(i not in I: |a_i x_i - s|)/L <= 1/2

block means
  where from(m, y) = m (1 - y) + y
  where mass(m, y, z, q) = q from(m, y) / (q from(m, y) + from(m, z))
block weights
  domain all L >= 2, all positive F of any R
  by scaling, permutation
  given F_i > 0
  given L >= 2
  with S = sum(i: F_i)
  with a_i = F_i/S
  with R = max(i: F_i) / min(i: F_i)
  where m = 1/R
  where top = max(i: F_i)
  where y_i = (F_i/top - m)/(1 - m)
  where z_i = ((S - F_i)/(top (L - 1)) - m)/(1 - m)
  use means
proved weights-order-sharp
  text Every weight of a separable positive F lies between 1/(1+(L-1)R) and R/(R+L-1), R = max F / min F.
  use weights
  says above: max(i: a_i) <= R/(R + L - 1)
  says below: 1/(1 + (L - 1) R) <= min(i: a_i)
  piece above(m, y, z, q) = q/(q + m) - mass(m, y, z, q)
  piece below(m, y, z, q) = mass(m, y, z, q) - q m/(q m + 1)
  link min(i: above(m, y_i, z_i, 1/(L - 1))) = right1 - left1 if R > 1
  link min(i: below(m, y_i, z_i, 1/(L - 1))) = right2 - left2 if R > 1
proved lemma1-bounded-logits
  text Where F is positive and bounded away from 0 and infinity, every weight is of order 1/L: between 1/(R L) and R/L.
  use weights
  says above: max(i: a_i) <= R/L
  says below: 1/(R L) <= min(i: a_i)
  piece above(m, y, z, q) = q/(m + m q) - mass(m, y, z, q)
  piece below(m, y, z, q) = mass(m, y, z, q) - m q/(1 + q)
  link min(i: above(m, y_i, z_i, 1/(L - 1))) = right1 - left1 if R > 1
  link min(i: below(m, y_i, z_i, 1/(L - 1))) = right2 - left2 if R > 1
proved top-mass-cap
  text N < L weights of a separable positive F sum to at most N R / (N R + L - N).
  domain all 1 <= N < L, all positive F of any R
  by scaling, permutation
  use selection
  given a_i > 0
  given N <= L - 1
  with A = sum(i in I: a_i)
  with R = max(i: a_i) / min(i: a_i)
  says A <= N R/(N R + L - N)
  use means
  where m = 1/R
  where top = max(i: a_i)
  piece cap(m, y, z, q) = q/(q + m (1 - q)) - mass(m, y, z, q/(1 - q))
  link cap(m, (A/(N top) - m)/(1 - m), ((1 - A)/((L - N) top) - m)/(1 - m), N/L) = right1 - left1 if R > 1
block odds
  use softmax
  given L >= 2
  with g = max(i: l_i) - min(i: l_i)
  with c = p_top
  with rest = sum(i != top: p_i)
  where m = exp(-g/T)
  where mean = sum(i != top: e_i)/(L - 1)
  piece odds(m, y) = 1/m - 1/(m (1 - y) + y)
proved softmax-mass-needs-range
  text A softmax weight of c needs a range of logits of at least T log(c (L-1)/(1-c)).
  domain all L >= 2, all real logits, all T > 0
  by shift, scaling, permutation
  use odds
  says T log((L - 1) c/rest) <= g
  link odds(m, (mean - m)/(1 - m)) + exp(left1/T) = exp(right1/T) if g > 0
proved softmax-sharpness-needs-log-length
  text Softmax that gives one token 1 - eta at range g has Lipschitz constant at least log((1-eta)(L-1)/eta)/(2g).
  domain all L >= 2, all real logits of range g > 0, all T > 0
  by shift, scaling, permutation, the Lipschitz constant 1/(2T)
  use odds
  given g > 0
  says log((L - 1) c/rest)/(2 g) <= 1/(2 T)
  link odds(m, (mean - m)/(1 - m)) + exp(2 g left1) = exp(2 g right1)
block entries
  domain all L, all real logits, all T > 0
  by scaling, permutation
  use softmax
proved softmax-largest-entry
  text No entry of softmax's Jacobian at temperature T exceeds 1/(4T).
  use entries
  says max(max(i: p_i (1 - p_i)), max(i, j != i: p_i p_j))/T <= 1/(4 T)
  piece diagonal(x) = 1/4 - x (1 - x)
  piece other(x, y) = 1/4 - x y (1 - x)
  link min(i: diagonal(p_i)) + T left1 = T right1
  link min(i, j != i: other(p_i, p_j/sum(k != i: p_k))) + max(i, j != i: p_i p_j) = T right1 if L >= 2
proved softmax-half-over-temperature
  text Softmax's Jacobian at temperature T has l_p norm at most 1/(2T), p in {1, 2, inf}.
  use entries
  with column_i = p_i (1 - p_i) + sum(j != i: p_i p_j)
  says l_2: spectral(p, p)/T <= 1/(2 T)
  says l_1 and l_inf: max(i: column_i)/T <= 1/(2 T)
  piece room(x) = 1/2 - 2 x (1 - x)
  link min(i: room(p_i)) + T left2 = T right2
  link right2 - left2 <= right1 - left1
proved softmax-spectral-bounds
  text The largest eigenvalue of diag p - p p^T lies between ell(p1, p2) and p1 (1 - p1 + p2) <= 1/2.
  domain all weights, 2 <= L <= 5; p1 (1 - p1 + p2) <= 1/2 for all L
  longest 5
  by permutation
  use softmax
  given L >= 2
  with p1 = p_top
  with p2 = p_next
  with rest = sum(i != top != next: p_i)
  with B = 2 p1 p2 + rest (p1 + p2)
  with ell = (B + sqrt(B^2 - 4 p1 p2 rest))/2
  with U = p1 (1 - p1 + p2)
  with lambda = spectral(p, p)
  says floor: ell <= lambda
  says ceiling: lambda <= U
  says half: U <= 1/2
  piece half(x, y) = 1/2 - x/(1 + y) + (x/(1 + y))^2 (1 - y)
  piece ceiling(t) = sum(i: p_i product(j != i: U + t - p_j))
  piece floor(t) = sum(i != top != next: p_i/(p2 + (p1 - p2) t - p_i) - p_i/(p2 + (p1 - p2) t))
  link half(p1 + p2, p2/p1) + left3 = right3
  link ceiling(2) = product(i: right2 + 2 - p_i) sum(i: p_i/(right2 + 2 - p_i)) if L <= 5
  link sum(i != top: p_i/(left2 - p_i)) = p1/(p1 - left2) if l_top > l_next
  link floor((right1 - p2)/(p1 - p2)) + rest/right1 + p2/(right1 - p2) = p1/(p1 - right1) if l_top > l_next
  link rest/left1 + p2/(left1 - p2) = p1/(p1 - left1) if l_top > l_next
proved weights-diameter
  text Two rows of weights differ by at most sqrt2.
  domain all L, all weights
  by permutation
  use simplex
  given a'_i >= 0 and sum(i: a'_i) = 1
  says sqrt(sum(i: (a_i - a'_i)^2)) <= sqrt(2)
  piece token(x, y) = x + y - (x - y)^2
  link sum(i: token(a_i, a'_i)) + left1^2 = right1^2
proved perturbation-input-distance
  text The two logit vectors of the observation differ by sqrt5 |e|.
  domain all L >= 2, all real a and e
  by scaling
  given L >= 2
  with a = l_before
  with e = l_last - l_before
  says sqrt((a - (a + 2 e))^2 + (a + e - a)^2) = sqrt(5) * |e|
  identity (a - (a + 2 e))^2 + (a + e - a)^2 = 5 e^2
  link left1^2 = (a - (a + 2 e))^2 + (a + e - a)^2
  link right1^2 = 5 e^2
proved expected-squared-distance
  text The expected sum of squared distances over random index sets has a closed form in two sums of the tokens.
  domain all weights and tokens of any d, 2 <= L <= 8, 1 <= N <= L
  longest 8
  by permutation, coordinates
  use selection
  given 2 <= L and L <= 8
  with y_i = a_i x_i
  with s = sum(i in I: y_i)
  with B2 = sum(i: |y_i|^2)
  with all = |sum(i: y_i)|^2
  says mean(I: sum(i not in I: |y_i - s|^2)) = (L - N)/L ((N + 1) B2 + N (N - 3)/(L - 1) (all - B2))
  identity mean(I: sum(i not in I: |y_i - s|^2)) = (L - N)/L ((N + 1) B2 + N (N - 3)/(L - 1) (all - B2))
)";
// softmax-spectral-bounds: det(z - diag p + p p^T) = z sum_i p_i prod_{j != i} (z - p_j) has its largest root lambda_1
// in [p2, p1], simple where p1 > p2: where it is nowhere negative on [U, U + 1], which holds 1 >= p1, lambda_1 <= U.
// lambda_1 and ell are the roots in (p2, p1) of p1/(p1-z) - p2/(z-p2) = h(z) with h = sum_{j>=3} p_j/(z-p_j), and with
// all p_j, j >= 3, at 0; the left side increases in z and h falls, so that the larger h has the larger root.
// softmax-half-over-temperature: ||A||_2^2 <= ||A||_1 ||A||_inf for the symmetric A = T J.

Statements read(const std::string& source) {
  Statements all;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size()), space = line.find(' ', begin);
    if (begin == line.size()) continue;
    const std::string word = line.substr(begin, space - begin), rest = line.substr(space + 1);
    if (const std::size_t along = rest.find(" along "); begin == 0) {
      all.push_back({along < rest.size() ? word + " along" : word, rest.substr(0, along), {}});
      if (along < rest.size()) all.back().lines["family"] = {rest.substr(along + 7)};
    } else if (word == "use") {
      const Statement block = of(all, "block", rest).at(0);
      for (const auto& [what, texts] : block.lines)
        all.back().lines[what].insert(all.back().lines[what].end(), texts.begin(), texts.end());
    } else {
      all.back().lines[word].push_back(rest);
    }
  }
  return all;
}

const Statements& statements() {
  static const Statements all = read(statements_text);
  return all;
}

std::string Statement::text() const {
  std::string line;
  for (const auto& [word, before] : {std::pair("given", "for "), std::pair("constant", "constant "),
                                     std::pair("with", "with "), std::pair("says", "")}) {
    const std::string separator = line.empty() ? "" : "; ";
    for (std::size_t k = 0; k < texts(word).size(); ++k) line += (k > 0 ? ", " : separator + before) + texts(word)[k];
  }
  return line;
}

Statements of(const Statements& believed, const std::string& kind, const std::optional<std::string>& claim) {
  Statements found = believed;
  std::erase_if(found, [&](const Statement& s) { return s.kind != kind || s.claim != claim.value_or(s.claim); });
  return found;
}

}  // namespace attncert::check
