#include "properties/conformance/accuracy/drawn_inputs.hpp"

#include <deque>
#include <vector>

#include "properties/conformance/accuracy/double_double_tier.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {

InputCoverage drawn_inputs(const Normalizer& normalizer, attncert_dtype dtype, Effort effort, std::uint64_t seed,
                           SharedRows& shared) {
  InputCoverage coverage;
  for (const AccuracyCase& which : accuracy_cases(effort)) {
    if (which.source == AccuracyCase::Source::long_unrepeated && !DoubleDoubleTier::serves(normalizer)) continue;
    LogitRow row = shared.row(which, seed, effort, dtype);
    add_parameters(row, which, seed, dtype, normalizer);
    coverage.add(classes_of(RowFacts(row, format(dtype)), normalizer), row.logits.size());
  }
  return coverage;
}

std::string input_classes_page() {
  SharedRows shared;
  std::deque<InputCoverage> coverages;
  std::string text =
      "# Classes of inputs\n\nRows of each class that `attncert accuracy --effort quick` draws for a kernel of each "
      "normalizer (seed 1; of its four\ntypes the one with the fewest rows). \"-\": no such rows, or only beyond the "
      "lengths of quick effort. [accuracy.md](accuracy.md)\nsays how rows are drawn; `attncert list --inputs` prints "
      "this page.\n";
  for (const bool derivative : {false, true}) {
    std::vector<std::string> columns;
    std::vector<std::vector<CoveredKernel>> kernels;
    for (const Subject* subject : subjects()) {
      if (subject->derivative != derivative) continue;
      columns.emplace_back(subject->name);
      kernels.emplace_back();
      for (const Format& f : formats) {
        coverages.push_back(drawn_inputs(*subject, f.dtype, Effort::quick, 1, shared));
        kernels.back().push_back({std::string(f.name), subject, f.dtype, &coverages.back()});
      }
    }
    text +=
        std::string(derivative ? "\n## Derivatives\n\n" : "\n## Normalizers\n\n") + coverage_table(columns, kernels);
  }
  return text;
}

}  // namespace attncert
