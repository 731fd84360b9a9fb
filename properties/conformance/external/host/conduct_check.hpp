// The conduct checks (conduct.hpp), each a message to the parent.
#pragma once

#include "properties/conformance/external/conduct.hpp"
#include "properties/conformance/external/host/findings.hpp"
#include "properties/conformance/external/host/refilled_call.hpp"

namespace attncert::external {

class ConductCheck {
 public:
  ConductCheck(const attncert_kernel& kernel, const Request& request) : kernel_(kernel), request_(request) {}
  Message run();

 private:
  // Several threads call at once, or, where the kernel asks for that, one after the other; each gets what one thread
  // alone gets.
  void threads();
  // Lengths that grow and shrink, other contents at the same addresses, other temperatures, parameters, masks and
  // batches, refused calls in between: the same call in another order and at other addresses gives the same bits.
  void history();
  // So many calls: no resource grows on and on, and the last call of a kind gives the bits of the first.
  void growth();

  bool with_upstream() const { return request_.upstream_at != 0; }
  void begin() const;  // before each part that has the time of a run
  void compare(Violation violation, const Recipe& recipe, const Answer& is, const Answer& expected);

  const attncert_kernel& kernel_;
  const Request& request_;
  Findings findings_;
};

}  // namespace attncert::external
