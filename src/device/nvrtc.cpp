#include "src/device/nvrtc.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

namespace attncert::device {
namespace {

// As the toolkit's own link has it, then by major version; NVIDIA's installer does not tell the loader of its folder.
constexpr const char* names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                 "/usr/local/cuda/lib64/libnvrtc.so"};

constexpr const char* always[] = {"--std=c++17", "--fmad=false", "--ftz=false"};

Error failed(const char* call, int status) {
  return {std::string(call) + " failed with NVRTC's status " + std::to_string(status)};
}

}  // namespace

Result<Nvrtc> Nvrtc::load() {
  void* library = nullptr;
  for (const char* name : names)
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{"libnvrtc.so is not installed; it comes with NVIDIA's CUDA toolkit"};
  Nvrtc nvrtc;
  Functions& f = nvrtc.functions_;
#define ATTNCERT_FIND(name)                                                                                      \
  if (void* found = dlsym(library, #name); found != nullptr) f.name = reinterpret_cast<decltype(f.name)>(found); \
  else return Error{"libnvrtc.so has no " #name "; CUDA 11.2 or later is needed"};
  ATTNCERT_FIND(nvrtcVersion)
  ATTNCERT_FIND(nvrtcCreateProgram)
  ATTNCERT_FIND(nvrtcDestroyProgram)
  ATTNCERT_FIND(nvrtcCompileProgram)
  ATTNCERT_FIND(nvrtcGetProgramLogSize)
  ATTNCERT_FIND(nvrtcGetProgramLog)
  ATTNCERT_FIND(nvrtcGetCUBINSize)
  ATTNCERT_FIND(nvrtcGetCUBIN)
#undef ATTNCERT_FIND
  int major = 0, minor = 0;
  if (const Status status = f.nvrtcVersion(&major, &minor); status != 0) return failed("nvrtcVersion", status);
  nvrtc.version_ = std::to_string(major) + "." + std::to_string(minor);
  return nvrtc;
}

Result<std::string> Nvrtc::compiled(const Build& build, const std::string& chip) const {
  std::vector<std::string> options(std::begin(always), std::end(always));
  options.push_back("--gpu-architecture=" + chip);
  std::istringstream words(build.options);
  for (std::string word; words >> word;) options.push_back(word);
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());

  Program program = nullptr;
  Status status = functions_.nvrtcCreateProgram(&program, build.text.c_str(), "kernel.cl", 0, nullptr, nullptr);
  if (status != 0) return failed("nvrtcCreateProgram", status);
  status = functions_.nvrtcCompileProgram(program, static_cast<int>(pointers.size()), pointers.data());
  Result<std::string> made = std::string();
  if (status != 0) made = Error{failed("nvrtcCompileProgram", status).message + ": " + first_error(program)};
  std::size_t size = 0;
  if (made && (status = functions_.nvrtcGetCUBINSize(program, &size)) != 0) made = failed("nvrtcGetCUBINSize", status);
  if (made) {
    made = std::string(size, '\0');
    if ((status = functions_.nvrtcGetCUBIN(program, made->data())) != 0) made = failed("nvrtcGetCUBIN", status);
  }
  functions_.nvrtcDestroyProgram(&program);
  return made;
}

std::string Nvrtc::first_error(Program program) const {
  std::size_t size = 0;
  if (functions_.nvrtcGetProgramLogSize(program, &size) != 0 || size == 0) return "?";
  std::string log(size, '\0');
  if (functions_.nvrtcGetProgramLog(program, log.data()) != 0) return "?";
  const std::size_t at = std::min(log.find("error"), log.find('\0'));
  return log.substr(at, log.find_first_of(std::string_view("\n\0", 2), at) - at);
}

}  // namespace attncert::device
