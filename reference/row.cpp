#include "reference/row.hpp"

#include <cmath>

namespace attncert {

bool LogitRow::present(std::size_t i) const { return visible(i) && logits[i] != -HUGE_VAL; }

RowKind kind(const LogitRow& row) {
  if (row.logits.empty()) return RowKind::empty;
  if (!(row.temperature > 0) || !std::isfinite(row.temperature)) return RowKind::bad_temperature;
  bool nan = false, infinite = false, finite = false;
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    if (!row.visible(i)) continue;
    nan = nan || std::isnan(row.logits[i]);
    infinite = infinite || row.logits[i] == HUGE_VAL;
    finite = finite || std::isfinite(row.logits[i]);
    if (!row.upstream.empty() && row.present(i)) nan = nan || !std::isfinite(row.upstream[i]);
  }
  if (nan) return RowKind::has_nan;
  if (infinite) return RowKind::has_infinity;
  return finite ? RowKind::ordinary : RowKind::nothing_visible;
}

}  // namespace attncert
