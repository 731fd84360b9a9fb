// A device that runs kernels: memory, copies, launches. Each call is checked, and what went wrong is an Error that
// names the call. Several threads may use one device at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "src/core/result.hpp"

namespace attncert::device {

// Freed with its last owner.
class Memory {
 public:
  virtual ~Memory() = default;
};
using MemoryPointer = std::shared_ptr<const Memory>;

// One argument of a kernel: memory, which may be none, or a plain value.
class Argument {
 public:
  Argument(MemoryPointer memory) : memory_(std::move(memory)), is_memory_(true) {}
  template <class T>
  requires std::is_trivially_copyable_v<T> Argument(const T& value)
      : bytes_(reinterpret_cast<const char*>(&value), sizeof value) {}
  bool is_memory() const { return is_memory_; }
  const Memory* memory() const { return memory_.get(); }
  const std::string& bytes() const { return bytes_; }

 private:
  MemoryPointer memory_;
  std::string bytes_;
  bool is_memory_ = false;
};

// A kernel as a device compiles it: the text of its file (kernel_texts.hpp) and what the compiler is told.
struct Build {
  std::string text;
  std::string options;  // "-DGROUP=256 ..."
  bool operator<(const Build& other) const { return text != other.text ? text < other.text : options < other.options; }
};

struct Launch {
  Build build;
  std::string kernel;
  std::size_t groups, group;
  std::vector<Argument> arguments;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;            // "NVIDIA H100, OpenCL 3.0 CUDA, driver 535.104"
  virtual bool interprets() const = 0;             // Oclgrind: ten thousand times slower, and watched
  virtual bool processor() const = 0;              // of the machine itself: correctness, no speed
  virtual std::size_t most_allocated() const = 0;  // bytes at once
  virtual Result<MemoryPointer> allocate(std::size_t bytes) const = 0;
  virtual Result<Done> write(const Memory& to, const void* from, std::size_t bytes) const = 0;
  virtual Result<Done> read(void* to, const Memory& from, std::size_t bytes) const = 0;
  virtual Result<Done> launch(const Launch& launch) const = 0;  // back when it is done

  Result<MemoryPointer> copied(const void* from, std::size_t bytes) const;  // allocates and writes
};

// The device of this process, opened and asked for its facts at the first call; or why there is none. The environment
// variable ATTNCERT_DEVICE = none wants none; another value wants a device whose name has it.
const Result<const Device*>& device();
// The same one where it has f64, asked for its facts of that too; or why not.
const Result<const Device*>& f64_device();
// "Portable Computing Language, ...; a CPU: correctness, no speed", or why there is none.
std::string device_line();

// The doors: the first device behind each whose name has `wanted`, GPUs before others, unasked for facts; or why there
// is none. Made once for each process by device(). Where OpenCL's headers are not installed, no_opencl.cpp stands for
// opencl.cpp.
Result<std::unique_ptr<Device>> open_opencl(std::string_view wanted);
Result<std::unique_ptr<Device>> open_cuda(std::string_view wanted);

}  // namespace attncert::device
