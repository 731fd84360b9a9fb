// k and v of a case as a KV cache holds them: in a type of their own, and perhaps as a scale times what is stored.
#pragma once

#include <map>
#include <string>

#include "properties/dumps/case_maker.hpp"
#include "src/files/safetensors_text.hpp"

namespace attncert {

// Adds k and v, and where the wishes have "kv-scales" k_scale and v_scale. Eight bits take each head's largest
// magnitude to near their largest number then, as caches do it; every KV head has another scale.
void add_keys_and_values(const CaseInputs& in, const CaseWishes& wishes, std::map<std::string, TensorToWrite>& tensors);

}  // namespace attncert
