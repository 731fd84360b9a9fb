// Claims on captured attention: one token set (window, layer, raw or unit) at a time, all its rows, all planned N,
// every claim that speaks of selections; and every row's logits for the claims about softmax.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "properties/claims/claim.hpp"
#include "properties/claims/instances/captured.hpp"
#include "src/core/record.hpp"

namespace attncert {

struct RealResult {
  std::map<std::string, Tally> tallies;                                // by claim id
  std::map<std::string, std::vector<Counterexample>> counterexamples;  // by claim id: the smallest of each part
  double largest_rounding = 0;
  std::uint64_t ties = 0;  // selections in which the N-th weight was shared with an unselected token
};

// Rows over the tokens number `set` of the capture, in order.
// Whether it speaks of captured rows of that kind.
bool speaks_of(const Statement& statement, RealRows kind);

RealResult judge_selections(std::span<const Statement* const> statements, const CapturedAttention& attention,
                            std::size_t set, TokenScale scale, const std::atomic<bool>& stop);
RealResult judge_logits(std::span<const Statement* const> statements, const CapturedAttention& attention,
                        std::size_t set, const std::atomic<bool>& stop);

}  // namespace attncert
