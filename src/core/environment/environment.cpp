// The stamp of a run. The floating-point state is read from the machine, not assumed: one shared object linked with
// -ffast-math sets FTZ and DAZ for the whole process, and every figure of the run would mean something else.
#include "src/core/environment/environment.hpp"

#include <gmp.h>
#include <mpfi.h>
#include <mpfr.h>
#include <sys/utsname.h>

#include <cfenv>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <thread>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "attncert_commit.hpp"  // generated at build time: ATTNCERT_COMMIT, ATTNCERT_DIRTY

namespace attncert {
namespace {

std::string compiler() {
#if defined(__clang__)
  return "clang++ " __clang_version__;
#elif defined(__GNUC__)
  return "g++ " __VERSION__;
#else
  return "unknown";
#endif
}

// The first processor of Linux's list: "AMD EPYC, family 26, model 2, stepping 1", as a virtual machine may give a name
// that many have; other systems and ARM have no such lines.
std::string cpu_model() {
  std::ifstream list("/proc/cpuinfo");
  std::map<std::string, std::string> first;
  for (std::string line; std::getline(list, line) && !line.empty();) {
    const auto colon = line.find(':');
    const auto start = line.find_first_not_of(" \t", colon + 1);
    if (colon == std::string::npos || start == std::string::npos) continue;
    first.emplace(line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1), line.substr(start));
  }
  if (first["model name"].empty()) return "unknown";
  std::string text = first["model name"];
  for (const auto& [key, word] : {std::pair{"cpu family", "family"}, {"model", "model"}, {"stepping", "stepping"}})
    if (const std::string& value = first[key]; !value.empty()) text += std::string(", ") + word + " " + value;
  return text;
}

// The distribution's own name (os-release, where there is one), and the kernel's.
std::string system_name() {
  utsname kernel{};
  std::string text =
      uname(&kernel) != 0 ? "unknown" : std::string(kernel.sysname) + " " + kernel.release + " " + kernel.machine;
  std::ifstream release("/etc/os-release");
  constexpr std::string_view key = "PRETTY_NAME=";
  for (std::string line; std::getline(release, line);) {
    if (!line.starts_with(key)) continue;
    std::string name = line.substr(key.size());
    std::erase(name, '"');
    if (!name.empty()) text = name + ", " + text;
  }
  return text;
}

std::string rounding_name(int mode) {
  const std::map<int, std::string> names{
      {FE_TONEAREST, "to nearest"}, {FE_TOWARDZERO, "toward zero"}, {FE_UPWARD, "upward"}, {FE_DOWNWARD, "downward"}};
  const auto found = names.find(mode);
  return found == names.end() ? "unknown" : found->second;
}

std::string flush_state() {
#if defined(__SSE2__)
  const unsigned control =
      _mm_getcsr();  // MXCSR: bit 15 flush-to-zero, bit 6 denormals-are-zero (Intel SDM vol. 1, 10.2.3)
  const bool flushes = (control & 0x8000u) != 0, ignores = (control & 0x0040u) != 0;
  return flushes ? (ignores ? "FTZ+DAZ" : "FTZ") : ignores ? "DAZ" : "off";
#elif defined(__aarch64__)
  std::uint64_t control = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return (control & (std::uint64_t{1} << 24)) != 0 ? "FTZ+DAZ" : "off";  // FPCR.FZ flushes inputs and results
#else
  return "unknown";
#endif
}

std::map<std::string, std::string> library_versions() {
  std::map<std::string, std::string> versions{
      {"GMP", gmp_version}, {"MPFR", mpfr_get_version()}, {"MPFI", mpfi_get_version()}};
  for (std::string_view rest = ATTNCERT_VERSIONS; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(item.size() == rest.size() ? rest.size() : item.size() + 1);
    const auto equals = item.find('=');
    const std::string_view version = item.substr(equals + 1);
    versions.emplace(item.substr(0, equals), version.empty() ? "unknown" : version);
  }
  return versions;
}

}  // namespace

FloatState float_state() { return {rounding_name(std::fegetround()), flush_state()}; }

Environment environment(std::string isa) {
  const FloatState state = float_state();
  return {.commit = ATTNCERT_COMMIT,
          .dirty = ATTNCERT_DIRTY,
          .compiler = compiler(),
          .flags = ATTNCERT_FLAGS,
          .cpu = cpu_model(),
          .cores = std::thread::hardware_concurrency(),
          .system = system_name(),
          .isa = std::move(isa),
          .rounding = state.rounding,
          .flush_to_zero = state.flush_to_zero,
          .libraries = library_versions()};
}

}  // namespace attncert
