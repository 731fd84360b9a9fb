// A statement whose sides are computed once per instance: mutants of it are tried on the same rows.
#pragma once

#include "properties/claims/claim.hpp"

namespace attncert {

Statement remembered(const Statement& statement);

}  // namespace attncert
