#include "properties/dumps/not_finite_cases.hpp"

#include <limits>

namespace attncert {

std::vector<CaseInputs> not_finite_cases(CaseMaker& maker) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  std::vector<CaseInputs> made;
  if (!maker.wants("propagates-nan")) return made;
  const auto another = [&]() -> CaseInputs& {
    made.push_back(maker.plain(3, 70));
    made.back().kv_heads = made.back().heads;  // rows of the other head are judged
    maker.draw(made.back());
    return made.back();
  };
  CaseInputs& query = another();  // the second row of the first head
  query.q[query.size + maker.below(query.size)] = nan;
  CaseInputs& key = another();  // beyond a block of 64
  key.k[66 * key.size] = nan;
  for (const double value : {nan, infinity, -infinity}) {
    CaseInputs& in = another();
    in.v[2 * in.value_size] = value;  // the first channel of the third key
  }
  if (maker.wants("bias")) {
    CaseInputs& bias = another();
    bias.bias = maker.normals(bias.queries * bias.keys);
    bias.bias[bias.keys + 1] = nan;
  }
  return made;
}

}  // namespace attncert
