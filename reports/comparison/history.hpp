// The numbers of many ledgers of one plan, over the commits that they are of.
#pragma once

#include <string>
#include <vector>

#include "reports/comparison/comparison.hpp"
#include "reports/document.hpp"

namespace attncert::report {

// By when they were started, whatever their order was.
std::vector<NamedLedger> in_order_of_time(std::vector<NamedLedger> ledgers);

// The same numbers as data: "attncert-history/1", a run each in `runs`.
std::string history_json(const std::vector<NamedLedger>& ledgers);

// ledgers: in their order of time, one at least. Tables of key numbers, a run a row or column, and charts of them.
Document history_document(const std::vector<NamedLedger>& ledgers);

}  // namespace attncert::report
