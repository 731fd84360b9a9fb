#include "study/measures/survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "src/gpt2/finite.hpp"

namespace attncert {
namespace {

class Surveyor {
 public:
  Surveyor(const Gpt2& model, std::size_t window, const SurveyPlan& plan, const Onlooker& onlooker)
      : model_(model),
        window_(window),
        plan_(plan),
        onlooker_(onlooker),
        random_(plan.measures.directions, plan.measures.seed) {}

  void block(std::size_t layer, std::span<const float> input, std::span<const float> ln_1, std::span<const float> qkv) {
    measure_layer();
    input_.assign(input.begin(), input.end());
    ln_1_.assign(ln_1.begin(), ln_1.end());
    values_of_heads(qkv);
    if (layer == 0) embed_ = input_;
    finite_ = finite_ && finite(input) && finite(ln_1);
    tokens_ = std::make_shared<const CapturedTokens>(
        CapturedTokens{window_, layer, input.size() / model_.shape.C, model_.shape.C, input_});
  }

  void row(std::size_t layer, std::size_t head, std::size_t query, std::span<const float> logits,
           std::span<const float> weights) {
    finite_ = finite_ && finite(logits) && finite(weights);
    rows_.push_back(
        {window_, layer, head, query, {logits.begin(), logits.end()}, {weights.begin(), weights.end()}, tokens_});
  }

  // After the pass. Nothing where some number was not finite: the lines would mean nothing.
  bool finish() {
    measure_layer();
    return finite_;
  }
  const Result<Done>& done() const { return done_; }  // what a device could not do, the first time
  WindowLines lines;

 private:
  std::vector<std::size_t> counts(const CapturedRow& row) const {
    const std::vector<std::size_t>& asked = plan_.measures.counts;
    const std::size_t L = row.weights.size();
    if (asked.empty()) return selection_counts(L, longest(row));
    return {asked.begin(), std::upper_bound(asked.begin(), asked.end(), std::max<std::size_t>(1, L - 1))};
  }
  bool longest(const CapturedRow& row) const { return row.query == plan_.queries.back(); }

  void values_of_heads(std::span<const float> qkv) {
    const std::size_t C = model_.shape.C, width = model_.shape.head_size(), count = qkv.size() / (3 * C);
    values_.assign(model_.shape.NH, {});
    if (std::find(plan_.measures.kinds.begin(), plan_.measures.kinds.end(), TokenKind::value) ==
        plan_.measures.kinds.end())
      return;
    for (std::size_t head = 0; head < model_.shape.NH; ++head)
      for (std::size_t i = 0; i < count; ++i) {
        const float* value = qkv.data() + i * 3 * C + 2 * C + head * width;
        values_[head].insert(values_[head].end(), value, value + width);
      }
  }

  void measure_layer() {
    if (!rows_.empty() && finite_ && done_) {
      std::vector<AskedJacobian> asked;
      for (const CapturedRow& row : rows_) {
        if (onlooker_.row) onlooker_.row(row);
        asked.push_back({&row, longest(row)});
      }
      done_ = measure_heads(rows_, plan_.device, lines.heads);
      if (done_)
        done_ = measure_jacobians(asked, plan_.weighting, plan_.measures, plan_.device, random_, lines.jacobian);
      for (const TokenKind kind : plan_.measures.kinds)
        for (const TokenScale scale : plan_.measures.scales) measure_kind(kind, scale);
      if (!has_unit_inputs()) {  // made for the longest rows alone
        const TokenVectors set = token_vectors(TokenKind::hidden, TokenScale::unit, input_, model_.shape.C, 1);
        with_products(set, [&](const MeasuredTokens& products) { measure_longest(products); });
      }
    }
    rows_.clear();
  }

  bool has_unit_inputs() const {
    const std::vector<TokenKind>& kinds = plan_.measures.kinds;
    const std::vector<TokenScale>& scales = plan_.measures.scales;
    return std::find(kinds.begin(), kinds.end(), TokenKind::hidden) != kinds.end() &&
           std::find(scales.begin(), scales.end(), TokenScale::unit) != scales.end();
  }

  template <class Measure>
  void with_products(const TokenVectors& set, Measure measure) {
    if (!done_) return;
    const Result<MeasuredTokens> products = MeasuredTokens::of(set, plan_.device);
    if (products) measure(*products);
    else done_ = products.error();
  }

