// Whole instances drawn from a tape, each serving several claims. Sizes follow docs/specification.md#instances: mostly
// L <= 8.
#pragma once

#include "properties/claims/instances/instance.hpp"
#include "src/core/tape.hpp"

namespace attncert {

Instance free_selection(Choices& choices);          // any tokens, weights, the top N
Instance any_selection(Choices& choices);           // the same with any N indices selected
Instance unnormalized_selection(Choices& choices);  // the same, the weights now and then of any sum
Instance spherical_selection(
    Choices& choices);  // distinct tokens on a sphere, weights, the top N; N <= L - 1 where L > 1
Instance equiangular_selection(Choices& choices);  // equal inner products, and a spherical_selection now and then
Instance axial_selection(Choices& choices);  // an equiangular frame and a token on its axis; the former now and then
Instance logit_row(Choices& choices);        // logits and a temperature
Instance logit_pair(Choices& choices);       // a logit_row and a second row: near, far, mirrored, or on few coordinates
Instance ruled_pair(Choices& choices);       // a logit_pair and the numbers of every rule that has one
Instance weight_row(Choices& choices);       // weights alone: any, or one token above many equal ones
Instance separable_row(Choices& choices);    // values F > 0 and derivatives dF at the logits
Instance separable_pair(Choices& choices);   // two rows of logits and the values of one F > 0 at them
Instance weight_pair(Choices& choices);      // two rows of weights, now and then next to or at different vertices
Instance raised_row(
    Choices& choices);  // logits (0, .., 0, a, a + e) and a temperature, L >= 2; a = 0 in every second row

// Where a ruled_pair has what: the scale s of SSMax, the bias b of sigmoid weights and the count k of top-k softmax.
namespace parameter {
enum Index : std::size_t { scale, bias, kept, count };
}

}  // namespace attncert
