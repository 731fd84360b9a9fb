// Judging a certificate: its claim, domain, reductions and pieces are those of proofs.cpp, and on every leaf of its cuts
// the slack is certainly nonnegative. The cuts make boxes out of [0,1]^k, so that the leaves leave nothing out.
//
// The sign on a leaf: with x_k = (low + high y)/(1 + y) the leaf, but for its upper faces, is the image of all y >= 0. A
// polynomial in x, times a power of each 1 + y_k, is one in y; when no coefficient of that is negative neither is a value.
// Its upper faces follow as limits, and so does every point where a denominator, nowhere negative, vanishes.
#include <algorithm>
#include <span>
#include <utility>

#include "check/judge.hpp"

namespace attncert::check {
namespace {

constexpr std::size_t most_cuts =
    255;  // 128 leaves of a piece, a minute at most; those that are needed so far are 1 or 2

using Box = std::vector<std::pair<Rational, Rational>>;

bool nonnegative(Polynomial polynomial, const Box& box) {
  for (std::size_t k = 0; k < box.size(); ++k) {
    const Polynomial y = Polynomial::variable(k), side = box[k].first + box[k].second * y, whole = 1 + y;
    unsigned degree = 0;
    for (const auto& term : polynomial.terms) degree = std::max(degree, term.first[k]);
    Polynomial image;
    for (unsigned power = 0; power <= degree; ++power) {
      Polynomial times = 1;  // (low + high y)^power (1 + y)^(degree - power), for x_k^power
      for (unsigned factor = 0; factor < degree; ++factor) times = times * (factor < power ? side : whole);
      for (const auto& [exponents, coefficient] : polynomial.terms) {
        Exponents others = exponents;
        if (std::exchange(others[k], 0) == power) image += Polynomial(others, coefficient) * times;
      }
    }
    polynomial = image;
  }
  return std::all_of(polynomial.terms.begin(), polynomial.terms.end(),
                     [](const auto& term) { return term.second > 0; });
}

std::string text(const Box& box) {
  std::string line;
  for (const auto& [low, high] : box) line += (line.empty() ? "[" : " x [") + to_text(low) + ", " + to_text(high) + "]";
  return line;
}

// Takes the tree of the box from the front of the cuts, in preorder, and gives the number of its leaves, each verified.
std::size_t require_nonnegative(const Piece& piece, const Quotient& slack, Box box,
                                std::span<const std::size_t>& cuts) {
  require(!cuts.empty(), piece.name + ": boxes are left without a leaf");
  const std::size_t cut = cuts.front();
  cuts = cuts.subspan(1);
  if (cut == 0) {
    require(nonnegative(slack.below, box) && nonnegative(slack.above, box),
            piece.name + ": the sign is not seen on the leaf " + text(box));
    return 1;
  }
  require(cut <= box.size(), piece.name + ": a cut across a coordinate that is not there");
  auto& [low, high] = box[cut - 1];
  const Rational middle = (low + high) / 2, end = std::exchange(high, middle);
  const std::size_t leaves = require_nonnegative(piece, slack, box, cuts);
  low = middle;
  high = end;
  return leaves + require_nonnegative(piece, slack, box, cuts);
}

std::size_t require_piece(const Piece& piece, std::span<const std::size_t> cuts) {
  std::vector<Quotient> x;
  for (std::size_t k = 0; k < piece.coordinates; ++k) x.emplace_back(Polynomial::variable(k));
  const Quotient slack = piece.slack(x);
  require(!slack.below.terms.empty(), piece.name + ": the slack divides by 0");
  if (piece.identity) {
    require(cuts.empty(), piece.name + ": an identity is not cut");
    require(slack.above.terms.empty(), piece.name + ": the identity does not hold");
    return 0;
  }
  require(cuts.size() <= most_cuts, piece.name + ": more than 255 cuts are not judged");
  const std::size_t leaves = require_nonnegative(piece, slack, Box(piece.coordinates, {0, 1}), cuts);
  require(cuts.empty(), piece.name + ": cuts are left over when every box is a leaf");
  return leaves;
}

}  // namespace

std::string proved_by(const Certificate& certificate) {
  std::size_t leaves = 0;
  for (const Proof& proof : proofs()) {
    if (certificate.claim != proof.claim) continue;
    require(certificate.domain == proof.domain, std::string("the domain is not \"") + proof.domain + "\"");
    require(certificate.reductions == proof.reductions, "the reductions are not those of this claim");
    require(certificate.pieces.size() == proof.pieces.size(), "a piece is missing or one too many");
    for (std::size_t i = 0; i < proof.pieces.size(); ++i) {
      require(certificate.pieces[i].name == proof.pieces[i].name, "piece " + proof.pieces[i].name + " is not there");
      leaves += require_piece(proof.pieces[i], certificate.pieces[i].cuts);
    }
    return certificate.claim + " is proved: " + proof.domain + " (" + std::to_string(leaves) + " leaves)";
  }
  throw Rejected{"this checker knows no proof of the claim (--help lists them)"};
}

}  // namespace attncert::check
