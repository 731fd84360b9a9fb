#include "properties/conformance/external/conduct.hpp"

#include <array>

#include "src/core/assert.hpp"

namespace attncert {

std::string_view name(Conduct conduct) {
  constexpr std::array<std::string_view, conducts> names{"crashed",
                                                         "ended its process",
                                                         "hung",
                                                         "wrote outside",
                                                         "read outside",
                                                         "changed input",
                                                         "left unwritten",
                                                         "wrote despite an error status",
                                                         "not repeatable",
                                                         "layout-dependent",
                                                         "batch-dependent",
                                                         "environment changed",
                                                         "bad status",
                                                         "bad scratch",
                                                         "broken rule"};
  const auto index = static_cast<std::size_t>(conduct);
  ATTNCERT_ASSERT(index < names.size());
  return names[index];
}

}  // namespace attncert
