// A case of properties/dumps/cases.hpp given to an attention kernel of this process, without guard pages: for kernels
// of the fault list, which are wrong in what they compute. Somebody's kernels run in a process of their own
// (properties/dumps/host).
#pragma once

#include <string>
#include <vector>

#include "attncert/attention.h"
#include "src/files/tensor_file.hpp"

namespace attncert {

// `inputs`: a case's file, of the kernel's type. The result holds o, of the same type, and lse, both batches x heads x
// queries; where the case has `do` and the kernel a backward pass, the gradients too. Asserts that the kernel serves
// the call.
TensorFile outputs_of(const attncert_attention_kernel& kernel, const TensorFile& inputs);

std::vector<double> numbers_of(const TensorFile& file, const std::string& tensor);  // which the file has

}  // namespace attncert
