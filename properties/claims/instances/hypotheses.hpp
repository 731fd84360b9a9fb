// Hypotheses that several claims share, as exact predicates.
#pragma once

#include "properties/claims/instances/instance.hpp"
#include "reference/truth.hpp"

namespace attncert::hypotheses {

Truth has_tokens_and_selection(const Instance& instance);  // 1 <= N <= L
Truth weights_on_simplex(const Instance& instance);        // a_i >= 0, sum exactly 1
Truth top_selection(const Instance& instance);             // every selected weight >= every unselected one
Truth at_least_two_tokens(const Instance& instance);       // L >= 2
Truth positive_mass(const Instance& instance);             // A > 0
Truth positive_weights(const Instance& instance);          // a_i > 0 for every i
Truth something_unselected(const Instance& instance);      // N <= L - 1
Truth on_a_sphere(const Instance& instance);               // equal squared norms, > 0
Truth distinct_tokens(const Instance& instance);           // delta > 0
Truth positive_radius(const Instance& instance);           // r > 0
Truth at_least_two_selected(const Instance& instance);     // N >= 2
Truth positive_temperature(const Instance& instance);      // T > 0
Truth positive_values(const Instance& instance);           // F > 0 at every logit

}  // namespace attncert::hypotheses
