// The stamp of a run: what a stranger needs to know about where its numbers come from.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace attncert {

struct Environment {
  std::string commit;                            // git hash at configure/build time, "unknown" outside a checkout
  bool dirty = false;                            // the checkout had changes
  std::string compiler, flags;                   // "g++ 12.2.0", the flags of the build type
  std::string cpu;                               // model name
  std::uint64_t cores = 0;                       // logical processors, 0 where the system does not say
  std::string system;                            // "Debian GNU/Linux 12 (bookworm), Linux 6.1.0-18-amd64 x86_64"
  std::string isa;                               // instruction set that the kernels use
  std::string rounding;                          // "to nearest", ...
  std::string flush_to_zero;                     // "off", "FTZ", "DAZ", "FTZ+DAZ"
  std::map<std::string, std::string> libraries;  // name -> version, run-time versions where they can be asked

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("commit", self.commit);
    field("dirty", self.dirty);
    field("compiler", self.compiler);
    field("flags", self.flags);
    field("cpu", self.cpu);
    field({"cores", true}, self.cores);
    field({"system", true}, self.system);
    field("isa", self.isa);
    field("rounding", self.rounding);
    field("ftz", self.flush_to_zero);
    field("libraries", self.libraries);
  }
};

Environment environment(std::string isa);

struct FloatState {
  std::string rounding, flush_to_zero;
};
FloatState float_state();  // of the calling thread, now

}  // namespace attncert
