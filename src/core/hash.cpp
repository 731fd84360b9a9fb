#include "src/core/hash.hpp"

#define XXH_INLINE_ALL  // the header alone: nothing to link
#include <xxhash.h>

namespace attncert {

std::uint64_t fingerprint(std::string_view bytes, std::uint64_t before) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), before);
}

}  // namespace attncert
