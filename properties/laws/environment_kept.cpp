// A kernel leaves the rounding mode as it found it, and subnormals alive: the smallest one still survives an addition.
#include <cfenv>

#include "properties/laws/law_rows.hpp"

namespace attncert::laws {
namespace {

template <class T>
bool subnormals_alive() {
  volatile T smallest = std::numeric_limits<T>::denorm_min();  // volatile: asked of the processor, not of the compiler
  volatile T twice = smallest + smallest;
  return twice != 0;
}

}  // namespace

LawOutcome environment_kept(const Subject& subject, const attncert_kernel& kernel, Choices& choices) {
  const LogitRow row = draw_row(choices, subject, kernel);
  const int rounding = std::fegetround();
  const auto ignored = values(kernel, row);
  const int after = std::fegetround();
  std::fesetround(rounding);  // so that a violation does not spoil what follows
  if (after != rounding) return violated("the rounding mode was changed");
  if (!subnormals_alive<float>() || !subnormals_alive<double>())
    return violated("subnormals are flushed after the call");
  return kept;
}

}  // namespace attncert::laws
