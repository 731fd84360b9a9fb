// The section of a report on what benchmarks found, where it is given. The bars are those of the file.
#pragma once

#include "reports/bench_record.hpp"
#include "reports/document.hpp"

namespace attncert::report {

void add_bench(const Bench& bench, Document& document);
Numbers::Item bars_held(const Bench& bench);

}  // namespace attncert::report
