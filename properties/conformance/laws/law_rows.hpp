// What the law files share: rows drawn for them, outputs of a kernel with the slack that its budget leaves to each.
// Private to properties/conformance/laws.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "properties/conformance/accuracy/guarded_call.hpp"
#include "properties/conformance/accuracy/rows.hpp"
#include "src/core/counter.hpp"
#include "properties/conformance/rows/masks.hpp"
#include "properties/conformance/rows/temperatures.hpp"
#include "properties/conformance/laws/law_check.hpp"
#include "properties/conformance/laws/optimality.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::laws {

inline constexpr std::size_t longest = 200;  // several vectors, blocks and a tail on every instruction set

LogitRow draw_row(Choices& choices, const Subject& subject, const attncert_kernel& kernel);
inline bool ordinary(const LogitRow& row) { return kind(row) == RowKind::ordinary; }

// An output of a kernel and a bound of |value - exact| read off it: B ulp of the exact value are less than half of it (or
// both lie among the subnormals, where the unit is the same), so the exact value is at most one binade above the computed
// one and its unit at most twice the computed one's.
struct Output {
  double value = 0;
  long double slack = 0;
};
std::vector<Output> outputs(const Subject& subject, const attncert_kernel& kernel, const LogitRow& row);
std::vector<double> values(const attncert_kernel& kernel, const LogitRow& row);

// A valid call that was refused, or that ended with the kernel's process: it tells nothing of a law. Thrown within this folder
// only; check_law catches it.
struct NoAnswer {
  attncert_status status;
};
// guarded_call of a valid call.
GuardedOutcome answered(const attncert_kernel& kernel, const LogitRow& batch, std::size_t rows = 1,
                        const Layout& layout = {});

// Whether two outputs may be of one exact value: each within its slack of it.
bool may_agree(const Output& a, const Output& b, const attncert_kernel& kernel);
bool same_bits(double a, double b);                      // equal, or both NaN
bool fits(const attncert_kernel& kernel, double value);  // the input type holds it exactly

std::string pair_text(const std::string& what, std::size_t i, double a, double b);

inline const LawOutcome vacuous{LawOutcome::Kind::vacuous, ""};
inline const LawOutcome kept{LawOutcome::Kind::kept, ""};
inline LawOutcome violated(std::string reason) { return {LawOutcome::Kind::violated, std::move(reason)}; }
inline LawOutcome undecided(std::string reason) { return {LawOutcome::Kind::undecided, std::move(reason)}; }
LawOutcome told(const OptimalityVerdict& verdict);

// The checks, one file each.
LawOutcome sums_to_one(const Subject&, const attncert_kernel&, Choices&);
LawOutcome sums_to_zero(const Subject&, const attncert_kernel&, Choices&);
LawOutcome exponentials_sum_to_one(const Subject&, const attncert_kernel&, Choices&);
LawOutcome nonnegative(const Subject&, const attncert_kernel&, Choices&);
LawOutcome nonpositive(const Subject&, const attncert_kernel&, Choices&);
LawOutcome shift_invariant(const Subject&, const attncert_kernel&, Choices&);
LawOutcome scale_invariant(const Subject&, const attncert_kernel&, Choices&);
LawOutcome permutation_equivariant(const Subject&, const attncert_kernel&, Choices&);
LawOutcome monotone(const Subject&, const attncert_kernel&, Choices&);
LawOutcome ties_equal(const Subject&, const attncert_kernel&, Choices&);
LawOutcome mask_is_removal(const Subject&, const attncert_kernel&, Choices&);
LawOutcome linear_in_upstream(const Subject&, const attncert_kernel&, Choices&);
LawOutcome split_and_merge(const Subject&, const attncert_kernel&, Choices&);
LawOutcome optimal(const Subject&, const attncert_kernel&, Choices&);
LawOutcome rows_independent(const Subject&, const attncert_kernel&, Choices&);
LawOutcome layout_independent(const Subject&, const attncert_kernel&, Choices&);
LawOutcome repeatable(const Subject&, const attncert_kernel&, Choices&);
LawOutcome refuses_bad_calls(const Subject&, const attncert_kernel&, Choices&);
LawOutcome environment_kept(const Subject&, const attncert_kernel&, Choices&);

}  // namespace attncert::laws
