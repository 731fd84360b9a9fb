// One call of a kernel, as the runs that show whether it violates the ABI:
//   first      buffers at guard pages, strides and sides drawn from the seed, outputs filled with one NaN
//   again      the same layout, outputs filled with another NaN. An element that was not written holds both NaNs in
//              turn; other differences mean that the kernel is not repeatable
//   elsewhere  other strides, alignments and sides
//   batch      the rows without padding, so that batch and strides are told apart; a single row gets its reverse and a
//              row of NaN beside it
//   padded     the batch that was made from a single row, with padding
//   alone      each row of a given batch by itself
// A search asks for the first run only, and for all of them now and then.
// An invalid-call test is made of the first run, the same again where bits are compared, and
//   changed    the call that the test changes
#pragma once

#include <vector>

#include "properties/conformance/external/host/placed_call.hpp"

namespace attncert::external {

// What a call came to: the message to the parent, and the dense output rows of the first run (empty when there was
// none).
struct Outcome {
  Message message;
  std::vector<std::byte> output;
};

class Trial {
 public:
  Trial(const attncert_kernel& kernel, const Request& request, const Rows& rows)
      : kernel_(kernel), request_(request), rows_(rows) {}
  Outcome run();

 private:
  struct Ran {
    std::int32_t status = no_answer;
    std::vector<std::byte> output;
  };
  Ran one_run(Run run, const Rows& rows, const Layout& layout, unsigned poison, const InvalidCall* test = nullptr);
  Outcome end(Ran first);
  Outcome run_invalid_call(const InvalidCall& test);
  // Adds the violation `otherwise` where an output element was written.
  void expect_untouched(Violation otherwise, Run run, const Ran& ran, unsigned poison);
  void look_for_unwritten(const Ran& first, const Ran& again);
  // Compares row `row` of one with row `other_row` of other, element by element.
  void compare(Violation violation, Run run, const Ran& one, std::size_t row, const Ran& other, std::size_t other_row);
  void in_a_batch(const Ran& alone, const Layout& layout);
  void each_alone(const Ran& first, const Layout& layout);
  void compare_rows(Violation violation, Run run, const Ran& one, const Ran& other, std::size_t rows);

  const attncert_kernel& kernel_;
  const Request& request_;
  Rows rows_;
  Findings findings_;
};

}  // namespace attncert::external
