// Which rows an input of the targets `normalizer` and `long` may ask for.
#pragma once

#include <cstdint>

namespace attncert {

enum class Lengths : std::uint8_t {
  as_asked,
  short_ones,  // up to 64 entries, so that nothing waits for what is slow
  long_ones,   // whatever a tape asks for
};

}  // namespace attncert
