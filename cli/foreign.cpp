#include "cli/foreign.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "properties/conformance/subjects.hpp"
#include "cli/places.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::cli {

Result<std::unique_ptr<ForeignLibrary>> foreign_library(const AccuracyOptions& options) {
  if (!options.isas.empty())
    return Error{"--isa: kernels of a library choose for themselves; leave it out with --library"};
  ForeignLimits limits;
  limits.host.run = std::chrono::milliseconds(static_cast<std::int64_t>(options.time_limit * 1000));
  limits.host.memory = options.memory_limit << 30;
  auto library = ForeignLibrary::open(options.library, program_folder() / "attncert-kernel-host", limits);
  if (!library) return library;
  std::size_t known = 0;
  for (const attncert_kernel* kernel : (*library)->kernels()) {
    if (find_subject(kernel->normalizer) != nullptr) ++known;
    else
      fmt::print(
          stderr,
          "attncert: {}: its normalizer {} is unknown and the kernel is not judged; see attncert list --kernels\n",
          kernel->name, kernel->normalizer);
  }
  if (known == 0) return Error{options.library + ": no kernel of a known normalizer; see attncert list --kernels"};
  return library;
}

bool judge_rules(ForeignLibrary& library, const AccuracyOptions& options) {
  const bool all = options.only_case.empty();
  if (!all && !options.only_case.starts_with("rule:")) return false;
  const auto among = [](const auto& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  const std::uint64_t before = library.calls();
  for (const attncert_kernel* kernel : library.kernels()) {
    const bool known = find_subject(kernel->normalizer) != nullptr;
    if (known && among(options.normalizers, kernel->normalizer) && among(options.dtypes, format(kernel->dtype_in).name))
      library.judge_rules(*kernel, options.only_case);
  }
  return !all && library.calls() > before;
}

bool print_conduct(const ForeignLibrary& library) {
  const std::vector<ConductRow> rows = library.conduct();
  fmt::print("conduct over {} calls: {}\n", library.calls(), rows.empty() ? "as the door asks" : "");
  for (const ConductRow& row : rows)
    fmt::print("  {}: {} on {} calls; first: {}\n", row.kernel, name(row.conduct), row.calls, row.first);
  return !rows.empty();
}

}  // namespace attncert::cli
