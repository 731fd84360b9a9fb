#include "properties/conformance/external/host/trial.hpp"

#include "properties/conformance/external/host/channel.hpp"
#include "properties/conformance/external/host/process_state.hpp"

namespace attncert::external {

Outcome Trial::run() {
  if (request_.invalid_call < no_test) return run_invalid_call(invalid_calls[request_.invalid_call]);
  std::uint64_t seed = request_.seed;
  const Layout layout(next(seed));
  Ran first = one_run(Run::first, rows_, layout, 0);
  if (first.status != no_answer && !request_.only_first) {
    const Ran again = one_run(Run::again, rows_, layout, 1);
    if (first.status == ATTNCERT_OK && again.status == ATTNCERT_OK) look_for_unwritten(first, again);
    compare_rows(Violation::not_repeatable, Run::again, first, again, rows_.shape.rows);
    if (first.status == ATTNCERT_OK && rows_.shape.elements() > 0) {
      const Ran elsewhere = one_run(Run::elsewhere, rows_, layout.opposite(), 0);
      compare_rows(Violation::layout_dependent, Run::elsewhere, first, elsewhere, rows_.shape.rows);
      rows_.shape.rows == 1 ? in_a_batch(first, Layout(next(seed))) : each_alone(first, layout);
    }
  }
  return end(std::move(first));
}

Outcome Trial::end(Ran first) {
  Outcome outcome{};
  outcome.message.kind = Kind::finished;
  outcome.message.status = first.status;
  if (!request_.only_first) look_around(Run::first, findings_);  // a search looks again at what it kept
  look_at_watcher(Run::first, findings_);                        // what it says belongs to this call
  findings_.write_to(outcome.message);
  outcome.output = std::move(first.output);
  return outcome;
}

Outcome Trial::run_invalid_call(const InvalidCall& test) {
  std::uint64_t seed = request_.seed;
  const Layout layout(next(seed));
  Ran valid = one_run(Run::first, rows_, layout, 0);
  if (asks_for_scratch(test.demand)) {
    begin_run(Run::changed, request_.cpu_seconds);
    PlacedCall placed(kernel_, request_, rows_, layout, 0);
    if (placed.give_scratch(Run::changed, findings_) && placed.change(test))
      placed.ask_for_scratch(test, Run::changed, findings_);
    return end(std::move(valid));
  }
  const Ran changed = one_run(Run::changed, rows_, layout, 0, &test);
  const attncert_status expected = status_of(test.demand);
  if (changed.status == no_answer) return end(std::move(valid));
  if (changed.status != expected) {
    findings_.add(Violation::failed_invalid_call, {0, Run::changed, Buffer::none, changed.status, expected, 0, 0});
  } else if (test.demand == Demand::no_output) {
    expect_untouched(Violation::failed_invalid_call, Run::changed, changed, 0);
  } else if (test.demand == Demand::same_output && valid.output == one_run(Run::again, rows_, layout, 0).output) {
    compare_rows(Violation::failed_invalid_call, Run::changed, valid, changed, rows_.shape.rows);
  }
  return end(std::move(valid));
}

Trial::Ran Trial::one_run(Run run, const Rows& rows, const Layout& layout, unsigned poison, const InvalidCall* test) {
  begin_run(run, request_.cpu_seconds);
  PlacedCall placed(kernel_, request_, rows, layout, poison);
  if (!placed.give_scratch(run, findings_)) return {};
  if (test != nullptr && !placed.change(*test)) return {};
  Ran ran;
  ran.status = placed.call();
  placed.inspect(run, findings_);
  ran.output = placed.output();
  if (ran.status < ATTNCERT_OK || ran.status > ATTNCERT_NO_RESOURCES)
    findings_.add(Violation::bad_status, {0, run, Buffer::none, ran.status, 0, 0, 0});
  else if (ran.status != ATTNCERT_OK) expect_untouched(Violation::wrote_despite_error, run, ran, poison);
  return ran;
}

void Trial::expect_untouched(Violation otherwise, Run run, const Ran& ran, unsigned poison) {
  const Pattern out = pattern(kernel_.dtype_out);
  for (std::size_t i = 0; i * out.bytes < ran.output.size(); ++i) {
    const std::uint64_t bits = element(out, ran.output.data(), i);
    if (bits == out.poison[poison]) continue;
    findings_.add(otherwise,
                  {0, run, Buffer::output, ran.status, static_cast<std::int64_t>(i), bits, out.poison[poison]});
    return;
  }
}

// An unwritten element still holds the pattern of the first run after the first and that of the second after the
// second.
void Trial::look_for_unwritten(const Ran& first, const Ran& again) {
  const Pattern out = pattern(kernel_.dtype_out);
  for (std::size_t i = 0; i < rows_.shape.elements(); ++i) {
    if (element(out, first.output.data(), i) != out.poison[0]) continue;
    if (element(out, again.output.data(), i) != out.poison[1]) continue;
    findings_.add(Violation::left_unwritten, {0, Run::first, Buffer::output, 0, static_cast<std::int64_t>(i), 0, 0});
    return;
  }
}

void Trial::compare(Violation violation, Run run, const Ran& one, std::size_t row, const Ran& other,
                    std::size_t other_row) {
  const Pattern out = pattern(kernel_.dtype_out);
  const std::size_t length = rows_.shape.length;
  if (one.status != other.status) {
    findings_.add(violation, {0, run, Buffer::none, other.status, one.status, 0, 0});
    return;
  }
  if (one.status != ATTNCERT_OK) return;
  for (std::size_t i = 0; i < length; ++i) {
    const std::uint64_t a = element(out, one.output.data(), row * length + i);
    const std::uint64_t b = element(out, other.output.data(), other_row * length + i);
    // An element that one of the runs left unwritten is reported as unwritten and not as a difference.
    const auto poisoned = [&](std::uint64_t bits) { return bits == out.poison[0] || bits == out.poison[1]; };
    if ((poisoned(a) || poisoned(b)) && !(is_nan(out, a) && is_nan(out, b))) {
      findings_.add(Violation::left_unwritten,
                    {0, run, Buffer::output, 0, static_cast<std::int64_t>(row * length + i), 0, 0});
      continue;
    }
    // NaNs are not told apart: on x86 a NaN result takes the payload of the first operand, and operands may swap
    // places.
    if (a == b || (is_nan(out, a) && is_nan(out, b))) continue;
    findings_.add(violation, {0, run, Buffer::output, 0, static_cast<std::int64_t>(row * length + i), a, b});
    return;
  }
}

void Trial::compare_rows(Violation violation, Run run, const Ran& one, const Ran& other, std::size_t rows) {
  for (std::size_t r = 0; r < rows; ++r) compare(violation, run, one, r, other, r);
}

void Trial::in_a_batch(const Ran& alone, const Layout& layout) {
  constexpr std::size_t rows = 3;
  const Pattern in = pattern(kernel_.dtype_in);
  const std::size_t length = rows_.shape.length, place = request_.seed % rows, reversed = (place + 1) % rows;
  std::vector<std::byte> input(rows * length * in.bytes), mask, upstream;
  // A batch of three rows from one: the row, its reverse, and a row filled with `third` (NaN, or 1 in a mask).
  const auto spread = [&](std::vector<std::byte>& batch, const std::byte* row, std::size_t bytes, std::uint64_t third) {
    batch.resize(rows * length * bytes);
    for (std::size_t i = 0; i < length; ++i) {
      std::memcpy(&batch[(place * length + i) * bytes], row + i * bytes, bytes);
      std::memcpy(&batch[(reversed * length + i) * bytes], row + (length - 1 - i) * bytes, bytes);
      std::memcpy(&batch[((place + 2) % rows * length + i) * bytes], &third, bytes);
    }
  };
  spread(input, rows_.input, in.bytes, in.nan);
  if (rows_.mask != nullptr) spread(mask, rows_.mask, 1, 1);
  if (rows_.upstream != nullptr) spread(upstream, rows_.upstream, in.bytes, in.nan);
  const Rows batch{{rows, length},
                   input.data(),
                   rows_.mask != nullptr ? mask.data() : nullptr,
                   rows_.upstream != nullptr ? upstream.data() : nullptr};
  const Ran dense = one_run(Run::batch, batch, layout.dense(), 1);
  compare(Violation::batch_dependent, Run::batch, alone, 0, dense, place);
  compare_rows(Violation::layout_dependent, Run::padded, dense, one_run(Run::padded, batch, layout, 0), rows);
}

void Trial::each_alone(const Ran& first, const Layout& layout) {
  const std::size_t length = rows_.shape.length, bytes = pattern(kernel_.dtype_in).bytes;
  const Ran dense = one_run(Run::batch, rows_, layout.dense(), 0);
  compare_rows(Violation::layout_dependent, Run::batch, first, dense, rows_.shape.rows);
  for (std::size_t r = 0; r < rows_.shape.rows; ++r) {
    const Rows alone{{1, length},
                     rows_.input + r * length * bytes,
                     rows_.mask != nullptr ? rows_.mask + r * length : nullptr,
                     rows_.upstream != nullptr ? rows_.upstream + r * length * bytes : nullptr};
    compare(Violation::batch_dependent, Run::alone, dense, r, one_run(Run::alone, alone, layout, 0), 0);
  }
}

}  // namespace attncert::external
