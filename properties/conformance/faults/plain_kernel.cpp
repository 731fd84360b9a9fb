#include "properties/conformance/faults/plain_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>

#include "src/core/assert.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::plain {
namespace {

constexpr std::size_t entry_points = 480;

struct Registered {
  PlainKernel kernel;
  attncert_kernel descriptor;
};
std::deque<Registered>& registry() {  // a deque, because descriptors must not move
  static std::deque<Registered> list;
  return list;
}

template <std::size_t which>
attncert_status entry_point(const attncert_arguments* arguments) {
  const PlainKernel& kernel = registry()[which].kernel;
  return arguments == nullptr ? ATTNCERT_BAD_ARGUMENT : kernel.call(*arguments, kernel);
}

using EntryPoint = attncert_status (*)(const attncert_arguments*);
constexpr auto table = []<std::size_t... which>(std::index_sequence<which...>) {
  return std::array<EntryPoint, sizeof...(which)>{entry_point<which>...};
}
(std::make_index_sequence<entry_points>{});

// What is judged asks nothing of its judge: like an outsider's kernel it knows its normalizer by name.
bool is_derivative(const PlainKernel& kernel) { return std::string_view(kernel.normalizer).ends_with("-vjp"); }

std::string_view without_vjp(std::string_view normalizer) {
  return normalizer.substr(0, normalizer.size() - (normalizer.ends_with("-vjp") ? 4 : 0));
}

attncert_parameters parameters_of(const attncert_arguments& arguments) {
  attncert_parameters p = ATTNCERT_DEFAULT_PARAMETERS;
  if (arguments.parameters == nullptr) return p;
  const auto* given = static_cast<const attncert_parameters*>(arguments.parameters);
  std::memcpy(&p, given, std::min<std::size_t>(given->size, sizeof p));
  return p;
}

// A normalizer checks its own parameter only.
bool parameters_fit(std::string_view normalizer, const attncert_parameters& p) {
  const std::string_view forward = without_vjp(normalizer);
  if (forward == "entmax") return p.alpha_denominator != 0 && p.alpha_numerator > p.alpha_denominator;
  if (forward == "top-k-softmax") return p.k >= 1;
  if (forward == "taylor-softmax") return p.order >= 2 && p.order % 2 == 0;
  if (forward == "ssmax") return std::isfinite(p.scale);
  return forward != "sigmoid" || std::isfinite(p.bias);
}

Row row_of(const attncert_arguments& a, const PlainKernel& kernel, std::size_t r) {
  Row row;
  const attncert_parameters p = parameters_of(a);
  row.parameters = {p.alpha_numerator, p.alpha_denominator, p.k, p.order, p.scale, p.bias};
  row.temperature = a.temperature;
  row.dtype = kernel.dtype;
  row.number = r;
  row.rows = a.rows;
  for (std::size_t i = 0; i < a.length; ++i) {
    row.logits.push_back(load_element(kernel.dtype, a.input, r * a.input_stride + i));
    if (a.mask != nullptr) row.mask.push_back(a.mask[r * a.mask_stride + i]);
    if (a.upstream != nullptr)
      row.upstream.push_back(load_element(kernel.dtype, a.upstream, r * a.upstream_stride + i));
  }
  if (std::string_view(kernel.normalizer) == "log-softmax") row.absent = -std::numeric_limits<Real>::infinity();
  row.out.assign(a.length, row.absent);
  return row;
}

}  // namespace

attncert_status refusal(const attncert_arguments& a, const PlainKernel& kernel) {
  if (a.size < sizeof a) return ATTNCERT_BAD_ARGUMENT;
  if (!(a.temperature > 0) || !std::isfinite(a.temperature)) return ATTNCERT_BAD_TEMPERATURE;
  if (!parameters_fit(kernel.normalizer, parameters_of(a))) return ATTNCERT_BAD_PARAMETER;
  if (is_derivative(kernel) != (a.upstream != nullptr)) return ATTNCERT_BAD_ARGUMENT;
  const bool any = a.rows != 0 && a.length != 0;
  if (any && (a.input == nullptr || a.output == nullptr)) return ATTNCERT_BAD_ARGUMENT;
  const bool short_stride = a.input_stride < a.length || a.output_stride < a.length ||
                            (a.mask != nullptr && a.mask_stride < a.length) ||
                            (a.upstream != nullptr && a.upstream_stride < a.length);
  return a.rows > 1 && short_stride ? ATTNCERT_BAD_ARGUMENT : ATTNCERT_OK;
}

void run_rows(const attncert_arguments& a, const PlainKernel& kernel) {
  for (std::size_t r = 0; r < a.rows && a.length != 0; ++r) {
    Row row = row_of(a, kernel, r);
    kernel.row(row);
    // f64 is rounded once, from long double. The other types are rounded to double first; that matters only for ties
    // that this first rounding, at least 29 bits below the last place, creates.
    for (std::size_t i = 0; i < a.length; ++i)
      store_element(kernel.dtype, a.output, r * a.output_stride + i, static_cast<double>(row.out[i]));
  }
}

attncert_status plain_call(const attncert_arguments& arguments, const PlainKernel& kernel) {
  const attncert_status status = refusal(arguments, kernel);
  if (status == ATTNCERT_OK) run_rows(arguments, kernel);
  return status;
}

const attncert_kernel* descriptor(PlainKernel kernel) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const std::size_t which = registry().size();
  ATTNCERT_ASSERT(which < entry_points);
  if (!kernel.call) kernel.call = plain_call;
  Registered& entry = registry().emplace_back();
  entry.kernel = std::move(kernel);
  entry.descriptor = {ATTNCERT_KERNEL_ABI,
                      sizeof(attncert_kernel),
                      entry.kernel.name.c_str(),
                      entry.kernel.normalizer,
                      entry.kernel.dtype,
                      entry.kernel.dtype,
                      "plain",
                      "default",
                      table[which],
                      nullptr,
                      entry.kernel.budget,
                      0};
  return &entry.descriptor;
}

Real narrowed(attncert_dtype dtype, Real value) {
  return static_cast<Real>(rounded(dtype, static_cast<double>(value)));
}

}  // namespace attncert::plain
