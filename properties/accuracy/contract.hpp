// The default contract on degenerate rows (docs/contracts.md), as a check of what a kernel did:
//   nothing visible (all masked or -inf) -> every entry absent (0; log-softmax -inf);  NaN visible -> the whole row NaN;
//   +inf visible -> uniform over the +inf entries;  temperature not positive and finite -> an error code, nothing written.
#pragma once

#include <span>
#include <string>

#include "properties/accuracy/judge.hpp"

namespace attncert {

// "" when the contract is kept, else what is wrong. Entries that were not written hold `untouched` (guarded_call.hpp).
template <class T>
std::string contract_violation(const Subject& subject, const LogitRow& row, attncert_status status,
                               std::span<const T> computed, double budget);

extern template std::string contract_violation<float>(const Subject&, const LogitRow&, attncert_status,
                                                      std::span<const float>, double);
extern template std::string contract_violation<double>(const Subject&, const LogitRow&, attncert_status,
                                                       std::span<const double>, double);

}  // namespace attncert
