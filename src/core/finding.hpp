// Finding: one measured number of an empirical statement, in words. It neither passes nor fails.
#pragma once

#include <string>

namespace attncert {

struct Finding {
  std::string what;   // "mean N_s / N at N = L/8, block input, unit"
  std::string value;  // as shown: "0.98 (1,600 rows)"

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("what", self.what);
    field("value", self.value);
  }
};

}  // namespace attncert
