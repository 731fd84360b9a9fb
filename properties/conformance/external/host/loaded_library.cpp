#include "properties/conformance/external/host/loaded_library.hpp"

#include <dlfcn.h>

#include <cstring>
#include <iterator>
#include <set>
#include <utility>

#include "attncert/attention.h"
#include "attncert/memory.h"
#include "attncert/version.h"
#include "properties/conformance/external/host/device_memory.hpp"
#include "src/core/float_control.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::external {
namespace {

constexpr std::size_t most_kernels = 64;  // the parent has a fixed number of entry points (entry_points.hpp)
using Version = const char* (*)();
using Memory = const attncert_memory* (*)();
using Entry = const attncert_kernel* const* (*)(std::size_t*);

bool fits(const char* text) { return text != nullptr && *text != 0 && strnlen(text, name_bytes) < name_bytes; }

bool is_dtype(attncert_dtype dtype) { return format_number(dtype) < std::size(formats); }

attncert_kernel copied(const attncert_kernel& kernel) {
  attncert_kernel copy{};
  std::memcpy(&copy, &kernel, std::min<std::size_t>(kernel.size, sizeof copy));
  return copy;
}

// What is wrong with a descriptor; "" = nothing.
std::string objection(const attncert_kernel* kernel) {
  if (kernel == nullptr) return "is null";
  if (kernel->abi != ATTNCERT_KERNEL_ABI)
    return "has abi " + std::to_string(kernel->abi) + ", and this program speaks " +
           std::to_string(ATTNCERT_KERNEL_ABI);
  if (kernel->size < offsetof(attncert_kernel, budget))
    return "has size " + std::to_string(kernel->size) + ", too small for a descriptor";
  if (!fits(kernel->name) || !fits(kernel->normalizer) || !fits(kernel->isa) || !fits(kernel->contract))
    return "lacks a name, normalizer, isa or contract of 1 to " + std::to_string(name_bytes - 1) + " bytes";
  if (!is_dtype(kernel->dtype_in) || !is_dtype(kernel->dtype_out)) return "names an unknown type";
  if (kernel->run == nullptr) return "has no function to run";
  if (copied(*kernel).flags > ATTNCERT_ONE_AT_A_TIME) return "has flags that this program does not know";
  return "";
}

// By the numbers of DLPack's DLDeviceType.
std::string device_name(const attncert_memory& memory) {
  constexpr std::pair<std::int32_t, const char*> names[] = {{1, "CPU"},   {2, "CUDA"},  {4, "OpenCL"}, {7, "Vulkan"},
                                                            {8, "Metal"}, {10, "ROCm"}, {14, "oneAPI"}};
  std::string name = "device type " + std::to_string(memory.device_type);
  for (const auto& [type, known] : names)
    if (type == memory.device_type) name = known;
  return name + ":" + std::to_string(memory.device_id);
}

void put(char (&into)[name_bytes], const char* text) { std::strncpy(into, text, name_bytes - 1); }

}  // namespace

Result<LoadedLibrary> load_library(const char* file) {
  const std::string where(file);
  default_float_control();
  const std::uint64_t before = float_control();
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{std::string(dlerror()) + "; name a shared library of kernels"};
  LoadedLibrary loaded;
  loaded.environment_changed = float_control() != before;
  const auto entry = reinterpret_cast<Entry>(dlsym(library, ATTNCERT_KERNELS_SYMBOL));
  if (entry == nullptr && dlsym(library, ATTNCERT_ATTENTION_KERNELS_SYMBOL) != nullptr)
    return Error{where + ": has kernels of attention, not of rows; attncert judge FOLDER --library runs them"};
  if (entry == nullptr)
    return Error{where + ": has no function " ATTNCERT_KERNELS_SYMBOL "; export it as attncert/kernel.h says"};
  if (const auto version = reinterpret_cast<Version>(dlsym(library, ATTNCERT_VERSION_SYMBOL))) {
    const char* text = version();
    if (!fits(text))
      return Error{where + ": " ATTNCERT_VERSION_SYMBOL " gives no text of 1 to " + std::to_string(name_bytes - 1) +
                   " bytes; name what computes and its version"};
    loaded.version = text;
  }
  if (const auto memory_of = reinterpret_cast<Memory>(dlsym(library, ATTNCERT_MEMORY_SYMBOL))) {
    const attncert_memory* memory = memory_of();
    const std::string why = memory == nullptr ? "is null" : use_memory(*memory);
    if (!why.empty())
      return Error{where + ": the memory of " ATTNCERT_MEMORY_SYMBOL " " + why +
                   "; fill it in as attncert/memory.h says"};
    if (!loaded.version.empty()) loaded.version += " on ";
    loaded.version += device_name(*memory);
  }
  std::size_t count = 0;
  const attncert_kernel* const* kernels = entry(&count);
  if (kernels == nullptr || count == 0 || count > most_kernels)
    return Error{where + ": " ATTNCERT_KERNELS_SYMBOL " gives " + std::to_string(kernels == nullptr ? 0 : count) +
                 " kernels; give 1 to " + std::to_string(most_kernels)};
  std::set<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string why = objection(kernels[i]);
    if (!why.empty())
      return Error{where + ": descriptor " + std::to_string(i) + " " + why +
                   "; fix it, or build it again with this "
                   "version's attncert/kernel.h"};
    if (!names.insert(kernels[i]->name).second)
      return Error{where + ": two kernels are named " + kernels[i]->name + "; give each a name of its own"};
    loaded.kernels.push_back(copied(*kernels[i]));
  }
  return loaded;
}

Descriptor described(const attncert_kernel& kernel) {
  Descriptor descriptor{};
  put(descriptor.name, kernel.name);
  put(descriptor.normalizer, kernel.normalizer);
  put(descriptor.isa, kernel.isa);
  put(descriptor.contract, kernel.contract);
  descriptor.has_budget = kernel.budget != nullptr;
  if (kernel.budget != nullptr) put(descriptor.budget, kernel.budget);
  descriptor.dtype_in = kernel.dtype_in;
  descriptor.dtype_out = kernel.dtype_out;
  return descriptor;
}

}  // namespace attncert::external
