// The bounds' accuracy job: rows of every subject -> what a kernel says on each instruction set -> the verdict against the truth.
// The truth about a row is enclosed once and serves every instruction set.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "properties/conformance/bounds/judge.hpp"

namespace attncert {

struct BoundPlan {
  std::uint64_t seed = 1, rows = 60;  // rows per subject and dtype
  RowSize size = RowSize::small;
  std::vector<std::string> subjects, isas;  // empty = all
  std::vector<attncert_dtype> dtypes;       // f32 and f64 alone have bound kernels; empty = both
  std::string only_row;                     // "row:17": repeat a finding
  unsigned jobs = 0;                        // threads that judge; 0 = one per core. Changes no figure.
};

struct BoundReport {
  std::string subject, isa, dtype;
  std::uint64_t rows = 0;
  BoundJudgement judgement;
  std::string worst_row;
};
std::vector<BoundReport> run_bounds(
    const BoundPlan& plan, const std::function<void(std::string_view, std::size_t, std::size_t)>& progress = {});

// Rows tried until a kernel was outside or weak, or 0; `witness` says where. Rows it cannot be asked are skipped.
struct BoundCatch {
  std::uint64_t rows = 0;
  bool caught = false;
  std::string witness;
  BoundJudgement judgement;
};
BoundCatch hunt(std::string_view subject, BoundKernel kernel, const BoundPlan& plan, bool stop_at_first);

}  // namespace attncert
