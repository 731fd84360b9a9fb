// Survey: one window of a text through the model, every planned row of every head measured layer by layer, so that no
// more than one layer is held at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "src/core/result.hpp"
#include "src/gpt2/forward.hpp"
#include "src/gpt2/gpt2.hpp"
#include "src/gpt2/normalizer.hpp"
#include "study/measures/measures.hpp"

namespace attncert {

struct SurveyPlan {
  std::vector<std::size_t> queries;  // ascending, below T; the last one is the longest row
  MeasurePlan measures;
  Weighting weighting;
  const device::Device* device = nullptr;  // evaluates the bounds, one with f64; null: the processor does
};

// tokens: a whole window. An Error where the model's attention is not finite on it, or the device fails; `where` names
// the text.
Result<WindowLines> survey_window(const Gpt2& model, std::span<const TokenId> tokens, std::size_t window,
                                  const SurveyPlan& plan, const RowNormalizer& normalizer, const Onlooker& onlooker,
                                  const std::string& where);

}  // namespace attncert
