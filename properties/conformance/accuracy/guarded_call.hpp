// Calls a kernel through its descriptor on rows with padding, at any alignment, between guard entries; tells what it
// wrote and where. Values are doubles, which hold every element type exactly; every output element starts as a bit
// pattern of NaN that no arithmetic makes, so an entry that is not written stays visible. Scratch is exactly as large
// as asked, between guards too, and full of what a kernel that reads before it writes cannot hide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "attncert/kernel.h"
#include "reference/row.hpp"

namespace attncert {

enum class Found : unsigned char {
  nan = 0xff,
  number = 0x7b
};  // bytes of scratch: NaN, or large numbers, in every type

struct Layout {
  std::size_t input_padding = 0, output_padding = 0, mask_padding = 0;  // entries behind each row
  std::size_t offset = 0;                                               // entries before the first row: alignment
  std::size_t upstream_padding = 0;
  Found scratch = Found::nan;
  std::size_t output_offset = 0, mask_offset = 0, upstream_offset = 0;  // more of it in these buffers
};

struct GuardedOutcome {
  attncert_status status = ATTNCERT_OK;
  std::vector<double> output;                           // dense rows; NaN where nothing was written
  std::size_t unwritten = 0;                            // elements of the rows that still hold the pattern
  bool wrote_outside = false;                           // beside its rows, or beside its scratch
  std::uint64_t control_before = 0, control_after = 0;  // float_control(); the environment is put back after the call
};

// `batch`: `rows` dense rows with one temperature; its mask is empty or as long as its logits, its upstream too. Logits
// and upstream are values of the kernel's input type.
GuardedOutcome guarded_call(const attncert_kernel& kernel, const LogitRow& batch, std::size_t rows = 1,
                            const Layout& layout = {});

// The same in two halves, for calls that are made elsewhere: it lays the buffers out, and looks at them afterwards.
// Scratch is the caller's.
class LaidCall {
 public:
  LaidCall(attncert_dtype dtype_in, attncert_dtype dtype_out, const LogitRow& batch, std::size_t rows,
           const Layout& layout);
  LaidCall(LaidCall&& other) noexcept;
  ~LaidCall();
  const attncert_arguments& arguments() const { return arguments_; }
  void collect_into(GuardedOutcome& outcome) const;  // the output, and what was written beside it

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
  attncert_arguments arguments_{};
};

attncert_parameters parameters_of(const RowParameters& parameters);

}  // namespace attncert
