// What the plain kernels do with rows that the formula says nothing about: the default contract (docs/contracts.md), each
// sentence of which a fault may replace.
#pragma once

#include <string_view>

#include "properties/conformance/faults/plain_kernel.hpp"

namespace attncert::plain {

struct Contract {
  RowFunction nan;       // a present NaN, or a derivative whose upstream is not finite where the logit is present
  RowFunction infinite;  // +inf among the present; empty: the formula itself serves
  RowFunction empty;     // nothing present
};
Contract default_contract(std::string_view normalizer);

// The row function behind a contract; `contract` as the default one with some sentences replaced.
RowFunction guarded(Contract contract, RowFunction ordinary);

void all_nan(Row& row);
void all(Row& row, Real value);

}  // namespace attncert::plain
