// The observation of arXiv 2508.17821 on (0, .., 0, a, a+e) and (0, .., 0, a+2e, a)
// (docs/specification.md#observation): the instance holds the first row, its last two logits say what a and e are.
#pragma once

#include <vector>

#include "properties/claims/claim.hpp"

namespace attncert::sides {

Rational raised_logit(const Instance& instance);  // a
Rational perturbation(const Instance& instance);  // e
std::vector<Rational> perturbed_logits(const Instance& instance);

// ||J h|| at (0, .., 0, a, a), h = (0, .., 0, 2e, -e): by how much the weights differ to first order in e.
Interval first_order_distance(const Instance& instance, Precision precision);

Hypotheses perturbation_hypotheses();  // T > 0, L >= 2, e != 0, all other logits 0

}  // namespace attncert::sides
