// One call of a kernel, as the runs that show whether it kept to the door:
//   first      buffers at guard pages, strides and sides drawn from the seed, outputs filled with a NaN of its own
//   again      the same layout, outputs filled with another NaN: what is unwritten holds both, what differs is not repeatable
//   elsewhere  other strides, alignments and sides
//   batch      the rows without padding, so that batches and strides are not confused; a single row beside its reverse and a
//              row of NaN
//   padded     the same rows of a batch made from a single row, with padding
//   alone      each row of a given batch by itself
// or, where a rule is asked about, as the first run, the same again, and
//   bent       the call bent by the rule
#pragma once

#include <vector>

#include "properties/conformance/external/host/placed_call.hpp"

namespace attncert::foreign {

// The end of a call: what is sent, and the dense output rows of the first run (empty when there was none).
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
  Ran one_run(Run run, const Rows& rows, const Layout& layout, unsigned poison, Rule rule = Rule::none);
  Outcome end(Ran first);
  Outcome keeps_rule();
  void untouched(Conduct otherwise, Run run, const Ran& ran, unsigned poison);
  void look_for_unwritten(const Ran& first, const Ran& again);
  // Rows `row` of one and `other_row` of other, element by element.
  void compare(Conduct conduct, Run run, const Ran& one, std::size_t row, const Ran& other, std::size_t other_row);
  void in_a_batch(const Ran& alone, const Layout& layout);
  void each_alone(const Ran& first, const Layout& layout);
  void compare_rows(Conduct conduct, Run run, const Ran& one, const Ran& other, std::size_t rows);

  const attncert_kernel& kernel_;
  const Request& request_;
  Rows rows_;
  Findings findings_;
};

}  // namespace attncert::foreign
