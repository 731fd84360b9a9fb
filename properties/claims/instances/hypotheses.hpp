// Hypotheses: what a claim asks of an instance, in the words of the report and as an exact predicate. Those that
// several claims share stand here.
#pragma once

#include <string_view>
#include <vector>

#include "properties/claims/instances/instance.hpp"
#include "reference/truth.hpp"

namespace attncert {

struct Hypothesis {
  std::string_view text;
  Truth (*holds)(const Instance&);
};
using Hypotheses = std::vector<Hypothesis>;

namespace hypotheses {

extern const Hypothesis tokens_and_selection;   // 1 <= N <= L
extern const Hypothesis weights_on_simplex;     // a_i >= 0, sum exactly 1
extern const Hypothesis nonnegative_weights;    // a_i >= 0
extern const Hypothesis top_selection;          // every selected weight >= every unselected one
extern const Hypothesis at_least_two_tokens;    // L >= 2
extern const Hypothesis positive_mass;          // A > 0
extern const Hypothesis positive_weights;       // a_i > 0 for every i
extern const Hypothesis something_unselected;   // N <= L - 1
extern const Hypothesis on_a_sphere;            // equal squared norms, > 0
extern const Hypothesis distinct_tokens;        // delta > 0
extern const Hypothesis positive_radius;        // r > 0
extern const Hypothesis at_least_two_selected;  // N >= 2
extern const Hypothesis positive_temperature;   // T > 0
extern const Hypothesis positive_values;        // F > 0 at every logit
extern const Hypothesis values_with_slopes;     // the same, and F' is given beside it

}  // namespace hypotheses
}  // namespace attncert
