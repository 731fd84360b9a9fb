// z_i = z_j implies p_i = p_j, bit for bit: a kernel does the same arithmetic wherever an entry stands in its row.
#include <map>

#include "properties/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome ties_equal(const Subject&, const attncert_kernel& kernel, Choices& choices) {
  return by_type(kernel, [&]<class T>(T) {
    const Row<T> row = draw_row<T>(choices);
    if (!ordinary(row)) return vacuous;
    const auto weights = outputs(kernel, row);
    std::map<T, std::size_t> first;  // -0 and 0 are one logit
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto [at, fresh] = first.try_emplace(row.logits[i], i);
      if (!fresh && weights[i] != weights[at->second])
        return violated(pair_text("tied logits differ", i, weights[at->second], weights[i]));
    }
    return first.size() == weights.size() ? vacuous : kept;
  });
}

}  // namespace attncert::laws
