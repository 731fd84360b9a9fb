// The backward pass of attention in f32 as a kernel's author would write it plainly, from what the forward pass stored,
// with what may be got wrong as a choice. It shares nothing with what judges it.
#pragma once

#include "tests/properties/dumps/plain_attention.hpp"

namespace attncert {

enum class FormOfD { right, none, added, scaled, of_row_before, of_first_row };
enum class GroupSum { right, first_head, last_head, mean };

struct BackwardFaults {
  bool unfused = false;  // weights and D of its own softmax: no fault
  bool narrow = false;   // weights and dS in bf16 before they are used: no fault of a kernel of pbf16
  FormOfD D = FormOfD::right;
  bool slope = true;  // of the softcap
  float dq = 1, dk = 1, dv = 1, dsinks = 1;
  int skipped_first = 0, skipped_last = 0;  // queries, of dk and dv
  bool skip_only_in_dv = false;
  GroupSum heads = GroupSum::right;
  bool causal = true, top_left = false, window = true, mask = true, lengths = true;
  bool bias = true, softcap = true, slopes = true, sink = true;
  float lse = 1;  // a factor
  bool first_lse = false;
};

// plain_dump with do, dq, dk, dv and, where there are sinks, dsinks; do is random by the seed.
WrittenDump plain_gradient_dump(const PlainInputs& inputs, std::uint64_t seed, const BackwardFaults& faults = {});

// The same with every tensor but lse, mask and bias rounded to bf16, before it is read and as it is written.
WrittenDump half_gradient_dump(PlainInputs inputs, std::uint64_t seed, BackwardFaults faults = {});

}  // namespace attncert
