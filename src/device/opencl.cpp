// Devices of OpenCL 1.2, found through the loader of the machine (libOpenCL.so.1) when the program runs.
#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "src/device/device.hpp"

namespace attncert::device {
namespace {

// The functions that are called, by the names that errors give them.
#define ATTNCERT_OPENCL_FUNCTIONS(F) \
  F(clGetPlatformIDs)                \
  F(clGetPlatformInfo)               \
  F(clGetDeviceIDs)                  \
  F(clGetDeviceInfo)                 \
  F(clCreateContext)                 \
  F(clReleaseContext)                \
  F(clCreateCommandQueue)            \
  F(clReleaseCommandQueue)           \
  F(clCreateBuffer)                  \
  F(clReleaseMemObject)              \
  F(clEnqueueWriteBuffer)            \
  F(clEnqueueReadBuffer)             \
  F(clCreateProgramWithSource)       \
  F(clBuildProgram)                  \
  F(clGetProgramBuildInfo)           \
  F(clReleaseProgram)                \
  F(clCreateKernel)                  \
  F(clSetKernelArg)                  \
  F(clReleaseKernel)                 \
  F(clEnqueueNDRangeKernel)          \
  F(clFinish)

struct Functions {
#define ATTNCERT_MEMBER(name) decltype(&::name) name;
  ATTNCERT_OPENCL_FUNCTIONS(ATTNCERT_MEMBER)
#undef ATTNCERT_MEMBER
};

Result<Functions> load() {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{"libOpenCL.so.1 is not installed; scripts/dependencies device"};
  Functions functions{};
  // What is loaded before it, as by oclgrind's LD_PRELOAD, comes first.
#define ATTNCERT_FIND(name)                                                                                     \
  if (void* found = dlsym(RTLD_DEFAULT, #name) != nullptr ? dlsym(RTLD_DEFAULT, #name) : dlsym(library, #name)) \
    functions.name = reinterpret_cast<decltype(functions.name)>(found);                                         \
  else return Error{"libOpenCL.so.1 has no " #name "; OpenCL 1.2 is needed"};
  ATTNCERT_OPENCL_FUNCTIONS(ATTNCERT_FIND)
#undef ATTNCERT_FIND
  return functions;
}

Error failed(const char* call, cl_int status) {
  return {std::string(call) + " failed with OpenCL's status " + std::to_string(status)};
}
Result<Done> checked(const char* call, cl_int status) {
  if (status == CL_SUCCESS) return Done{};
  return failed(call, status);
}
// ATTNCERT_CALL(clFinish, queue): the call, its name beside its status.
#define ATTNCERT_CALL(name, ...) checked(#name, functions_.name(__VA_ARGS__))

// A handle that is released once.
template <class Handle>
class Owned {
 public:
  Owned() = default;
  Owned(Handle handle, cl_int (*release)(Handle)) : handle_(handle), release_(release) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), release_(other.release_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(release_, other.release_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) release_(handle_);
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
  cl_int (*release_)(Handle) = nullptr;
};

class Buffer final : public Memory {
 public:
  explicit Buffer(Owned<cl_mem> owned) : owned_(std::move(owned)) {}
  cl_mem get() const { return owned_.get(); }

 private:
  Owned<cl_mem> owned_;
};
cl_mem handle_of(const Memory& memory) { return static_cast<const Buffer&>(memory).get(); }

class OpenClDevice final : public Device {
 public:
  OpenClDevice(const Functions& functions, cl_device_id id, std::string name, bool interprets)
      : functions_(functions), id_(id), name_(std::move(name)), interprets_(interprets) {
    info(CL_DEVICE_TYPE, type_);
    info(CL_DEVICE_MAX_MEM_ALLOC_SIZE, most_allocated_);
  }

  Result<Done> open() {
    cl_int status = CL_SUCCESS;
    context_ = {functions_.clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &status), functions_.clReleaseContext};
    if (status != CL_SUCCESS) return failed("clCreateContext", status);
    queue_ = {functions_.clCreateCommandQueue(context_.get(), id_, 0, &status), functions_.clReleaseCommandQueue};
    return checked("clCreateCommandQueue", status);
  }

  std::string name() const override { return name_; }
  bool interprets() const override { return interprets_; }
  bool processor() const override { return (type_ & CL_DEVICE_TYPE_CPU) != 0; }
  std::size_t most_allocated() const override { return most_allocated_; }

  Result<MemoryPointer> allocate(std::size_t bytes) const override {
    // NVIDIA's driver lets any size be had until it is used.
    if (bytes > most_allocated_) return failed("clCreateBuffer", CL_INVALID_BUFFER_SIZE);
    cl_int status = CL_SUCCESS;
    const std::size_t least = 4;  // a size of 0 is refused
    const cl_mem made =
        functions_.clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, std::max(bytes, least), nullptr, &status);
    if (status != CL_SUCCESS) return failed("clCreateBuffer", status);
    return MemoryPointer(std::make_shared<Buffer>(Owned<cl_mem>(made, functions_.clReleaseMemObject)));
  }
  Result<Done> write(const Memory& to, const void* from, std::size_t bytes) const override {
    if (bytes == 0) return Done{};
    return ATTNCERT_CALL(clEnqueueWriteBuffer, queue_.get(), handle_of(to), CL_TRUE, 0, bytes, from, 0, nullptr,
                         nullptr);
  }
  Result<Done> read(void* to, const Memory& from, std::size_t bytes) const override {
    if (bytes == 0) return Done{};
    return ATTNCERT_CALL(clEnqueueReadBuffer, queue_.get(), handle_of(from), CL_TRUE, 0, bytes, to, 0, nullptr,
                         nullptr);
  }

  Result<Done> launch(const Launch& launch) const override {
    const Result<cl_program> program = built(launch.build);
    if (!program) return program.error();
    cl_int status = CL_SUCCESS;
    const Owned<cl_kernel> kernel(functions_.clCreateKernel(*program, launch.kernel.c_str(), &status),
                                  functions_.clReleaseKernel);
    Result<Done> done = checked("clCreateKernel", status);
    for (cl_uint i = 0; done && i < launch.arguments.size(); ++i) done = set(kernel.get(), i, launch.arguments[i]);
    const std::size_t all = launch.groups * launch.group;
    if (done)
      done = ATTNCERT_CALL(clEnqueueNDRangeKernel, queue_.get(), kernel.get(), 1, nullptr, &all, &launch.group, 0,
                           nullptr, nullptr);
    if (done) done = ATTNCERT_CALL(clFinish, queue_.get());
    return done;
  }

 private:
  template <class T>
  void info(cl_device_info which, T& value) const {
    functions_.clGetDeviceInfo(id_, which, sizeof value, &value, nullptr);
  }

  Result<Done> set(cl_kernel kernel, cl_uint number, const Argument& argument) const {
    const cl_mem memory = argument.memory() == nullptr ? nullptr : handle_of(*argument.memory());
    if (argument.is_memory()) return ATTNCERT_CALL(clSetKernelArg, kernel, number, sizeof memory, &memory);
    return ATTNCERT_CALL(clSetKernelArg, kernel, number, argument.bytes().size(), argument.bytes().data());
  }

  // Each program is built once.
  Result<cl_program> built(const Build& build) const {
    const std::lock_guard lock(mutex_);
    Owned<cl_program>& program = programs_[build];
    if (program.get() != nullptr) return program.get();
    cl_int status = CL_SUCCESS;
    const char* text = build.text.data();
    const std::size_t length = build.text.size();
    Owned<cl_program> made(functions_.clCreateProgramWithSource(context_.get(), 1, &text, &length, &status),
                           functions_.clReleaseProgram);
    if (status != CL_SUCCESS) return failed("clCreateProgramWithSource", status);
    // Oclgrind knows no function that returns a structure, and has nothing to compile.
    const std::string options = (interprets_ ? "-cl-std=CL1.2 -DINLINED " : "-cl-std=CL1.2 ") + build.options;
    status = functions_.clBuildProgram(made.get(), 1, &id_, options.c_str(), nullptr, nullptr);
    if (status != CL_SUCCESS) return Error{failed("clBuildProgram", status).message + ": " + first_error(made.get())};
    program = std::move(made);
    return program.get();
  }

  std::string first_error(cl_program program) const {
    std::string log(1 << 16, '\0');
    functions_.clGetProgramBuildInfo(program, id_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    const std::size_t at = std::min(log.find("error"), log.find('\0'));
    return log.substr(at, log.find_first_of(std::string_view("\n\0", 2), at) - at);
  }

  Functions functions_;
  cl_device_id id_;
  std::string name_;
  bool interprets_;
  cl_device_type type_ = 0;
  cl_ulong most_allocated_ = 0;
  Owned<cl_context> context_;
  Owned<cl_command_queue> queue_;
  mutable std::mutex mutex_;
  mutable std::map<Build, Owned<cl_program>> programs_;
};

template <class Info, class Id, class Which>
std::string text_of(Info info, Id id, Which which) {
  std::string text(256, '\0');
  std::size_t size = 0;
  if (info(id, which, text.size(), text.data(), &size) != CL_SUCCESS) return "?";
  text.resize(size > 0 ? size - 1 : 0);  // without its final 0
  return text;
}

}  // namespace

Result<std::unique_ptr<Device>> open_opencl(std::string_view wanted) {
  const Result<Functions> loaded = load();
  if (!loaded) return loaded.error();
  const Functions& f = *loaded;
  std::vector<cl_platform_id> platforms(16);
  cl_uint count = 0;
  if (f.clGetPlatformIDs(16, platforms.data(), &count) != CL_SUCCESS) count = 0;
  platforms.resize(std::min<cl_uint>(count, 16));
  for (const cl_device_type type : {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU})
    for (const cl_platform_id platform : platforms) {
      std::vector<cl_device_id> ids(16);
      if (f.clGetDeviceIDs(platform, type, 16, ids.data(), &count) != CL_SUCCESS) continue;
      ids.resize(std::min<cl_uint>(count, 16));
      for (const cl_device_id id : ids) {
        const std::string of = text_of(f.clGetPlatformInfo, platform, CL_PLATFORM_NAME);
        const std::string name = of + ", " + text_of(f.clGetDeviceInfo, id, CL_DEVICE_NAME) + ", " +
                                 text_of(f.clGetDeviceInfo, id, CL_DEVICE_VERSION) + ", driver " +
                                 text_of(f.clGetDeviceInfo, id, CL_DRIVER_VERSION);
        if (name.find(wanted) == std::string::npos) continue;
        auto device = std::make_unique<OpenClDevice>(f, id, name, of.find("Oclgrind") != std::string::npos);
        const Result<Done> opened = device->open();
        if (!opened) return opened.error();
        return std::unique_ptr<Device>(std::move(device));
      }
    }
  return Error{wanted.empty() ? "OpenCL's loader knows of no device; scripts/dependencies device"
                              : "none is called \"" + std::string(wanted) + "\" (ATTNCERT_DEVICE)"};
}

}  // namespace attncert::device
