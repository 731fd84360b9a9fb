// Two pictures of a run as inline SVG. Colours are CSS classes of html.cpp, so that they follow light and dark.
#pragma once

#include <string>

#include "reports/ledger.hpp"

namespace attncert::report {

std::string tightness_chart(const Ledger& ledger);  // largest lhs/rhs per claim; "" when no claim has one
std::string outcome_chart(const Ledger& ledger);  // what became of the instances, per claim; "" when nothing was tried

}  // namespace attncert::report
