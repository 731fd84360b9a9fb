// How the plain kernels treat degenerate rows: the default contract (docs/contracts.md). A fault may replace each part.
#pragma once

#include <string_view>

#include "properties/conformance/faults/plain_kernel.hpp"

namespace attncert::plain {

struct Contract {
  RowFunction nan;       // a present NaN, or a derivative whose upstream is not finite where the logit is present
  RowFunction infinite;  // +inf at a present entry; unset: the formula applies
  RowFunction empty;     // nothing present
};
Contract default_contract(std::string_view normalizer);
// The default one, but for rows of one kind: changed_contract("softmax", &Contract::empty, all_nan).
Contract changed_contract(std::string_view normalizer, RowFunction Contract::*part, RowFunction treated);

// A row function that treats degenerate rows by `contract` and other rows by `ordinary`.
RowFunction guarded(Contract contract, RowFunction ordinary);

void all_nan(Row& row);
void all(Row& row, Real value);

}  // namespace attncert::plain
