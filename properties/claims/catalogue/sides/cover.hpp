// Coordinates that several covers share. A piece is a quotient of polynomials on [0,1]^k; what is quantified is a
// function of the coordinates that reaches the whole domain.
#pragma once

#include <vector>

#include "properties/claims/claim.hpp"

namespace attncert::sides {

using Quotient = PolynomialQuotient;
using Point = std::span<const PolynomialQuotient>;

inline Quotient from(const Quotient& least, const Quotient& share) { return least + (1 - least) * share; }  // to 1

// A separable positive F (docs/specification.md#lemma1), scaled so that max F = 1: some tokens of mean `some`, the
// others of mean `others`, both anything from min F = 1/R to 1. x = {1/R, and where the two means lie}.
struct TwoMeans {
  Quotient floor, some, others;
  explicit TwoMeans(Point x) : floor(x[0]), some(from(x[0], x[1])), others(from(x[0], x[2])) {}
};

// The weight of one token against 1/x[3] others.
Quotient weight_of_one(Point x);

// log((L-1) p1/(1-p1)) <= range / T, exponentiated: p1/(1-p1) = 1 / sum over j >= 2 of exp(-(l_1 - l_j)/T), a mean
// between floor = exp(-range/T) and 1. x = {floor, where the mean lies}; slack = 1/floor - 1/mean.
std::vector<CoverPiece> odds_pieces();

// Weights p_1 >= p_2 >= ... >= p_L of sum 1 from L - 1 coordinates: t_k = p_k - p_{k+1} times k is what is broken off a
// stick.
std::vector<Quotient> ordered_weights(std::size_t length, Point x);

}  // namespace attncert::sides
