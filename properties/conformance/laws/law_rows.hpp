// Shared by the files of laws: drawn rows, and a kernel's outputs with the slack that the budget leaves to each.
// Private to properties/conformance/laws.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "properties/conformance/accuracy/guarded_call.hpp"
#include "properties/conformance/accuracy/rows.hpp"
#include "properties/conformance/laws/law_check.hpp"
#include "properties/conformance/laws/optimality.hpp"
#include "properties/conformance/rows/masks.hpp"
#include "properties/conformance/rows/temperatures.hpp"
#include "src/core/counter.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::laws {

inline constexpr std::size_t longest = 200;  // several vectors, blocks and a tail on every instruction set

// Parameters, and an upstream gradient where there is one.
void draw_rest(LawChoices& choices, const Subject& subject, const attncert_kernel& kernel, LogitRow& row);
LogitRow draw_row(LawChoices& choices, const Subject& subject, const attncert_kernel& kernel);
inline bool ordinary(const LogitRow& row) { return kind(row) == RowKind::ordinary; }

// An output of a kernel, and a slack >= |value - exact| that needs only the value: slack = 2 B ulp(value). The budget
// of B ulp(exact) is less than half of the exact value, so that lies at most one binade higher and ulp(exact) <= 2
// ulp(value). (Among subnormals both units are equal.)
struct Output {
  double value = 0;
  long double slack = 0;
};
std::vector<Output> outputs(const Subject& subject, const attncert_kernel& kernel, const LogitRow& row);
std::vector<double> values(const attncert_kernel& kernel, const LogitRow& row);

// Thrown when a valid call was refused or ended the kernel's process, so that it shows nothing about a law. check_law
// catches it; no other folder sees it.
struct NoAnswer {
  attncert_status status;
};
// Thrown for an ordinary row that the kernel's contract takes out of the formula, and with it out of the laws.
struct OutOfTheFormula {};
// guarded_call of a valid call.
GuardedOutcome answered(const attncert_kernel& kernel, const LogitRow& batch, std::size_t rows = 1,
                        const Layout& layout = {});

// Whether some exact value is within the slack of both outputs.
bool may_agree(const Output& a, const Output& b, const attncert_kernel& kernel);
bool same_bits(double a, double b);                      // equal, or both NaN
bool fits(const attncert_kernel& kernel, double value);  // the input type holds it exactly

std::string pair_text(const std::string& what, std::size_t i, double a, double b);

inline const LawOutcome vacuous{LawOutcome::Kind::vacuous, ""};
inline const LawOutcome kept{LawOutcome::Kind::kept, ""};
inline LawOutcome violated(std::string reason) { return {LawOutcome::Kind::violated, std::move(reason)}; }
inline LawOutcome undecided(std::string reason) { return {LawOutcome::Kind::undecided, std::move(reason)}; }
LawOutcome told(const OptimalityVerdict& verdict);

}  // namespace attncert::laws
