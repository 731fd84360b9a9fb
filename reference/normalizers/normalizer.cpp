#include "reference/normalizers/normalizer.hpp"

#include <cmath>

namespace attncert {

std::optional<LogitRow> uniform_over_infinities(const LogitRow& row, double level) {
  LogitRow uniform{row.logits, 1.0, row.mask, row.parameters, row.upstream};
  for (double& logit : uniform.logits) logit = logit == HUGE_VAL ? level : -HUGE_VAL;
  return uniform;
}

}  // namespace attncert
