#include "properties/claims/certify/cover.hpp"

#include <vector>

namespace attncert {
namespace {

// Which half to cut: the coordinate whose halves lack least of nonnegative coefficients.
std::size_t best_coordinate(const BernsteinForm& box) {
  std::size_t best = 0;
  std::optional<Rational> least;
  for (std::size_t k = 0; k < box.variables(); ++k) {
    if (box.degree(k) == 0) continue;
    const auto [low, high] = box.halves(k);
    const Rational deficit = low.deficit() + high.deficit();
    if (!least || deficit < *least) {
      least = deficit;
      best = k;
    }
  }
  return best;
}

// The cuts in preorder; "" or why there are none.
std::string cut(const BernsteinForm& root, std::vector<std::size_t>& cuts, std::size_t most_boxes,
                std::size_t& leaves) {
  std::vector<BernsteinForm> open{root};
  for (std::size_t boxes = 0; !open.empty(); ++boxes) {
    if (boxes == most_boxes) return "not covered by " + std::to_string(most_boxes) + " boxes";
    const BernsteinForm box = std::move(open.back());
    open.pop_back();
    if (box.nonnegative()) {
      cuts.push_back(0);
      ++leaves;
      continue;
    }
    if (box.negative_at_a_corner()) return "negative at a corner of a box: it does not hold";
    const std::size_t k = best_coordinate(box);
    cuts.push_back(k + 1);
    auto [low, high] = box.halves(k);
    open.push_back(std::move(high));
    open.push_back(std::move(low));
  }
  return "";
}

std::string cover_piece(const CoverPiece& piece, std::vector<std::size_t>& cuts, std::size_t most_boxes,
                        std::size_t& leaves) {
  std::vector<PolynomialQuotient> x;
  for (std::size_t k = 0; k < piece.coordinates; ++k)
    x.emplace_back(Polynomial::variable(piece.coordinates, k), Polynomial(piece.coordinates, 1));
  const PolynomialQuotient slack = piece.slack(x);
  if (piece.identity) return slack.numerator.is_zero() ? "" : "not an identity";
  // Where the denominator vanishes the quotient is a limit of others: sign and limit are what is stated there.
  if (!BernsteinForm(slack.denominator).nonnegative() || slack.denominator.is_zero())
    return "the denominator is not seen to be nonnegative";
  return cut(BernsteinForm(slack.numerator), cuts, most_boxes, leaves);
}

}  // namespace

CoverResult cover(const Statement& statement, std::size_t most_boxes) {
  const Sided* const sided = statement.sided();
  ATTNCERT_ASSERT(sided != nullptr && sided->cover.has_value());
  const Cover& claimed = *sided->cover;
  CoverResult result;
  Certificate certificate{std::string(statement.id), std::string(claimed.domain), {}, {}, ""};
  for (const std::string_view reduction : claimed.reductions) certificate.reductions.emplace_back(reduction);
  for (const CoverPiece& piece : claimed.pieces()) {
    certificate.pieces.push_back({piece.name, {}});
    const std::string why_not = cover_piece(piece, certificate.pieces.back().cuts, most_boxes, result.leaves);
    if (why_not.empty()) continue;
    result.why_not = piece.name + ": " + why_not;
    return result;
  }
  result.certificate = std::move(certificate);
  return result;
}

}  // namespace attncert
