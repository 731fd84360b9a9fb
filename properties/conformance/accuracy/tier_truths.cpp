#include "properties/conformance/accuracy/tier_truths.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "properties/conformance/accuracy/tier_sources.hpp"

namespace attncert {
namespace {

// By normalizer.
constexpr struct {
  std::string_view normalizer;
  tier::TruthOf* truth;
} served[] = {{"softmax", tier::softmax},
              {"ssmax", tier::softmax},
              {"softmax1", tier::softmax1},
              {"log-softmax", tier::log_softmax},
              {"top-k-softmax", tier::top_k_softmax},
              {"sparsemax", tier::sparsemax},
              {"entmax-1.5", tier::entmax15},
              {"entmax", tier::entmax},
              {"sigmoid", tier::sigmoid},
              {"sigmoid-normalized", tier::sigmoid_normalized},
              {"relu-normalized", tier::relu_normalized},
              {"taylor-softmax", tier::taylor_softmax},
              {"sa-softmax-v0", tier::sa_softmax_v0},
              {"sa-softmax-v1", tier::sa_softmax_v1},
              {"sa-softmax-v2", tier::sa_softmax_v2},
              {"sa-softmax-v3", tier::sa_softmax_v3},
              {"softmax-vjp", tier::softmax_vjp},
              {"ssmax-vjp", tier::softmax_vjp},
              {"softmax1-vjp", tier::softmax1_vjp},
              {"log-softmax-vjp", tier::log_softmax_vjp},
              {"top-k-softmax-vjp", tier::top_k_softmax_vjp},
              {"sparsemax-vjp", tier::sparsemax_vjp},
              {"entmax-1.5-vjp", tier::entmax15_vjp},
              {"entmax-vjp", tier::entmax_vjp},
              {"sigmoid-vjp", tier::sigmoid_vjp},
              {"sigmoid-normalized-vjp", tier::sigmoid_normalized_vjp},
              {"relu-normalized-vjp", tier::relu_normalized_vjp},
              {"taylor-softmax-vjp", tier::taylor_softmax_vjp},
              {"sa-softmax-v0-vjp", tier::sa_softmax_v0_vjp},
              {"sa-softmax-v1-vjp", tier::sa_softmax_v1_vjp},
              {"sa-softmax-v2-vjp", tier::sa_softmax_v2_vjp},
              {"sa-softmax-v3-vjp", tier::sa_softmax_v3_vjp}};

const auto* entry_of(const Normalizer& normalizer) {
  const auto found = std::ranges::find(served, normalizer.name, [](const auto& one) { return one.normalizer; });
  return found == std::end(served) ? nullptr : found;
}

bool is_mostly_known(const double_double::Truth& truth) {
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < truth.length; ++i) unknown += std::isinf(truth.high[i]);
  return unknown <= truth.length / 2;
}

}  // namespace

bool TierTruth::serves(const Normalizer& normalizer) { return entry_of(normalizer) != nullptr; }

TierTruth::TierTruth(const Normalizer& normalizer, const LogitRow& row, int min_exponent)
    : sources_(new Sources{normalizer, row, std::ldexp(double_double::ball_unit, min_exponent - 1 - 50)}) {
  sources_->truth = entry_of(normalizer)->truth(*sources_);
  if (sources_->truth && !is_mostly_known(*sources_->truth)) sources_->truth.reset();
}

TierTruth::~TierTruth() = default;

const std::optional<double_double::Truth>& TierTruth::truth() const { return sources_->truth; }

}  // namespace attncert
