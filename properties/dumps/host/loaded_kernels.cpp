#include "properties/dumps/host/loaded_kernels.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <set>

#include "attncert/memory.h"
#include "properties/dumps/host/case_arguments.hpp"

namespace attncert::attention_host {
namespace {

constexpr std::size_t most_kernels = 64;
constexpr std::string_view backward = "backward";

bool is_name(const char* text) {
  const std::string_view name = text == nullptr ? "" : text;
  return !name.empty() && name.size() <= 64 && name[0] != '.' && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';
  });
}

bool is_of_queries(attncert_dtype dtype) {
  return dtype == ATTNCERT_F32 || dtype == ATTNCERT_F16 || dtype == ATTNCERT_BF16;
}

// What is wrong with a descriptor; "" = nothing.
std::string objection(const attncert_attention_kernel* kernel) {
  if (kernel == nullptr) return "is null";
  if (kernel->abi != ATTNCERT_ATTENTION_ABI)
    return "has abi " + std::to_string(kernel->abi) + ", and this program speaks " +
           std::to_string(ATTNCERT_ATTENTION_ABI);
  if (kernel->size < offsetof(attncert_attention_kernel, run_backward))
    return "has size " + std::to_string(kernel->size) + ", too small for a descriptor";
  if (!is_name(kernel->name)) return "lacks a name of 1 to 64 letters, digits, '.', '-' and '_'";
  if (kernel->rounding == nullptr || kernel->features == nullptr) return "lacks a rounding class or features";
  if (!is_of_queries(kernel->dtype) || !is_of_queries(kernel->dtype_out)) return "has a type but f32, f16, bf16";
  constexpr std::uint32_t known = ATTNCERT_ATTENTION_VARIES | ATTNCERT_ATTENTION_LSE_BASE_2 |
                                  ATTNCERT_ATTENTION_NO_LSE | ATTNCERT_ATTENTION_ONE_AT_A_TIME;
  if ((kernel->flags & ~known) != 0) return "has flags that this program does not know";
  constexpr std::uint32_t both = ATTNCERT_ATTENTION_LSE_BASE_2 | ATTNCERT_ATTENTION_NO_LSE;
  if ((kernel->flags & both) == both) return "has no LSE, and one to base 2";
  if (std::string_view(kernel->features).find(backward) != std::string_view::npos)
    return "names the feature backward, which run_backward declares";
  return kernel->run == nullptr ? "has no function to run" : "";
}

}  // namespace

std::string features_of(const attncert_attention_kernel& kernel) {
  std::string features = kernel.features;
  if (kernel.run_backward == nullptr) return features;
  return features + (features.empty() ? "" : ",") + std::string(backward);
}

Result<std::vector<attncert_attention_kernel>> load_kernels(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{std::string(dlerror()) + "; name a shared library of attention kernels"};
  const auto entry =
      reinterpret_cast<decltype(&attncert_attention_kernels)>(dlsym(library, ATTNCERT_ATTENTION_KERNELS_SYMBOL));
  if (entry == nullptr)
    return Error{file + ": has no function " ATTNCERT_ATTENTION_KERNELS_SYMBOL
                        "; export it as attncert/attention.h says"};
  if (dlsym(library, ATTNCERT_MEMORY_SYMBOL) != nullptr)
    return Error{file + ": has " ATTNCERT_MEMORY_SYMBOL
                        ", which kernels of attention do not have yet; let them copy their rows, and leave it out"};
  std::size_t count = 0;
  const attncert_attention_kernel* const* const kernels = entry(&count);
  if (kernels == nullptr || count == 0 || count > most_kernels)
    return Error{file + ": gives " + std::to_string(kernels == nullptr ? 0 : count) + " kernels; give 1 to " +
                 std::to_string(most_kernels)};
  std::vector<attncert_attention_kernel> result;
  std::set<std::string> names;
  for (std::size_t n = 0; n < count; ++n) {
    const std::string why = objection(kernels[n]);
    if (!why.empty()) return Error{file + ": descriptor " + std::to_string(n) + " " + why + "; mend it"};
    if (!names.insert(kernels[n]->name).second)
      return Error{file + ": two kernels are called " + kernels[n]->name + "; name them apart"};
    attncert_attention_kernel known{};  // what the author did not know is 0
    std::memcpy(&known, kernels[n], std::min<std::size_t>(kernels[n]->size, sizeof known));
    const attncert_dtype of_kv = dtype_kv(known);
    if (!is_of_queries(of_kv) && (stored_as(of_kv).empty() || known.run_backward != nullptr))
      return Error{file + ": descriptor " + std::to_string(n) +
                   " has a dtype_kv but f32, f16, bf16, or without a backward pass e4m3, e5m2; mend it"};
    if (known.run_backward != nullptr && std::string_view(known.features).find("kv-scales") != std::string_view::npos)
      return Error{file + ": descriptor " + std::to_string(n) +
                   " has run_backward and the feature kv-scales, whose gradients are not judged; leave one out"};
    result.push_back(known);
  }
  return result;
}

}  // namespace attncert::attention_host
