// Curves out of a pass that ran elsewhere, in f64: on a device (src/bounds/device). What the pass is asked with, and
// what it comes back with, so that the same formulas follow as behind the pass of the processor.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/bounds/context.hpp"
#include "src/bounds/distance.hpp"
#include "src/bounds/gram_rows.hpp"
#include "src/bounds/rank_pass.hpp"
#include "src/bounds/row_state.hpp"
#include "src/bounds/separability.hpp"
#include "src/bounds/separability_pass.hpp"

namespace attncert::bounds {

struct PassedPoint {
  Certified S;                // ||s||^2
  RestSums<double> rest;      // over the unselected: `least` as asked, and the answers
  ExcessRange<double> range;  // of the smallest e_i among them
  Count within;               // selected tokens surely and possibly at or below it
};
struct PassedRow {
  std::vector<PassedPoint> points;  // one for every N that was asked for; those of N = 0 are not read
  Certified whole;                  // ||xbar||^2
  double cancellation = 1;          // as Context has it
};

// `row` is prepared with points.weights, and row.columns.product holds x_i . xbar. The errors of the answers are those
// of docs/bounds.md, "On a device".
void passed_distances(RowState<double>& row, const GramFacts<double>& facts, const Points& points,
                      const PassedRow& passed, DistanceCurves& out);
void passed_separability(RowState<double>& row, const GramFacts<double>& facts, const PairDistances& pairs,
                         const Points& points, double token_error, const PassedRow& passed, SeparabilityCurves& out);

}  // namespace attncert::bounds
