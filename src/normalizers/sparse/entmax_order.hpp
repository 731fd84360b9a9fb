// For every mask of a vector, where its lanes come from once those in the mask stand first: what a table lookup needs
// to do as AVX-512's compress does. Highway 1.0.3 has such tables as constants of a function, which g++ copies to the
// stack on every call, 1 KiB for eight lanes: two thirds of the time of a row of 1024 on AVX2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace attncert {

// kParts: pieces of a lane that the lookup moves; entry m holds kLanes * kParts numbers of such pieces.
template <std::size_t kLanes, std::size_t kParts>
using KeptFirst = std::array<std::array<std::uint8_t, kLanes * kParts>, std::size_t{1} << kLanes>;

template <std::size_t kLanes, std::size_t kParts>
constexpr KeptFirst<kLanes, kParts> kept_first() {
  KeptFirst<kLanes, kParts> table{};
  for (std::size_t mask = 0; mask < table.size(); ++mask) {
    std::size_t at = 0;
    for (const bool kept : {true, false}) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if ((mask >> lane & 1) != kept) continue;
        for (std::size_t part = 0; part < kParts; ++part) {
          table[mask][at++] = static_cast<std::uint8_t>(lane * kParts + part);
        }
      }
    }
  }
  return table;
}

template <std::size_t kLanes, std::size_t kParts>
inline constexpr KeptFirst<kLanes, kParts> kKeptFirst = kept_first<kLanes, kParts>();

}  // namespace attncert
