// What `attncert gpt2` is asked for, made into a plan; a wrong word is one line.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/campaign.hpp"
#include "cli/commands.hpp"
#include "src/core/result.hpp"
#include "study/measures/survey.hpp"

namespace attncert::cli {

// T: tokens of the model's window.
Result<SurveyPlan> survey_plan(const Gpt2Options& options, std::size_t T);

// Everything that decides the lines of a window: the model and the tokens of the text by their contents, and what
// multiplies matrices. Not how many windows are asked for.
PlanFacts survey_facts(const Gpt2Options& options, const SurveyPlan& plan, const Gpt2& model,
                       std::span<const TokenId> tokens);

// "3:0,5:11" as layers and heads; empty for the empty list.
Result<std::vector<std::pair<std::size_t, std::size_t>>> drawn_heads(const std::string& list);

std::string columns_text();  // the columns of every table with their meaning

}  // namespace attncert::cli
