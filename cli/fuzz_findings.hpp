// What `attncert fuzz` found: an engine's artifact becomes <out>/findings/<target>-<hash>, minimised, beside a .txt
// that says what is violated and, where a claim is, a .json: a witness for attncert-check.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/fuzz_engine.hpp"
#include "src/core/result.hpp"

namespace attncert::cli {

struct StoredFinding {
  std::filesystem::path file;
  std::string what;  // one line
  bool is_new = true;
  bool refutes = false;  // a counterexample to a claim, which stands beside it as a witness
};

// Every artifact of the folder, the ones of an earlier run that was killed among them; an artifact that is stored is
// removed. `say` hears what is being done, since to minimise takes half a minute. `stop` leaves the rest for the next
// run.
Result<std::vector<StoredFinding>> store_findings(const Hunt& hunt, const std::atomic<bool>& stop,
                                                  const std::function<void(const std::string&)>& say);

// "normalizer-0123456789ab": what an input that violates is stored as.
std::string finding_name(const std::string& target, const std::string& bytes);
// A stored finding of another machine, judged by this one's engine and stored in its place, not made smaller. None
// where it passes here.
Result<std::optional<StoredFinding>> store_again(const Hunt& hunt, const std::filesystem::path& input,
                                                 const std::atomic<bool>& stop);

}  // namespace attncert::cli
