// Calls from one place: buffers that stay where they are while their contents, lengths, parameters and masks change, as
// a program reuses its memory. They have no guard pages; the runs of a trial do that.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/external/host/matrix.hpp"

namespace attncert::external {

// A call as a few numbers: the same numbers, the same call, wherever it is made.
struct Recipe {
  Shape shape;
  double temperature = 1;
  std::uint64_t contents = 1;  // what logits, mask and upstream are drawn from
  unsigned parameters = 0;     // which set of them
  bool masked = false;
  bool touched = false;  // one entry in the middle of each row is another: a logit, its upstream and its mask
};
inline constexpr unsigned parameter_sets = 3;

struct Answer {
  std::int32_t status = 0;
  std::vector<std::byte> output;  // dense; every NaN has the same bits
  std::uint64_t control_before = 0, control_after = 0;
  std::vector<Finding> found{};  // in the library's own memory (device_memory.hpp)
};

class RefilledCall {
 public:
  // With room for any of the recipes. Exits the process when there is no memory.
  RefilledCall(const attncert_kernel& kernel, bool with_upstream, const std::vector<Recipe>& recipes);
  RefilledCall(const RefilledCall&) = delete;
  RefilledCall& operator=(const RefilledCall&) = delete;

  void fill(const Recipe& recipe);
  void call(Answer& answer);  // reuses the memory of `answer`

 private:
  void touch();
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  using Lines = std::unique_ptr<std::byte, Free>;
  static Lines lines(std::size_t bytes);

  const attncert_kernel& kernel_;
  Shape shape_{};
  Lines input_, output_, upstream_, mask_, scratch_;
  attncert_parameters parameters_ = ATTNCERT_DEFAULT_PARAMETERS;
  attncert_arguments arguments_{};
};

}  // namespace attncert::external
