// The parent's side of attncert-kernel-host: starts the process, sends requests, and reports how the process ended.
#pragma once

#include <chrono>
#include <cstring>
#include <filesystem>
#include <vector>

#include "properties/conformance/external/protocol.hpp"
#include "properties/conformance/external/shared_memory.hpp"
#include "src/core/process.hpp"
#include "src/core/result.hpp"

namespace attncert::external {

struct HostLimits {
  std::chrono::milliseconds run{10'000};       // for each run of a call
  std::chrono::milliseconds loading{60'000};   // libtorch takes a second on a free machine
  std::size_t memory = std::size_t{16} << 30;  // bytes of address space; 0: no limit
  bool oclgrind = false;                       // the process runs under it, and what it reports is a violation
};

class HostProcess {
 public:
  HostProcess(std::filesystem::path program, std::filesystem::path library, HostLimits limits)
      : program_(std::move(program)), library_(std::move(library)), limits_(limits) {}
  ~HostProcess() { stop(); }
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  // Starts the process if it does not run. An error when the library cannot be loaded.
  Result<Done> start();
  const std::vector<Descriptor>& descriptors() const { return descriptors_; }
  std::string version() const { return {loaded_.version, strnlen(loaded_.version, sizeof loaded_.version)}; }
  bool environment_changed_on_loading() const { return loaded_.environment_changed; }
  SharedMemory& memory() { return memory_; }

  void end() { stop(); }  // the next start() is a process that knows nothing of this one's calls

  // Has the requests answered that lie in the shared memory; answer() waits for one after the other. A process that
  // dies or hangs becomes a message of Kind::fault, and no request behind that one is answered.
  void ask(const Ask& ask);
  Message answer();

 private:
  enum class Got : std::uint8_t { all, nothing, late };
  Got receive(void* into, std::size_t bytes, std::chrono::milliseconds within);
  Result<Done> spawn();
  Result<Done> load();
  Message lost(Run run, bool late);
  int stop(bool hangs = false);  // its wait status

  std::filesystem::path program_, library_;
  HostLimits limits_;
  SharedMemory memory_;
  Child child_;
  int socket_ = -1;
  Loaded loaded_{};
  std::vector<Descriptor> descriptors_;
};

}  // namespace attncert::external
