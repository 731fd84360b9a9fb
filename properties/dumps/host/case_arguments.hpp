// A case of properties/dumps/cases.hpp as the arguments of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "attncert/attention.h"
#include "properties/dumps/host/tensor_layout.hpp"
#include "src/files/tensor.hpp"

namespace attncert {

struct CaseFileView {
  std::function<const Tensor*(const std::string& name)> find;  // null where there is none
  const std::map<std::string, std::string>& settings;
};

// Of one element, of types that cases have.
inline std::size_t bytes_of(attncert_dtype dtype) {
  if (dtype == ATTNCERT_F32) return 4;
  return dtype == ATTNCERT_E4M3 || dtype == ATTNCERT_E5M2 ? 1 : 2;
}

// Puts a tensor's numbers, as they are stored, where a kernel reads them: as TensorLayout has it, with read_case's
// placement.
using StoreTensor = std::function<void*(const std::string& name, const Tensor& tensor)>;

// Everything but o and lse, and of the gradients d_o, without data where the case has no `do`. q, k and v are there, of
// four axes. k and v are stored last, when the arguments say already which keys a row keeps. `lengths` outlives the
// call, as what was stored does.
void read_case(const CaseFileView& file, const Placement& placement, const StoreTensor& store,
               attncert_attention_arguments& arguments, attncert_attention_gradients& gradients,
               std::vector<std::size_t>& lengths);

// What safetensors call a type that tensors of attention may have; "" where it is none.
std::string_view stored_as(attncert_dtype dtype);

inline attncert_dtype dtype_kv(const attncert_attention_kernel& kernel) {  // of k and v
  return kernel.dtype_kv == attncert_dtype{} ? kernel.dtype : kernel.dtype_kv;
}

// Whether lengths, the diagonal and both windows leave a key to a row, with the offset and the window as given here.
bool in_reach(const attncert_attention_arguments& arguments, std::size_t batch, std::size_t query, std::size_t key,
              std::int64_t causal_offset, std::size_t window);

}  // namespace attncert
