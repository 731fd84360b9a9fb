// The lists that faults.cpp joins, one file per family, and functions that make their entries. Private to
// properties/conformance/faults.
#pragma once

#include <initializer_list>
#include <vector>

#include "properties/conformance/faults/faults.hpp"
#include "properties/conformance/faults/plain_kernel.hpp"

namespace attncert::plain {

inline constexpr attncert_dtype f32 = ATTNCERT_F32, f64 = ATTNCERT_F64, f16 = ATTNCERT_F16, bf16 = ATTNCERT_BF16;

using CallFunction = std::function<attncert_status(const attncert_arguments&, const PlainKernel&)>;

// name: without the prefix "fault.".
Fault fault(const char* name, const char* normalizer, attncert_dtype dtype, const char* text, const char* imitates,
            RowFunction row, CallFunction call = {});
Fault softmax_fault(const char* name, const char* text, const char* imitates, CallFunction call);  // f32, right rows
Fault seen_by(Fault fault, const char* check);
Fault seen_on(Fault fault, const char* case_name);
Fault right(const char* name, const char* normalizer, attncert_dtype dtype, const char* text, RowFunction row,
            const char* budget = nullptr);

// exponential_in rounds exp to a narrow type. exponential_within only overflows and underflows where that type does, so
// that a fault shows by the range alone.
std::function<Real(Real)> exponential_in(attncert_dtype dtype);
std::function<Real(Real)> exponential_within(attncert_dtype dtype);
Real within(attncert_dtype dtype, Real value);

// The faults of each list, one list behind the other.
std::vector<Fault> joined(std::initializer_list<std::vector<Fault> (*)()> lists);

std::vector<Fault> softmax_flaws();
std::vector<Fault> mask_flaws();
std::vector<Fault> log_softmax_flaws();
std::vector<Fault> relatives_flaws();
std::vector<Fault> sparse_flaws();
std::vector<Fault> separable_flaws();
std::vector<Fault> gradient_flaws();
std::vector<Fault> half_flaws();
std::vector<Fault> abi_flaws();
std::vector<Fault> range_flaws();  // rows of fixed regimes see none of them
// They take the process with them, or only a process of their own shows them: crashes, endless loops, reads and writes
// far outside the buffers, changed inputs. Never run them in the process of a test.
std::vector<Fault> isolated_flaws();
std::vector<Fault> unusual_softmax();
std::vector<Fault> unusual_others();
// Members of classes of budgets that nearly use them, and kernels that only just exceed theirs.
std::vector<Fault> class_members();
std::vector<Fault> class_faults();

}  // namespace attncert::plain
