// What the suite asks of its own speed: the most that the ratio of a benchmark's time to a peer's may be.
#pragma once

#include <optional>
#include <string_view>

#include "bench/ledger.hpp"

namespace attncert::bench {

std::optional<double> bar(const Benchmark& what, std::string_view peer);

}  // namespace attncert::bench
