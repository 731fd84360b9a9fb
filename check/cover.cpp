// Judging a certificate: its claim, domain, reductions and pieces are those of proofs.cpp, and on every leaf of its cuts
// the slack is certainly nonnegative. The cuts make boxes out of [0,1]^k, so that the leaves leave nothing out.
//
// The sign on a leaf: with x_k = (low + high y)/(1 + y) the leaf, but for its upper faces, is the image of all y >= 0. A
// polynomial in x, times a power of each 1 + y_k, is one in y; when no coefficient of that is negative neither is a value.
#include <algorithm>
#include <utility>

#include "check/proofs.hpp"

namespace attncert::check {
namespace {

using Box = std::vector<std::pair<Rational, Rational>>;

// The coefficients of (low + high y)^power (1 + y)^(degree - power).
std::vector<Rational> image(const std::pair<Rational, Rational>& side, std::size_t power, std::size_t degree) {
  std::vector<Rational> product{1};
  for (std::size_t factor = 0; factor < degree; ++factor) {
    const Rational low = factor < power ? side.first : Rational(1), high = factor < power ? side.second : Rational(1);
    product.push_back(0);
    for (std::size_t j = product.size(); j-- > 0;)
      product[j] = product[j] * low + (j > 0 ? Rational(product[j - 1] * high) : Rational(0));
  }
  return product;
}

bool nonnegative(Polynomial polynomial, const Box& box) {
  for (std::size_t k = 0; k < box.size(); ++k) {
    std::size_t degree = 0;
    for (const auto& term : polynomial.terms) degree = std::max<std::size_t>(degree, term.first[k]);
    Polynomial next;
    for (const auto& [old, coefficient] : polynomial.terms) {
      Exponents exponents = old;
      const std::vector<Rational> powers = image(box[k], old[k], degree);
      for (unsigned j = 0; j <= degree; ++j) {
        exponents[k] = j;
        next.add(exponents, coefficient * powers[j]);
      }
    }
    polynomial = next;
  }
  return std::all_of(polynomial.terms.begin(), polynomial.terms.end(),
                     [](const auto& term) { return term.second > 0; });
}

std::string text(const Box& box) {
  std::string line;
  for (const auto& [low, high] : box) line += (line.empty() ? "[" : " x [") + to_text(low) + ", " + to_text(high) + "]";
  return line;
}

// The number of leaves, each of them verified.
std::size_t require_covered(const Piece& piece, const std::vector<std::size_t>& cuts) {
  std::vector<Quotient> x;
  for (std::size_t k = 0; k < piece.coordinates; ++k) x.emplace_back(Polynomial::variable(k));
  const Quotient slack = piece.slack(x);
  require(!slack.below.terms.empty(), piece.name + ": the slack divides by 0");
  if (piece.identity) {
    require(cuts.empty(), piece.name + ": an identity is not cut");
    require(slack.above.terms.empty(), piece.name + ": the identity does not hold");
    return 0;
  }
  std::vector<Box> open{Box(piece.coordinates, {0, 1})};
  std::size_t leaves = 0;
  for (const std::size_t cut : cuts) {
    require(!open.empty(), piece.name + ": cuts are left over when every box is a leaf");
    Box box = open.back();
    open.pop_back();
    if (cut == 0) {
      require(nonnegative(slack.below, box) && nonnegative(slack.above, box),
              piece.name + ": the sign is not seen on the leaf " + text(box));
      ++leaves;
      continue;
    }
    require(cut <= piece.coordinates, piece.name + ": a cut across a coordinate that is not there");
    auto& [low, high] = box[cut - 1];
    const Rational middle = (low + high) / 2, end = std::exchange(low, middle);
    open.push_back(box);
    open.back()[cut - 1] = {middle, high};
    box[cut - 1] = {end, middle};
    open.push_back(box);
  }
  require(open.empty(), piece.name + ": boxes are left without a leaf");
  return leaves;
}

std::string decide(const Certificate& certificate) {
  std::size_t leaves = 0;
  for (const Proof& proof : proofs()) {
    if (certificate.claim != proof.claim) continue;
    require(certificate.domain == proof.domain, std::string("the domain is not \"") + proof.domain + "\"");
    require(certificate.reductions == proof.reductions, "the reductions are not those of this claim");
    require(certificate.pieces.size() == proof.pieces.size(), "a piece is missing or one too many");
    for (std::size_t i = 0; i < proof.pieces.size(); ++i) {
      require(certificate.pieces[i].name == proof.pieces[i].name, "piece " + proof.pieces[i].name + " is not there");
      leaves += require_covered(proof.pieces[i], certificate.pieces[i].cuts);
    }
    return certificate.claim + " is proved: " + proof.domain + " (" + std::to_string(leaves) + " leaves)";
  }
  throw Rejected{"this checker knows no proof of the claim (--help lists them)"};
}

}  // namespace

Verdict judge(const Certificate& certificate) {
  try {
    return {true, "accepted: " + decide(certificate)};
  } catch (const Rejected& rejected) {
    return {false, "rejected: " + rejected.why};
  }
}

}  // namespace attncert::check
