// What a kernel promises: its largest error in ulp (reference/ulp.hpp has the definition). The figures stand beside
// each kernel in src/normalizers and nowhere else; tests and the accuracy job read them here.
#pragma once

#include "attncert/kernel.h"

namespace attncert {

struct Budget {
  double unit_temperature;   // ulp at T = 1
  double other_temperature;  // ulp at any other T
};

// The budget of a built-in kernel; +infinity for a kernel that states none.
double ulp_budget(const attncert_kernel& kernel, double temperature);

}  // namespace attncert
