// NVRTC, NVIDIA's compiler as a library, found when the program runs (libnvrtc.so of CUDA 11.2 or later). It compiles
// the kernels as CUDA C++17 and needs no GPU.
#pragma once

#include <string>

#include "src/core/result.hpp"
#include "src/device/device.hpp"

namespace attncert::device {

class Nvrtc {
 public:
  static Result<Nvrtc> load();
  const std::string& version() const { return version_; }  // "13.0"
  // Machine code for a chip, "sm_90". Without contraction, with subnormal numbers.
  Result<std::string> compiled(const Build& build, const std::string& chip) const;

 private:
  using Status = int;
  using Program = struct OpaqueProgram*;
  struct Functions {
    Status (*nvrtcVersion)(int*, int*);
    Status (*nvrtcCreateProgram)(Program*, const char*, const char*, int, const char* const*, const char* const*);
    Status (*nvrtcDestroyProgram)(Program*);
    Status (*nvrtcCompileProgram)(Program, int, const char* const*);
    Status (*nvrtcGetProgramLogSize)(Program, std::size_t*);
    Status (*nvrtcGetProgramLog)(Program, char*);
    Status (*nvrtcGetCUBINSize)(Program, std::size_t*);
    Status (*nvrtcGetCUBIN)(Program, char*);
  };
  std::string first_error(Program program) const;

  Functions functions_{};
  std::string version_;
};

}  // namespace attncert::device
