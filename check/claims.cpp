#include "check/claims.hpp"

namespace attncert::check {

std::span<const Claim> claims() {
  static constexpr Claim table[] = {
      {"theorem1-upper", theorem1_upper, nullptr},
      {"distance-upper", distance_upper, nullptr},
      {"distance-two-sided", distance_two_sided, nullptr},
      {"theorem1-collapse", nullptr, theorem1_collapse},
      {"theorem2-lower", theorem2_lower, nullptr},
      {"theorem2-upper", theorem2_upper, nullptr},
      {"theorem2-eighty-percent", theorem2_eighty_percent, nullptr},
      {"lemma2-first-term", lemma2_first_term, nullptr},
      {"lemma2-sqrt2-cap", lemma2_sqrt2_cap, nullptr},
      {"softmax-quarter-over-temperature", softmax_quarter_over_temperature, nullptr},
      {"softmax-half-over-temperature", softmax_half_over_temperature, nullptr},
      {"softmax-largest-entry", softmax_largest_entry, nullptr},
      {"weights-order-sharp", weights_order_sharp, nullptr},
      {"lemma1-any-normalizer", nullptr, lemma1_any_normalizer},
  };
  return table;
}

}  // namespace attncert::check
