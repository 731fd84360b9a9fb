#include "src/core/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace attncert {
void assertion_failed(const char* expression, const char* file, int line) noexcept {
  std::fprintf(stderr, "attncert: %s:%d: this must hold and does not: %s\n", file, line, expression);
  std::abort();
}
}  // namespace attncert
