// A shared library of kernels that is judged like the suite's own. Each of its kernels appears as a descriptor of this
// process; calling its `run` has the call made in attncert-kernel-host, between guard pages and several times over
// (host/trial.hpp). The numbers come back to the caller. Violations of the ABI, which the numbers do not show, are
// collected here. A kernel that brings the host down loses that call only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/external/host_process.hpp"
#include "properties/conformance/external/violation.hpp"
#include "src/core/result.hpp"

namespace attncert {

struct ExternalLimits {
  external::HostLimits host;
  // A kernel is not called again after so many hangs, or so many calls that brought the host down (hangs among them).
  // These are counts and not times, so that a campaign gives the same verdicts on a slow machine: at most 3 x 10 s and
  // 200 starts of a process. The changed calls of invalid-call tests are counted apart: too many losses there end that
  // kernel's tests, and the campaign goes on.
  unsigned hangs = 3, losses = 200;
};

struct ViolationRow {
  std::string kernel;
  Violation violation;
  std::uint64_t calls = 0;  // that showed it
  std::string first;        // what the first of them showed, and which call it was
};

// One of many calls that are made at once, without the library's own counts: whoever makes them looks at the answers.
struct LibraryCall {
  const attncert_kernel* kernel;
  const attncert_arguments* arguments;  // no null buffer, no stride below the length
  bool all_runs;                        // those of host/trial.hpp; false: the first only
  attncert_status status = ATTNCERT_OK;
  std::vector<std::pair<Violation, std::string>> violations{};  // and what each one shows
};

class ExternalLibrary {
 public:
  // `host` is the program attncert-kernel-host. An error when the file cannot be loaded or is no library of kernels.
  static Result<std::unique_ptr<ExternalLibrary>> open(const std::filesystem::path& library,
                                                       const std::filesystem::path& host,
                                                       const ExternalLimits& limits = {});
  ~ExternalLibrary();
  ExternalLibrary(const ExternalLibrary&) = delete;
  ExternalLibrary& operator=(const ExternalLibrary&) = delete;

  // In the library's order, and alive as long as this object. A call that gets no answer has status 7 and writes
  // nothing. The host provides scratch, so these descriptors need none. What cannot be copied to the host (null
  // buffers, strides below the length) is refused with ATTNCERT_BAD_ARGUMENT.
  std::span<const attncert_kernel* const> kernels() const;
  std::string version() const;  // of what the kernels call, "oneDNN 2.6.3"; "" where the library does not say it
  // Every kernel is held to this class of budgets (docs/budgets.md), whatever its descriptor names.
  void hold_to(const std::string& budget);

  // Runs the invalid-call tests, or only the one with this case name. Does nothing for a kernel of an unknown
  // normalizer (properties/conformance/subjects.hpp).
  void run_invalid_calls(const attncert_kernel& kernel, std::string_view only_case = {});

  // The same of the conduct checks (conduct.hpp), each in a process of its own.
  void run_conduct(const attncert_kernel& kernel, std::string_view only_case = {});

  // In one message to the host, in their order. A call that gets no answer shows why, and the others are made all the
  // same.
  void run_all(std::span<LibraryCall> calls);

  void note(std::string_view case_name);         // what the next calls belong to; appears in ViolationRow::first
  std::vector<ViolationRow> violations() const;  // by kernel, worst first; empty when every kernel kept to the ABI
  bool shows(const attncert_kernel& kernel, Violation violation) const;  // one of these
  bool is_given_up(const attncert_kernel& kernel) const;                 // it is not called any more
  std::uint64_t calls() const;

 private:
  ExternalLibrary();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attncert
