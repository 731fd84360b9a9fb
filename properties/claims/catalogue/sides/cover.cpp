#include "properties/claims/catalogue/sides/cover.hpp"

namespace attncert::sides {

Quotient weight_of_one(Point x) {
  const TwoMeans F(x);
  return F.some * x[3] / (F.some * x[3] + F.others);
}

std::vector<CoverPiece> odds_pieces() {
  return {{.name = "odds", .coordinates = 2, .slack = [](Point x) { return 1 / x[0] - 1 / from(x[0], x[1]); }}};
}

std::vector<Quotient> ordered_weights(std::size_t length, Point x) {
  std::vector<Quotient> p(length, Quotient(0));
  Quotient left = 1;
  for (std::size_t k = 0; k < length; ++k) {
    const Quotient piece = k + 1 < length ? left * x[k] : left;
    for (std::size_t i = 0; i <= k; ++i) p[i] = p[i] + piece * ratio(1, k + 1);
    if (k + 1 < length) left = left * (1 - x[k]);
  }
  return p;
}

}  // namespace attncert::sides
