#include "properties/conformance/faults/faults.hpp"

#include <cmath>
#include <utility>

#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"

namespace attncert {
namespace plain {

Fault fault(const char* name, const char* normalizer, attncert_dtype dtype, const char* text, const char* imitates,
            RowFunction row, CallFunction call) {
  const attncert_kernel* kernel =
      descriptor({std::string("fault.") + name, normalizer, dtype, std::move(row), std::move(call)});
  return {kernel->name, text, imitates, kernel};
}

Fault softmax_fault(const char* name, const char* text, const char* imitates, CallFunction call) {
  return fault(name, "softmax", f32, text, imitates, softmax(), std::move(call));
}

Fault seen_by(Fault fault, const char* check) {
  fault.check = check;
  return fault;
}

Fault seen_on(Fault fault, const char* case_name) {
  fault.case_name = case_name;
  return fault;
}

Fault right(const char* name, const char* normalizer, attncert_dtype dtype, const char* text, RowFunction row,
            const char* budget) {
  const attncert_kernel* kernel =
      descriptor({std::string("right.") + name, normalizer, dtype, std::move(row), {}, budget});
  Fault made{kernel->name, text, "", kernel};
  made.wrong = false;
  return made;
}

std::function<Real(Real)> exponential_in(attncert_dtype dtype) {
  return [dtype](Real x) { return narrowed(dtype, std::exp(x)); };
}

Real within(attncert_dtype dtype, Real value) {
  const Real there = narrowed(dtype, value);
  return there == 0 || std::isinf(there) ? there : value;
}

std::function<Real(Real)> exponential_within(attncert_dtype dtype) {
  return [dtype](Real x) { return within(dtype, std::exp(x)); };
}

std::vector<Fault> joined(std::initializer_list<std::vector<Fault> (*)()> lists) {
  std::vector<Fault> all;
  for (const auto list : lists)
    for (const Fault& fault : list()) all.push_back(fault);
  return all;
}

}  // namespace plain

std::span<const Fault> faults() {
  static const std::vector<Fault> list = plain::joined(
      {plain::softmax_flaws, plain::mask_flaws, plain::log_softmax_flaws, plain::relatives_flaws, plain::sparse_flaws,
       plain::separable_flaws, plain::gradient_flaws, plain::half_flaws, plain::abi_flaws, plain::class_faults,
       plain::range_flaws});
  return list;
}

std::span<const Fault> unusual_kernels() {
  static const std::vector<Fault> list =
      plain::joined({plain::unusual_softmax, plain::unusual_others, plain::class_members});
  return list;
}

}  // namespace attncert
