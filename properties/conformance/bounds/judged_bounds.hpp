// The bounds as subjects of the judging machine. A case is a row drawn from the tape of its number: "row:17".
#pragma once

#include "properties/conformance/accuracy/subject.hpp"

namespace attncert {

JudgedSubjects judged_bounds();

}  // namespace attncert
