// NVIDIA's devices without OpenCL: the kernels as CUDA C++, compiled by NVRTC when the program runs. Both libraries are
// the machine's own; what is called of them is declared here, after the CUDA Toolkit's documentation of its driver API
// and of NVRTC, so that nothing of CUDA is needed to build.
#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <sstream>
#include <vector>

#include "src/device/device.hpp"

namespace attncert::device {
namespace {

using Status = int;  // CUresult and nvrtcResult: 0 is success
using Address = unsigned long long;
struct Context;
struct Module;
struct Function;
struct Program;

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
  Status (*cuLaunchKernel)(Function*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                           void**, void**);
  Status (*nvrtcVersion)(int*, int*);
  Status (*nvrtcCreateProgram)(Program**, const char*, const char*, int, const char* const*, const char* const*);
  Status (*nvrtcCompileProgram)(Program*, int, const char* const*);
  Status (*nvrtcGetCUBINSize)(Program*, std::size_t*);
  Status (*nvrtcGetCUBIN)(Program*, char*);
  Status (*nvrtcGetProgramLogSize)(Program*, std::size_t*);
  Status (*nvrtcGetProgramLog)(Program*, char*);
  Status (*nvrtcDestroyProgram)(Program**);
};

// CUdevice_attribute.
constexpr int compute_capability_major = 75, compute_capability_minor = 76;

void* opened(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

Result<Functions> load() {
  void* driver = opened({"libcuda.so.1"});
  if (driver == nullptr) return Error{"libcuda.so.1, NVIDIA's driver, is not installed"};
  void* compiler = opened({"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"});
  if (compiler == nullptr) return Error{"libnvrtc.so, CUDA's run-time compiler, is not installed"};
  Functions functions{};
#define ATTNCERT_FIND(library, name)                                                                           \
  if (void* found = dlsym(library, #name)) functions.name = reinterpret_cast<decltype(functions.name)>(found); \
  else return Error{#library " has no " #name "; CUDA 12 or later is needed"};
  ATTNCERT_FIND(driver, cuInit)
  ATTNCERT_FIND(driver, cuDriverGetVersion)
  ATTNCERT_FIND(driver, cuDeviceGetCount)
  ATTNCERT_FIND(driver, cuDeviceGet)
  ATTNCERT_FIND(driver, cuDeviceGetName)
  ATTNCERT_FIND(driver, cuDeviceGetAttribute)
  ATTNCERT_FIND(driver, cuDeviceTotalMem_v2)
  ATTNCERT_FIND(driver, cuDevicePrimaryCtxRetain)
  ATTNCERT_FIND(driver, cuDevicePrimaryCtxRelease_v2)
  ATTNCERT_FIND(driver, cuCtxSetCurrent)
  ATTNCERT_FIND(driver, cuCtxSynchronize)
  ATTNCERT_FIND(driver, cuMemAlloc_v2)
  ATTNCERT_FIND(driver, cuMemFree_v2)
  ATTNCERT_FIND(driver, cuMemcpyHtoD_v2)
  ATTNCERT_FIND(driver, cuMemcpyDtoH_v2)
  ATTNCERT_FIND(driver, cuModuleLoadData)
  ATTNCERT_FIND(driver, cuModuleUnload)
  ATTNCERT_FIND(driver, cuModuleGetFunction)
  ATTNCERT_FIND(driver, cuLaunchKernel)
  ATTNCERT_FIND(compiler, nvrtcVersion)
  ATTNCERT_FIND(compiler, nvrtcCreateProgram)
  ATTNCERT_FIND(compiler, nvrtcCompileProgram)
  ATTNCERT_FIND(compiler, nvrtcGetCUBINSize)
  ATTNCERT_FIND(compiler, nvrtcGetCUBIN)
  ATTNCERT_FIND(compiler, nvrtcGetProgramLogSize)
  ATTNCERT_FIND(compiler, nvrtcGetProgramLog)
  ATTNCERT_FIND(compiler, nvrtcDestroyProgram)
#undef ATTNCERT_FIND
  return functions;
}

Result<Done> checked(const char* call, Status status) {
  if (status == 0) return Done{};
  return Error{std::string(call) + " failed with CUDA's status " + std::to_string(status)};
}
// ATTNCERT_CALL(cuCtxSynchronize): the call, its name beside its status.
#define ATTNCERT_CALL(name, ...) checked(#name, functions_.name(__VA_ARGS__))

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
  CudaDevice(const Functions& functions, int id, std::string name)
      : functions_(functions), id_(id), name_(std::move(name)) {
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

  // Each program is built once.
  Result<Module*> built(const Build& build) const {
    const std::lock_guard lock(mutex_);
    Module*& module = modules_[build];
    if (module != nullptr) return module;
    const Result<std::string> code = compiled(build);
    if (!code) return code.error();
    const Result<Done> loaded = ATTNCERT_CALL(cuModuleLoadData, &module, code->data());
    if (!loaded) return loaded.error();
    return module;
  }

  Result<std::string> compiled(const Build& build) const {
    std::vector<std::string> options{"--std=c++17", "--fmad=false", "--ftz=false",
                                     "--gpu-architecture=sm_" + std::to_string(10 * major_ + minor_)};
    std::istringstream words(build.options);
    for (std::string word; words >> word;) options.push_back(word);
    std::vector<const char*> texts;
    for (const std::string& option : options) texts.push_back(option.c_str());
    Program* program = nullptr;
    Result<Done> done =
        ATTNCERT_CALL(nvrtcCreateProgram, &program, build.text.c_str(), "attncert.cu", 0, nullptr, nullptr);
    if (!done) return done.error();
    done = ATTNCERT_CALL(nvrtcCompileProgram, program, static_cast<int>(texts.size()), texts.data());
    if (!done) done = Error{done.error().message + ": " + first_error(program)};
    std::string code;
    std::size_t size = 0;
    if (done) done = ATTNCERT_CALL(nvrtcGetCUBINSize, program, &size);
    code.resize(size);
    if (done) done = ATTNCERT_CALL(nvrtcGetCUBIN, program, code.data());
    functions_.nvrtcDestroyProgram(&program);
    if (!done) return done.error();
    return code;
  }

  std::string first_error(Program* program) const {
    std::size_t size = 0;
    functions_.nvrtcGetProgramLogSize(program, &size);
    std::string log(size + 1, '\0');
    functions_.nvrtcGetProgramLog(program, log.data());
    const std::size_t at = std::min(log.find("error"), log.find('\0'));
    return log.substr(at, log.find_first_of(std::string_view("\n\0", 2), at) - at);
  }

  Functions functions_;
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

std::string name_of(const Functions& f, int id) {
  char model[256] = "";
  int driver = 0, major = 0, minor = 0;
  f.cuDeviceGetName(model, sizeof model, id);
  f.cuDriverGetVersion(&driver);
  f.nvrtcVersion(&major, &minor);
  return std::string(model) + ", CUDA " + version_text(driver) + ", NVRTC " + std::to_string(major) + "." +
         std::to_string(minor);
}

}  // namespace

Result<std::unique_ptr<Device>> open_cuda(std::string_view wanted) {
  const Result<Functions> loaded = load();
  if (!loaded) return loaded.error();
  const Functions& f = *loaded;
  int count = 0;
  Result<Done> done = checked("cuInit", f.cuInit(0));
  if (done) done = checked("cuDeviceGetCount", f.cuDeviceGetCount(&count));
  if (!done) return done.error();
  for (int number = 0; number < count; ++number) {
    int id = 0;
    if (f.cuDeviceGet(&id, number) != 0) continue;
    const std::string name = name_of(f, id);
    if (name.find(wanted) == std::string::npos) continue;
    auto device = std::make_unique<CudaDevice>(f, id, name);
    const Result<Done> opened = device->open();
    if (!opened) return opened.error();
    return std::unique_ptr<Device>(std::move(device));
  }
  return Error{wanted.empty() ? "CUDA's driver knows of no device"
                              : "none is called \"" + std::string(wanted) + "\" (ATTNCERT_DEVICE)"};
}

}  // namespace attncert::device
