#include "properties/conformance/external/doors.hpp"

#include <array>
#include <utility>

namespace attncert::foreign {
namespace {

std::array<Call, doors> calls;

template <std::size_t number>
attncert_status through(const attncert_arguments* arguments) {
  return calls[number](arguments);
}

template <std::size_t... numbers>
constexpr std::array<Door, doors> made(std::index_sequence<numbers...>) {
  return {through<numbers>...};
}

constexpr std::array<Door, doors> all = made(std::make_index_sequence<doors>{});

}  // namespace

Door take_door(Call call) {
  for (std::size_t i = 0; i < doors; ++i)
    if (!calls[i]) {
      calls[i] = std::move(call);
      return all[i];
    }
  return nullptr;
}

void give_back(Door door) {
  for (std::size_t i = 0; i < doors; ++i)
    if (all[i] == door) calls[i] = nullptr;
}

}  // namespace attncert::foreign
