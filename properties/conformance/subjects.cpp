#include "properties/conformance/subjects.hpp"

#include "reference/normalizers/entmax.hpp"
#include "reference/normalizers/entmax_three_halves.hpp"
#include "reference/normalizers/log_softmax.hpp"
#include "reference/normalizers/relu_normalized.hpp"
#include "reference/normalizers/sa_softmax.hpp"
#include "reference/normalizers/separable_vjp.hpp"
#include "reference/normalizers/sigmoid.hpp"
#include "reference/normalizers/sigmoid_normalized.hpp"
#include "reference/normalizers/softmax.hpp"
#include "reference/normalizers/softmax1.hpp"
#include "reference/normalizers/softmax_vjp.hpp"
#include "reference/normalizers/sparse_vjp.hpp"
#include "reference/normalizers/sparsemax.hpp"
#include "reference/normalizers/ssmax.hpp"
#include "reference/normalizers/taylor_softmax.hpp"
#include "reference/normalizers/top_k_softmax.hpp"

namespace attncert {
namespace {

// clang-format off: one normalizer a line
const Subject* const list[] = {
    &reference::softmax_normalizer,
    &reference::log_softmax_normalizer,
    &reference::sparsemax_normalizer,
    &reference::entmax_three_halves_normalizer,
    &reference::entmax_normalizer,
    &reference::ssmax_normalizer,
    &reference::softmax1_normalizer,
    &reference::sigmoid_normalizer,
    &reference::sigmoid_normalized_normalizer,
    &reference::relu_normalized_normalizer,
    &reference::taylor_softmax_normalizer,
    &reference::sa_softmax_v0_normalizer,
    &reference::sa_softmax_v1_normalizer,
    &reference::sa_softmax_v2_normalizer,
    &reference::sa_softmax_v3_normalizer,
    &reference::top_k_softmax_normalizer,
    &reference::softmax_vjp_normalizer,
    &reference::log_softmax_vjp_normalizer,
    &reference::sparsemax_vjp_normalizer,
    &reference::entmax_three_halves_vjp_normalizer,
    &reference::entmax_vjp_normalizer,
    &reference::ssmax_vjp_normalizer,
    &reference::softmax1_vjp_normalizer,
    &reference::sigmoid_vjp_normalizer,
    &reference::sigmoid_normalized_vjp_normalizer,
    &reference::relu_normalized_vjp_normalizer,
    &reference::taylor_softmax_vjp_normalizer,
    &reference::top_k_softmax_vjp_normalizer,
    &reference::sa_softmax_v0_vjp_normalizer,
    &reference::sa_softmax_v1_vjp_normalizer,
    &reference::sa_softmax_v2_vjp_normalizer,
    &reference::sa_softmax_v3_vjp_normalizer,
};
// clang-format on

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
