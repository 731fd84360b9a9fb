#include "properties/subjects.hpp"

#include "reference/normalizers/log_softmax.hpp"
#include "reference/normalizers/softmax.hpp"
#include "reference/normalizers/sparsemax.hpp"

namespace attncert {
namespace {

const Subject* const list[] = {&reference::softmax_normalizer, &reference::log_softmax_normalizer,
                               &reference::sparsemax_normalizer};

}  // namespace

std::span<const Subject* const> subjects() { return list; }

const Subject* find_subject(std::string_view normalizer) {
  for (const Subject* subject : list)
    if (subject->name == normalizer) return subject;
  return nullptr;
}

std::vector<const attncert_kernel*> built_in_kernels_of(const Subject& subject) {
  std::vector<const attncert_kernel*> kernels;
  for (const attncert_kernel* kernel : built_in_kernels())
    if (kernel->normalizer == subject.name) kernels.push_back(kernel);
  return kernels;
}

std::string law_names(const Subject& subject) {
  std::string names;
  for (const Law law : all_laws)
    if (subject.laws.has(law)) names += (names.empty() ? "" : " ") + std::string(name(law));
  return names;
}

}  // namespace attncert
