// NVIDIA's devices without OpenCL: the kernels as CUDA C++, compiled by NVRTC when the program runs. The driver is the
// machine's own; what is called of it is declared here, after the CUDA Toolkit's documentation of its driver API, so
// that nothing of CUDA is needed to build.
#include <dlfcn.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <vector>

#include "src/device/device.hpp"
#include "src/device/nvrtc.hpp"

namespace attncert::device {
namespace {

using Status = int;  // CUresult: 0 is success
using Address = unsigned long long;
struct Context;
struct Module;
struct Function;

// The functions that are called, by the names that errors give them; _v2 are those of CUDA 3.2 and later.
struct Functions {
  Status (*cuInit)(unsigned);
  Status (*cuDriverGetVersion)(int*);
  Status (*cuDeviceGetCount)(int*);
  Status (*cuDeviceGet)(int*, int);
  Status (*cuDeviceGetName)(char*, int, int);
  Status (*cuDeviceGetAttribute)(int*, int, int);
  Status (*cuDeviceTotalMem_v2)(std::size_t*, int);
  Status (*cuDevicePrimaryCtxRetain)(Context**, int);
  Status (*cuDevicePrimaryCtxRelease_v2)(int);
  Status (*cuCtxSetCurrent)(Context*);
  Status (*cuCtxSynchronize)();
  Status (*cuMemAlloc_v2)(Address*, std::size_t);
  Status (*cuMemFree_v2)(Address);
  Status (*cuMemcpyHtoD_v2)(Address, const void*, std::size_t);
  Status (*cuMemcpyDtoH_v2)(void*, Address, std::size_t);
  Status (*cuModuleLoadData)(Module**, const void*);
  Status (*cuModuleUnload)(Module*);
  Status (*cuModuleGetFunction)(Function**, Module*, const char*);
  Status (*cuFuncGetParamInfo)(Function*, std::size_t, std::size_t*, std::size_t*);
  Status (*cuGetErrorName)(Status, const char**);
  Status (*cuLaunchKernel)(Function*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                           void**, void**);
};

constexpr std::size_t most_groups = std::numeric_limits<std::int32_t>::max();  // a grid's first dimension

// CUdevice_attribute.
constexpr int compute_capability_major = 75, compute_capability_minor = 76;

Result<Functions> load() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return Error{"libcuda.so.1, NVIDIA's driver, is not installed"};
  Functions functions{};
#define ATTNCERT_FIND(name)                                                                                   \
  if (void* found = dlsym(driver, #name)) functions.name = reinterpret_cast<decltype(functions.name)>(found); \
  else return Error{"libcuda.so.1 has no " #name "; a driver for CUDA 12.4 or later is needed"};
  ATTNCERT_FIND(cuInit)
  ATTNCERT_FIND(cuDriverGetVersion)
  ATTNCERT_FIND(cuDeviceGetCount)
  ATTNCERT_FIND(cuDeviceGet)
  ATTNCERT_FIND(cuDeviceGetName)
  ATTNCERT_FIND(cuDeviceGetAttribute)
  ATTNCERT_FIND(cuDeviceTotalMem_v2)
  ATTNCERT_FIND(cuDevicePrimaryCtxRetain)
  ATTNCERT_FIND(cuDevicePrimaryCtxRelease_v2)
  ATTNCERT_FIND(cuCtxSetCurrent)
  ATTNCERT_FIND(cuCtxSynchronize)
  ATTNCERT_FIND(cuMemAlloc_v2)
  ATTNCERT_FIND(cuMemFree_v2)
  ATTNCERT_FIND(cuMemcpyHtoD_v2)
  ATTNCERT_FIND(cuMemcpyDtoH_v2)
  ATTNCERT_FIND(cuModuleLoadData)
  ATTNCERT_FIND(cuModuleUnload)
  ATTNCERT_FIND(cuModuleGetFunction)
  ATTNCERT_FIND(cuFuncGetParamInfo)
  ATTNCERT_FIND(cuGetErrorName)
  ATTNCERT_FIND(cuLaunchKernel)
#undef ATTNCERT_FIND
  return functions;
}

Result<Done> checked(const Functions& functions, const char* call, Status status) {
  if (status == 0) return Done{};
  const char* name = nullptr;
  if (functions.cuGetErrorName(status, &name) != 0 || name == nullptr) name = "a status of no name";
  return Error{std::string(call) + " failed with " + name + " (" + std::to_string(status) + ")"};
}
// ATTNCERT_CALL(cuCtxSynchronize): the call, its name beside its status.
#define ATTNCERT_CALL(name, ...) checked(functions_, #name, functions_.name(__VA_ARGS__))

class Buffer final : public Memory {
 public:
  Buffer(const Functions& functions, Context* context, Address address)
      : functions_(functions), context_(context), address_(address) {}
  Buffer(const Buffer&) = delete;
  ~Buffer() override {
    functions_.cuCtxSetCurrent(context_);
    functions_.cuMemFree_v2(address_);
  }
  Address address() const { return address_; }

 private:
  const Functions& functions_;  // of the device, which outlives its memory
  Context* context_;
  Address address_;
};
Address address_of(const Memory& memory) { return static_cast<const Buffer&>(memory).address(); }

class CudaDevice final : public Device {
 public:
  CudaDevice(const Functions& functions, Nvrtc nvrtc, int id, std::string name)
      : functions_(functions), nvrtc_(std::move(nvrtc)), id_(id), name_(std::move(name)) {
    functions_.cuDeviceTotalMem_v2(&most_allocated_, id_);
    functions_.cuDeviceGetAttribute(&major_, compute_capability_major, id_);
    functions_.cuDeviceGetAttribute(&minor_, compute_capability_minor, id_);
  }
  ~CudaDevice() override {
    for (const auto& [build, module] : modules_) functions_.cuModuleUnload(module);
    if (context_ != nullptr) functions_.cuDevicePrimaryCtxRelease_v2(id_);
  }

  Result<Done> open() { return ATTNCERT_CALL(cuDevicePrimaryCtxRetain, &context_, id_); }

  std::string name() const override { return name_; }
  bool interprets() const override { return false; }
  bool processor() const override { return false; }
  std::size_t most_allocated() const override { return most_allocated_; }

  Result<MemoryPointer> allocate(std::size_t bytes) const override {
    Result<Done> done = enter();
    Address address = 0;
    const std::size_t least = 4;  // a size of 0 is refused
    if (done) done = ATTNCERT_CALL(cuMemAlloc_v2, &address, std::max(bytes, least));
    if (!done) return done.error();
    return MemoryPointer(std::make_shared<Buffer>(functions_, context_, address));
  }
  Result<Done> write(const Memory& to, const void* from, std::size_t bytes) const override {
    const Result<Done> done = enter();
    return done && bytes != 0 ? ATTNCERT_CALL(cuMemcpyHtoD_v2, address_of(to), from, bytes) : done;
  }
  Result<Done> read(void* to, const Memory& from, std::size_t bytes) const override {
    const Result<Done> done = enter();
    return done && bytes != 0 ? ATTNCERT_CALL(cuMemcpyDtoH_v2, to, address_of(from), bytes) : done;
  }

  Result<Done> launch(const Launch& launch) const override {
    Result<Done> done = enter();
    if (!done) return done;
    const Result<Module*> module = built(launch.build);
    if (!module) return module.error();
    Function* function = nullptr;
    done = ATTNCERT_CALL(cuModuleGetFunction, &function, *module, launch.kernel.c_str());
    if (done) done = takes(function, launch.arguments);
    if (done && launch.groups > most_groups)
      done = Error{"cuLaunchKernel: a grid has no " + std::to_string(launch.groups) + " groups"};
    if (!done) return done;
    std::vector<Address> addresses(launch.arguments.size());
    std::vector<void*> values;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const Argument& argument = launch.arguments[i];
      if (argument.memory() != nullptr) addresses[i] = address_of(*argument.memory());
      values.push_back(argument.is_memory() ? &addresses[i]
                                            : static_cast<void*>(const_cast<char*>(argument.bytes().data())));
    }
    done = ATTNCERT_CALL(cuLaunchKernel, function, static_cast<unsigned>(launch.groups), 1, 1,
                         static_cast<unsigned>(launch.group), 1, 1, 0, nullptr, values.data(), nullptr);
    if (done) done = ATTNCERT_CALL(cuCtxSynchronize);
    return done;
  }

 private:
  // Every thread has a current context of its own.
  Result<Done> enter() const { return ATTNCERT_CALL(cuCtxSetCurrent, context_); }

  // The driver reads as many arguments as the kernel has, of whatever size: here they are counted and measured.
  Result<Done> takes(Function* function, const std::vector<Argument>& arguments) const {
    std::size_t place = 0, size = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Result<Done> known = ATTNCERT_CALL(cuFuncGetParamInfo, function, i, &place, &size);
      if (!known) return known;
      if (size != (arguments[i].is_memory() ? sizeof(Address) : arguments[i].bytes().size()))
        return Error{"cuLaunchKernel: argument " + std::to_string(i) + " has " + std::to_string(size) + " bytes"};
    }
    if (functions_.cuFuncGetParamInfo(function, arguments.size(), &place, &size) == 0)
      return Error{"cuLaunchKernel: the kernel has more than " + std::to_string(arguments.size()) + " arguments"};
    return Done{};
  }

  // Each program is built once.
  Result<Module*> built(const Build& build) const {
    const std::lock_guard lock(mutex_);
    Module*& module = modules_[build];
    if (module != nullptr) return module;
    const Result<std::string> code = nvrtc_.compiled(build, "sm_" + std::to_string(10 * major_ + minor_));
    if (!code) return code.error();
    const Result<Done> loaded = ATTNCERT_CALL(cuModuleLoadData, &module, code->data());
    if (!loaded) return loaded.error();
    return module;
  }

  Functions functions_;
  Nvrtc nvrtc_;
  int id_;
  std::string name_;
  std::size_t most_allocated_ = 0;
  int major_ = 0, minor_ = 0;
  Context* context_ = nullptr;
  mutable std::mutex mutex_;
  mutable std::map<Build, Module*> modules_;
};

// "13.0" of 13000.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string name_of(const Functions& f, const Nvrtc& nvrtc, int id) {
  char model[256] = "";
  int driver = 0;
  f.cuDeviceGetName(model, sizeof model, id);
  f.cuDriverGetVersion(&driver);
  return std::string(model) + ", CUDA " + version_text(driver) + ", NVRTC " + nvrtc.version();
}

}  // namespace

Result<std::unique_ptr<Device>> open_cuda(std::string_view wanted) {
  const Result<Functions> loaded = load();
  if (!loaded) return loaded.error();
  const Functions& f = *loaded;
  const Result<Nvrtc> nvrtc = Nvrtc::load();
  if (!nvrtc) return nvrtc.error();
  int count = 0;
  Result<Done> done = checked(f, "cuInit", f.cuInit(0));
  if (done) done = checked(f, "cuDeviceGetCount", f.cuDeviceGetCount(&count));
  if (!done) return done.error();
  for (int number = 0; number < count; ++number) {
    int id = 0;
    if (f.cuDeviceGet(&id, number) != 0) continue;
    const std::string name = name_of(f, *nvrtc, id);
    if (name.find(wanted) == std::string::npos) continue;
    auto device = std::make_unique<CudaDevice>(f, *nvrtc, id, name);
    const Result<Done> opened = device->open();
    if (!opened) return opened.error();
    return std::unique_ptr<Device>(std::move(device));
  }
  return Error{wanted.empty() ? "CUDA's driver knows of no device"
                              : "none is called \"" + std::string(wanted) + "\" (ATTNCERT_DEVICE)"};
}

}  // namespace attncert::device
