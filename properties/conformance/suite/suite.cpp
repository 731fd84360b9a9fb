#include "properties/conformance/suite/suite.hpp"

#include <algorithm>

#include "properties/conformance/attention/attention_faults.hpp"
#include "properties/conformance/bounds/faults.hpp"
#include "properties/conformance/bounds/judged_bounds.hpp"

namespace attncert {

JudgedSubjects judged_subjects() {
  static const std::vector<const JudgedSubject*> list = [] {
    std::vector<const JudgedSubject*> all;
    for (const JudgedSubjects kind : {judged_normalizers(), judged_bounds()})
      all.insert(all.end(), kind.begin(), kind.end());
    return all;
  }();
  return list;
}

std::span<const Fault> all_faults() {
  static const std::vector<Fault> list = [] {
    std::vector<Fault> all;
    for (const std::span<const Fault> kind : {faults(), unusual_kernels(), bound_faults(), attention_faults()})
      all.insert(all.end(), kind.begin(), kind.end());
    std::stable_partition(all.begin(), all.end(), [](const Fault& fault) { return fault.wrong; });
    return all;
  }();
  return list;
}

}  // namespace attncert
