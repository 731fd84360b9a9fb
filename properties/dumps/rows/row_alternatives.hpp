// What a normalizer's kernel may have computed of a row instead of what it was asked for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "properties/conformance/subjects.hpp"

namespace attncert {

struct RowAlternative {
  std::string name;
  const Subject* subject;                   // null: the one that was asked for
  std::function<bool(LogitRow& row)> edit;  // false where it makes no difference
  bool masks_after = false;                 // outputs of masked entries are 0, and the others as without a mask
};

std::vector<RowAlternative> row_alternatives(const Subject& asked, const RowParameters& parameters);

}  // namespace attncert
