// The cases of attention's fault list with what rules in use compare a kernel's tensors with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "properties/conformance/attention/called_case.hpp"
#include "properties/dumps/attention_dump.hpp"
#include "src/files/tensor_file.hpp"

namespace attncert {

struct KnownTensor {
  std::vector<double> exact, reference;  // as Compared wants them (attention/rules_in_use.hpp)
};

struct KnownCase {
  std::string name, group;
  bool customary;
  TensorFile inputs;
  // "o"; where the case has a gradient of it, and all its rows are numbers in range, also "dq", "dk" and "dv". None
  // where a row reads NaN.
  std::map<std::string, KnownTensor> tensors;
  std::vector<double> lse;  // exact
};

// Those that `attncert judge --library` gives the kernel, all features asked for, or the customary ones. Each is drawn
// once for all kernels.
const std::vector<KnownCase>& known_cases(std::uint64_t seed, const attncert_attention_kernel& kernel, bool customary);

// `outputs`: what a kernel computed of `inputs`, held to the class.
AttentionDump dump_of(const TensorFile& inputs, TensorFile outputs, const std::string& rounding);

}  // namespace attncert
