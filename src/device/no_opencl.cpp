// Stands for opencl.cpp where OpenCL's headers were not there when the suite was built.
#include "src/device/device.hpp"

namespace attncert::device {

Result<std::unique_ptr<Device>> open_opencl(std::string_view) {
  return Error{"this was built without OpenCL's headers; scripts/dependencies device, and build again"};
}

}  // namespace attncert::device
