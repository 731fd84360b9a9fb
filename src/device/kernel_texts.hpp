// The texts of src/device/kernels with what they include, as a device compiles them: softmax_text, facts_text.
#pragma once

#include "device_kernels.hpp"  // made by CMakeLists.txt
