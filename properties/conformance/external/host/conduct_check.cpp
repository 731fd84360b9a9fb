#include "properties/conformance/external/host/conduct_check.hpp"

#include <algorithm>

#include "properties/conformance/external/host/channel.hpp"
#include "properties/conformance/external/host/elements.hpp"
#include "properties/conformance/external/host/layout.hpp"
#include "properties/conformance/external/host/process_state.hpp"

namespace attncert::external {
namespace {

// Vectors of every width with and without a tail, blocks, a row beyond the first cache.
constexpr std::size_t lengths[] = {1, 2, 3, 5, 8, 13, 16, 17, 31, 64, 65, 127, 256, 300, 1000, 1025, 4099};
constexpr std::size_t longest_batch = 1025;
constexpr std::size_t calls_of_a_run = 10;  // that have the time of one together

// All that is called with one length, in the order in which a careless kernel would keep something: what it drew from
// the first call would spoil the next.
void add_calls(std::vector<Recipe>& calls, std::size_t length, std::uint64_t seed) {
  const Recipe first{{1, length}, 1, next(seed)}, other{{1, length}, 1, next(seed)};
  Recipe touched = other, warmer = other, changed = other, masked = other, masked_else = other, refused = other,
         batch = other;
  touched.touched = true;
  warmer.temperature = 2.5;
  changed.parameters = 1 + length % (parameter_sets - 1);
  masked.masked = masked_else.masked = masked_else.touched = true;
  refused.temperature = -1;
  batch.shape.rows = 3;
  calls.insert(calls.end(),
               {first, other, touched, warmer, first, changed, other, masked, masked_else, other, refused, first});
  if (length <= longest_batch) calls.insert(calls.end(), {batch, first});
}

}  // namespace

Message ConductCheck::run() {
  switch (static_cast<Conduct>(request_.conduct)) {
    case Conduct::threads:
      threads();
      break;
    case Conduct::history:
      history();
      break;
    default:
      growth();
  }
  look_around(Run::conduct, findings_);
  look_at_watcher(Run::conduct, findings_);
  Message message{};
  message.kind = Kind::finished;
  message.run = Run::conduct;
  findings_.write_to(message);
  return message;
}

void ConductCheck::begin() const { begin_run(Run::conduct, request_.cpu_seconds); }

void ConductCheck::compare(Violation violation, const Recipe& recipe, const Answer& is, const Answer& expected) {
  if (is.control_before != is.control_after)
    findings_.add(Violation::environment_changed,
                  {0, Run::conduct, Buffer::none, 0, 0, is.control_before, is.control_after});
  for (Finding found : is.found) {
    found.run = Run::conduct;
    findings_.add(static_cast<Violation>(found.violation), found);
  }
  Finding finding{0, Run::conduct, Buffer::none, is.status, expected.status, recipe.shape.length, 0};
  if (is.status != expected.status) return findings_.add(violation, finding);
  if (is.output == expected.output) return;
  const Pattern out = pattern(kernel_.dtype_out);
  finding.buffer = Buffer::output;
  finding.detail = static_cast<std::int32_t>(recipe.shape.length);
  for (std::size_t i = 0; i < recipe.shape.elements(); ++i) {
    finding.position = static_cast<std::int64_t>(i);
    finding.one = element(out, is.output.data(), i);
    finding.other = element(out, expected.output.data(), i);
    if (finding.one != finding.other) return findings_.add(violation, finding);
  }
}

void ConductCheck::history() {
  std::vector<Recipe> calls;
  std::uint64_t seed = request_.seed;
  for (const std::size_t length : lengths) add_calls(calls, length, next(seed));
  for (std::size_t i = std::size(lengths); i-- > 0;) add_calls(calls, lengths[i], next(seed));
  std::vector<Answer> answers(calls.size());
  RefilledCall place(kernel_, with_upstream(), calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (i % calls_of_a_run == 0) begin();
    place.fill(calls[i]);
    place.call(answers[i]);
  }
  std::vector<std::size_t> order(calls.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[next(seed) % i]);
  RefilledCall elsewhere(kernel_, with_upstream(), calls);
  Answer again;
  for (const std::size_t i : order) {
    if (i % calls_of_a_run == 0) begin();
    elsewhere.fill(calls[i]);
    elsewhere.call(again);
    compare(Violation::history_dependent, calls[i], answers[i], again);
  }
}

}  // namespace attncert::external
