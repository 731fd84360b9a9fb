// Calls that ask for a part of a case, of which a kernel may give the same bits as of the whole: what it is beside
// being right (docs/attention-kernels.md, "How it is right").
#pragma once

#include <cstddef>
#include <vector>

#include "attncert/attention.h"

namespace attncert::attention_host {

// One batch; one query; or no keys from the longest length on, which asks for the forward pass only, as one query does.
struct PartOfCase {
  enum class Kind { batch, query, keys } kind;
  std::size_t index;            // of the batch or query; of keys how many are left
  const char* lacking() const;  // what a kernel is not that gives other bits: "batch-invariant"
};

std::vector<PartOfCase> parts_of(const attncert_attention_arguments& whole);
void restrict_to(const PartOfCase& part, const attncert_attention_kernel& kernel,
                 attncert_attention_arguments& arguments, attncert_attention_gradients& gradients);
// The rows of the part among those of the whole, as numbers of rows of a tensor with so many a head.
std::vector<std::size_t> rows_of(const PartOfCase& part, const attncert_attention_arguments& whole, std::size_t heads,
                                 std::size_t rows);

}  // namespace attncert::attention_host
