// The one list of what there is to judge, and the one list of kernels that show whether the judges see anything.
#pragma once

#include <span>

#include "properties/conformance/accuracy/subject.hpp"
#include "properties/conformance/faults/faults.hpp"

namespace attncert {

JudgedSubjects judged_subjects();  // normalizers, then bounds

std::span<const Fault> all_faults();  // wrong ones that must be noticed, then right ones that must pass

}  // namespace attncert