  void measure_kind(TokenKind kind, TokenScale scale) {
    if (kind == TokenKind::value) {
      for (std::size_t head = 0; head < values_.size(); ++head) {
        const TokenVectors set =
            token_vectors(kind, scale, values_[head], model_.shape.head_size(), plan_.measures.radius);
        with_products(set, [&](const MeasuredTokens& products) { measure_rows(products, head); });
      }
      return;
    }
    if (!done_) return;  // a device that failed is not asked again
    // The embeddings are the same in every layer; their products are computed once.
    if (kind == TokenKind::embed) {
      auto& [set, products] = embedded_[scale];
      if (!products) {
        set = std::make_unique<TokenVectors>(token_vectors(kind, scale, embed_, model_.shape.C, plan_.measures.radius));
        Result<MeasuredTokens> made = MeasuredTokens::of(*set, plan_.device);
        if (made) products = std::make_unique<MeasuredTokens>(*std::move(made));
        else done_ = made.error();
      }
      if (products) measure_rows(*products, any_head);
      return;
    }
    const TokenVectors set =
        token_vectors(kind, scale, kind == TokenKind::ln1 ? ln_1_ : input_, model_.shape.C, plan_.measures.radius);
    with_products(set, [&](const MeasuredTokens& products) {
      measure_rows(products, any_head);
      if (kind == TokenKind::hidden && scale == TokenScale::unit) measure_longest(products);
    });
  }

  static constexpr std::size_t any_head = static_cast<std::size_t>(-1);

  void measure_rows(const MeasuredTokens& tokens, std::size_t head) {
    std::vector<AskedSelections> asked;
    for (const CapturedRow& row : rows_)
      if (head == any_head || row.head == head) asked.push_back({&row, counts(row)});
    if (done_) done_ = tokens.measure(asked, onlooker_, lines.selections);
  }

  // What only the longest rows are asked: other normalizers, and in the first window the picture.
  void measure_longest(const MeasuredTokens& tokens) {
    for (const CapturedRow& row : rows_) {
      if (!longest(row) || !done_) continue;
      if (plan_.weighting.normalizer == "softmax")
        done_ = measure_alternatives(row, shorter(row), plan_.weighting.temperature, tokens, lines.alternatives);
      if (window_ == 0) measure_geometry(row, tokens.tokens(), lines.geometry);
    }
  }

  // The row of the same head whose length is nearest to an eighth.
  const CapturedRow& shorter(const CapturedRow& row) const {
    const double wanted = std::log(static_cast<double>(row.query + 1) / 8);
    const auto distance = [&](const CapturedRow& other) {
      return std::fabs(std::log(static_cast<double>(other.query + 1)) - wanted);
    };
    const CapturedRow* best = &row;
    for (const CapturedRow& other : rows_)
      if (other.head == row.head && distance(other) < distance(*best)) best = &other;
    return *best;
  }

  const Gpt2& model_;
  std::size_t window_;
  const SurveyPlan& plan_;
  const Onlooker& onlooker_;
  RandomDirections random_;
  bool finite_ = true;
  Result<Done> done_ = Done{};
  std::vector<float> embed_, input_, ln_1_;
  std::vector<std::vector<float>> values_;  // by head
  std::map<TokenScale, std::pair<std::unique_ptr<TokenVectors>, std::unique_ptr<MeasuredTokens>>> embedded_;
  std::shared_ptr<const CapturedTokens> tokens_;
  std::vector<CapturedRow> rows_;  // of this layer, by head and query
};

}  // namespace

Result<WindowLines> survey_window(const Gpt2& model, std::span<const TokenId> tokens, std::size_t window,
                                  const SurveyPlan& plan, const RowNormalizer& normalizer, const Onlooker& onlooker,
                                  const std::string& where) {
  Surveyor surveyor(model, window, plan, onlooker);
  Watch watch;
  watch.attention_only = true;
  watch.queries = plan.queries;
  watch.block = [&](std::size_t layer, auto input, auto ln_1, auto qkv) { surveyor.block(layer, input, ln_1, qkv); };
  watch.row = [&](std::size_t layer, std::size_t head, std::size_t query, auto logits, auto weights) {
    surveyor.row(layer, head, query, logits, weights);
  };
  forward(model, tokens, normalizer, watch);
  const bool finite = surveyor.finish();
  if (!surveyor.done()) return surveyor.done().error();
  if (!finite)
    return Error{fmt::format("{}: the model's attention is not finite in window {}; use a checkpoint that runs in f32",
                             where, window)};
  return std::move(surveyor.lines);
}

}  // namespace attncert
