// ATTNCERT_ASSERT: our own mistakes abort, in every build. The world's mistakes are Result (result.hpp);
// mathematics that is false or unknown is a value (reference/truth.hpp). Not for inner loops of kernels.
#pragma once

namespace attncert {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line) noexcept;
}

#define ATTNCERT_ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : ::attncert::assertion_failed(#expression, __FILE__, __LINE__))
