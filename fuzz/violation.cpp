#include <cstdio>
#include <cstdlib>

#include "fuzz/target.hpp"

namespace attncert {

void violation(std::string_view target, std::string_view where, std::string_view what) {
  const auto width = [](std::string_view text) { return static_cast<int>(text.size()); };
  std::fprintf(stderr, "%.*s: %.*s: %.*s\n  replay: attncert_replay %.*s FILE\n", width(target), target.data(),
               width(where), where.data(), width(what), what.data(), width(target), target.data());
  std::abort();
}

}  // namespace attncert
