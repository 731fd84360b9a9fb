#include "properties/conformance/subjects.hpp"

#include <algorithm>

namespace attncert {
namespace {

// Stored inputs of the fuzz targets name a subject by its place: these keep theirs, and new ones follow.
// clang-format off
constexpr std::string_view places[] = {
    "softmax", "log-softmax", "sparsemax", "entmax-1.5", "entmax", "ssmax", "softmax1", "sigmoid",
    "sigmoid-normalized", "relu-normalized", "taylor-softmax", "sa-softmax-v0", "sa-softmax-v1",
    "sa-softmax-v2", "sa-softmax-v3", "top-k-softmax", "softmax-vjp", "log-softmax-vjp", "sparsemax-vjp",
    "entmax-1.5-vjp", "entmax-vjp", "ssmax-vjp", "softmax1-vjp", "sigmoid-vjp", "sigmoid-normalized-vjp",
    "relu-normalized-vjp", "taylor-softmax-vjp", "top-k-softmax-vjp", "sa-softmax-v0-vjp", "sa-softmax-v1-vjp",
    "sa-softmax-v2-vjp", "sa-softmax-v3-vjp"};
// clang-format on

std::vector<const Subject*> in_places() {
  const auto all = reference::normalizers();
  std::vector<const Subject*> list(all.begin(), all.end());
  const auto place = [](const Subject* subject) {
    return std::find(std::begin(places), std::end(places), subject->name) - std::begin(places);
  };
  std::stable_sort(list.begin(), list.end(), [&](const auto* a, const auto* b) { return place(a) < place(b); });
  return list;
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
