// The conduct check of 10,000 calls.
#include "properties/conformance/external/host/conduct_check.hpp"
#include "properties/conformance/external/host/resource_growth.hpp"

namespace attncert::external {
namespace {

constexpr GrowthTime time{3, 1, 60};  // so that the check ends within seconds, on a busy machine in a minute

}  // namespace

void ConductCheck::growth() {
  const std::vector<Recipe> calls{{{1, 4}, 1, 1},  {{1, 17}, 0.5, 2},       {{3, 16}, 1, 3},   {{1, 64}, 2, 4, 1},
                                  {{1, 5}, -1, 5}, {{2, 9}, 1, 6, 0, true}, {{1, 33}, 1, 7, 2}};
  RefilledCall place(kernel_, with_upstream(), calls);
  std::vector<Answer> first(calls.size());
  Answer answer;
  const auto call = [&](std::size_t n) {
    const std::size_t which = n % calls.size();
    const bool is_first = first[which].output.empty();
    place.fill(calls[which]);
    place.call(is_first ? first[which] : answer);
    if (!is_first) compare(Violation::history_dependent, calls[which], answer, first[which]);
  };
  for (const Growing& grown : growing_resources(
           call, [&] { begin(); }, time))
    findings_.add(Violation::grows, {0, Run::conduct, Buffer::none, static_cast<std::int32_t>(grown.resource), 0,
                                     grown.amount, grown.calls});
}

}  // namespace attncert::external
