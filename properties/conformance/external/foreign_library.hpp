// A shared library of kernels, judged as if it were ours: each of its kernels appears as a descriptor of this process whose `run`
// has the call made in attncert-kernel-host, between guard pages and several times over (host/trial.hpp). What the numbers do
// not show, how the kernel behaved, is collected aside. A kernel that brings its process down costs that call only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/external/conduct.hpp"
#include "properties/conformance/external/host_process.hpp"
#include "src/core/result.hpp"

namespace attncert {

struct ForeignLimits {
  foreign::HostLimits host;
  // So often a kernel may hang, or bring its process down; then it is not called again. Counts, so that the same campaign gives
  // the same verdicts on a slow machine: 3 x 10 s, and 200 starts of a process. Calls that are bent by a rule (judge_rules) have
  // counts of their own: too many of them end the rules of that kernel, and the campaign goes on.
  unsigned hangs = 3, losses = 200;
};

struct ConductRow {
  std::string kernel;
  Conduct conduct;
  std::uint64_t calls = 0;  // that showed it
  std::string first;        // what was seen at the first, and on which call
};

class ForeignLibrary {
 public:
  // `host` is the program attncert-kernel-host. An error when the library cannot be loaded, or is none of kernels.
  static Result<std::unique_ptr<ForeignLibrary>> open(const std::filesystem::path& library,
                                                      const std::filesystem::path& host,
                                                      const ForeignLimits& limits = {});
  ~ForeignLibrary();
  ForeignLibrary(const ForeignLibrary&) = delete;
  ForeignLibrary& operator=(const ForeignLibrary&) = delete;

  // In the library's order; alive as long as this object. A call that gives no answer has status 7 and writes nothing.
  // Scratch is given by the host: these descriptors need none. What the host cannot lay out (null buffers, strides below the
  // length) is refused with ATTNCERT_BAD_ARGUMENT.
  std::span<const attncert_kernel* const> kernels() const;

  // Calls that are right but for one thing, and what kernel.h says of each (rules.hpp); `only`: the rule of that name. Nothing
  // for a kernel whose normalizer nobody knows (properties/conformance/subjects.hpp).
  void judge_rules(const attncert_kernel& kernel, std::string_view only = {});

  void note(std::string_view case_name);    // what the next calls belong to: stands in `first`
  std::vector<ConductRow> conduct() const;  // by kernel, worst first; empty when every kernel kept to the door
  std::uint64_t calls() const;

 private:
  ForeignLibrary();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attncert
