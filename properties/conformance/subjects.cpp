#include "properties/conformance/subjects.hpp"

#include <algorithm>

#include "src/core/assert.hpp"

namespace attncert {
namespace {

std::vector<const Subject*> in_places() {
  const auto all = reference::normalizers();
  std::vector<const Subject*> list(all.begin(), all.end());
  std::sort(list.begin(), list.end(), [](const auto* a, const auto* b) { return a->place < b->place; });
  // A copied object that kept the place of its model would rename what stored inputs mean.
  for (std::size_t place = 0; place < list.size(); ++place) ATTNCERT_ASSERT(list[place]->place == place);
  return list;
}

std::vector<const attncert_kernel*> among(std::span<const attncert_kernel* const> list, const Subject& subject) {
  std::vector<const attncert_kernel*> kernels;
  for (const attncert_kernel* kernel : list)
    if (kernel->normalizer == subject.name) kernels.push_back(kernel);
  return kernels;
}

}  // namespace

std::span<const Subject* const> subjects() {
  static const std::vector<const Subject*> list = in_places();
  return list;
}

const Subject* find_subject(std::string_view normalizer) {
  for (const Subject* subject : subjects())
    if (subject->name == normalizer) return subject;
  return nullptr;
}

std::vector<const attncert_kernel*> built_in_kernels_of(const Subject& subject) {
  std::vector<const attncert_kernel*> kernels = among(built_in_kernels(), subject);
  const std::vector<const attncert_kernel*> on_device = among(device_kernels(), subject);
  if (!on_device.empty() && device_name()) kernels.insert(kernels.end(), on_device.begin(), on_device.end());
  return kernels;
}

std::string law_names(const Subject& subject) {
  std::string names;
  for (const Law law : all_laws)
    if (subject.laws.has(law)) names += (names.empty() ? "" : " ") + std::string(name(law));
  return names;
}

}  // namespace attncert
