#include "cli/survey_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/core/hash.hpp"
#include "src/core/number_in.hpp"
#include "src/core/table.hpp"
#include "src/gpt2/products.hpp"
#include "study/analysis/diagnosis.hpp"
#include "study/analysis/kolmogorov_smirnov.hpp"
#include "study/attention_lines.hpp"

namespace attncert::cli {
namespace {

Error wrong_number(const char* option, std::string_view word, const std::string& wanted) {
  return {fmt::format("{}: \"{}\" is not {}; give them between commas", option, word, wanted)};
}

// Whole numbers from `least` to `most` between commas, made ascending.
Result<std::vector<std::size_t>> whole_numbers(const char* option, const std::string& list, std::size_t least,
                                               std::size_t most) {
  std::vector<std::size_t> numbers;
  for (const std::string_view word : table::split(list)) {
    const auto number = number_in<std::uint64_t>(word);
    if (!number || *number < least || *number > most)
      return wrong_number(option, word, fmt::format("a whole number from {} to {}", least, most));
    numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

Result<std::vector<std::size_t>> queries_of(const std::string& list, std::size_t T) {
  if (list.empty()) return default_queries(T);
  if (list != "all") return whole_numbers("--queries", list, 0, T - 1);
  std::vector<std::size_t> queries(T);
  std::iota(queries.begin(), queries.end(), std::size_t{0});
  return queries;
}

Result<std::vector<double>> temperatures_of(const std::string& list) {
  std::vector<double> temperatures;
  for (const std::string_view word : table::split(list)) {
    const auto number = number_in<double>(word);
    if (!number || !(*number > 0 && std::isfinite(*number)))
      return wrong_number("--temperatures", word, "a positive number");
    temperatures.push_back(*number);
  }
  return temperatures;
}

// Names between commas, each at most once.
template <class Kind, class All>
Result<std::vector<Kind>> named(const char* option, const std::string& list, const All& all) {
  std::vector<Kind> chosen;
  for (const std::string_view word : table::split(list)) {
    const auto found = std::find_if(all.begin(), all.end(), [&](Kind kind) { return word == name(kind); });
    if (found == all.end() || std::find(chosen.begin(), chosen.end(), *found) != chosen.end()) {
      std::vector<std::string> names;
      for (const Kind kind : all) names.emplace_back(name(kind));
      return Error{
          fmt::format("{}: \"{}\" is not one of {}, once each, between commas", option, word, fmt::join(names, ", "))};
    }
    chosen.push_back(*found);
  }
  return chosen;
}

// "3/2" or "1.5": a quotient of whole numbers above 1.
Result<Done> read_alpha(const std::string& text, attncert_parameters& parameters) {
  const auto bar = text.find('/'), point = text.find('.');
  std::string upper = text.substr(0, bar), lower = bar == std::string::npos ? "1" : text.substr(bar + 1);
  if (bar == std::string::npos && point != std::string::npos) {
    upper = text.substr(0, point) + text.substr(point + 1);
    lower = "1" + std::string(text.size() - point - 1, '0');
  }
  const auto numerator = number_in<std::uint64_t>(upper), denominator = number_in<std::uint64_t>(lower);
  if (upper.size() > 9 || lower.size() > 9 || !numerator || !denominator || *numerator <= *denominator ||
      *denominator == 0)
    return Error{"--alpha: \"" + text + "\" is not a number above 1 such as 1.5 or 3/2 of at most nine digits"};
  parameters.alpha_numerator = *numerator;
  parameters.alpha_denominator = *denominator;
  return Done{};
}

template <class Line>
void add_columns(std::string& text) {
  text += fmt::format("{}.csv\n", Line::table);
  Line line;
  Line::columns(
      line, [&](const char* name, auto&, const char* meaning) { text += fmt::format("  {:<24} {}\n", name, meaning); });
}

template <class Number>
std::uint64_t fingerprint_of(std::span<const Number> numbers, std::uint64_t before = 0) {
  return fingerprint({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()}, before);
}

std::uint64_t fingerprint_of(const Gpt2& model) {
  std::uint64_t value = 0;
  const auto add = [&](const std::vector<float>& numbers) { value = fingerprint_of(std::span(numbers), value); };
  add(model.checkpoint.wte);
  add(model.checkpoint.wpe);
  for (const Block& block : model.checkpoint.blocks)
    for (const auto* numbers : {&block.ln_1.gain, &block.ln_1.bias, &block.qkv.weight, &block.qkv.bias,
                                &block.projection.weight, &block.projection.bias, &block.ln_2.gain, &block.ln_2.bias,
                                &block.expand.weight, &block.expand.bias, &block.contract.weight, &block.contract.bias})
      add(*numbers);
  return value;
}

}  // namespace

Result<SurveyPlan> survey_plan(const Gpt2Options& options, std::size_t T) {
  SurveyPlan plan;
  Error error;
  const bool read = take(queries_of(options.queries, T), plan.queries, error) &&
                    take(named<TokenKind>("--tokens", options.tokens, token_kinds), plan.measures.kinds, error) &&
                    take(named<TokenScale>("--scales", options.scales, std::array{TokenScale::raw, TokenScale::unit}),
                         plan.measures.scales, error);
  if (!read) return error;
  if (!(options.radius > 0 && std::isfinite(options.radius)))
    return Error{"--radius: is not a positive number; 1 is the unit sphere"};
  plan.measures.radius = options.radius;
  if (!options.counts.empty() && !take(whole_numbers("--counts", options.counts, 1, T), plan.measures.counts, error))
    return error;
  if (!options.temperatures.empty() && !take(temperatures_of(options.temperatures), plan.measures.temperatures, error))
    return error;
  if (!(options.temperature >= 1e-30 && options.temperature <= 1e30))
    return Error{"--temperature: is not a number from 1e-30 to 1e30"};
  plan.weighting.normalizer = options.normalizer;
  plan.weighting.temperature = options.temperature;
  const Result<Done> alpha = read_alpha(options.alpha, plan.weighting.parameters);
  if (!alpha) return alpha.error();
  plan.weighting.parameters.scale = options.ssmax_scale;
  plan.weighting.parameters.k = options.k;
  return plan;
}

PlanFacts survey_facts(const Gpt2Options& options, const SurveyPlan& plan, const Gpt2& model,
                       std::span<const TokenId> tokens) {
  const Shape& shape = model.shape;
  const auto sizes = {shape.T, shape.C, shape.V, shape.L, shape.NH, shape.F};
  PlanFacts facts{{"model", fmt::format("{:x}", fingerprint_of(model))},
                  {"shape", fmt::format("{}", fmt::join(sizes, " "))},
                  {"epsilon", fmt::format("{}", shape.layer_norm_epsilon)},
                  {"tokens read", fmt::format("{:x}", fingerprint_of(tokens))},
                  {"queries", fmt::format("{}", fmt::join(plan.queries, " "))},
                  {"normalizer", options.normalizer},
                  {"temperature", fmt::format("{}", options.temperature)},
                  {"alpha", options.alpha},
                  {"ssmax scale", fmt::format("{}", options.ssmax_scale)},
                  {"k", fmt::format("{}", options.k)},
                  {"tokens", options.tokens},
                  {"scales", options.scales},
                  {"counts", options.counts},
                  {"temperatures", options.temperatures},
                  {"radius", fmt::format("{}", options.radius)},
                  {products_fact, products_line()}};
  if (options.device) facts.emplace("bounds", "on a device");  // any: the same bits on each
  return facts;
}

Result<std::vector<std::pair<std::size_t, std::size_t>>> drawn_heads(const std::string& list) {
  std::vector<std::pair<std::size_t, std::size_t>> heads;
  if (list.empty()) return heads;
  for (const std::string_view word : table::split(list)) {
    const auto colon = std::min(word.find(':'), word.size());
    const auto layer = number_in<std::size_t>(word.substr(0, colon));
    const auto head = colon == word.size() ? std::nullopt : number_in<std::size_t>(word.substr(colon + 1));
    if (!layer || !head) return wrong_number("--draw", word, "LAYER:HEAD, as 3:0");
    heads.emplace_back(*layer, *head);
  }
  return heads;
}

std::string columns_text() {
  std::string text;
  add_columns<HeadLine>(text);
  add_columns<SelectionLine>(text);
  add_columns<JacobianLine>(text);
  add_columns<AlternativeLine>(text);
  add_columns<GeometryLine>(text);
  add_columns<CheckLine>(text);
  add_columns<ClaimLine>(text);
  add_columns<report::KsLine>(text);
  add_columns<report::DiagnosisLine>(text);
  return text;
}

}  // namespace attncert::cli
