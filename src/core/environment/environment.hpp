// The stamp of a run: what a stranger needs to know about where its numbers come from.
#pragma once

#include <map>
#include <string>

namespace attncert {

struct Environment {
  std::string commit;                            // git hash at configure/build time, "unknown" outside a checkout
  bool dirty = false;                            // the checkout had changes
  std::string compiler, flags;                   // "g++ 12.2.0", the flags of the build type
  std::string cpu;                               // model name
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
