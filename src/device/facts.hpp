// What a device is asked before it is believed.
#pragma once

#include <cstddef>

#include "src/device/device.hpp"

namespace attncert::device {

// Every fact (facts.cpp lists them) about so many triples of floats, subnormal ones among them, against this processor;
// a multiple of 64, which the kernels take at a time.
// A device that fails is refused by the name of the fact.
Result<Done> check_facts(const Device& device, std::size_t triples);
// The same of f64, which a device may have none of.
Result<Done> check_f64_facts(const Device& device, std::size_t triples);

}  // namespace attncert::device
