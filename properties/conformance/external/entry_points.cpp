#include "properties/conformance/external/entry_points.hpp"

#include <array>
#include <utility>

namespace attncert::external {
namespace {

std::array<Call, entry_points> calls;

template <std::size_t number>
attncert_status entry_point(const attncert_arguments* arguments) {
  return calls[number](arguments);
}

constexpr auto all = []<std::size_t... numbers>(std::index_sequence<numbers...>) {
  return std::array<EntryPoint, entry_points>{entry_point<numbers>...};
}
(std::make_index_sequence<entry_points>{});

}  // namespace

EntryPoint take_entry_point(Call call) {
  for (std::size_t i = 0; i < entry_points; ++i)
    if (!calls[i]) {
      calls[i] = std::move(call);
      return all[i];
    }
  return nullptr;
}

void give_back(EntryPoint entry_point) {
  for (std::size_t i = 0; i < entry_points; ++i)
    if (all[i] == entry_point) calls[i] = nullptr;
}

}  // namespace attncert::external
