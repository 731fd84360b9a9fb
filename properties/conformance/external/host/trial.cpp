#include "properties/conformance/external/host/trial.hpp"

#include "properties/conformance/external/host/channel.hpp"

namespace attncert::foreign {

Outcome Trial::run() {
  if (request_.rule != Rule::none) return keeps_rule();
  std::uint64_t seed = request_.seed;
  const Layout layout(next(seed));
  Ran first = one_run(Run::first, rows_, layout, 0);
  if (first.status != no_answer) {
    const Ran again = one_run(Run::again, rows_, layout, 1);
    if (first.status == ATTNCERT_OK && again.status == ATTNCERT_OK) look_for_unwritten(first, again);
    compare_rows(Conduct::not_repeatable, Run::again, first, again, rows_.shape.rows);
    if (first.status == ATTNCERT_OK && rows_.shape.elements() > 0) {
      const Ran elsewhere = one_run(Run::elsewhere, rows_, layout.opposite(), 0);
      compare_rows(Conduct::layout_dependent, Run::elsewhere, first, elsewhere, rows_.shape.rows);
      rows_.shape.rows == 1 ? in_a_batch(first, Layout(next(seed))) : each_alone(first, layout);
    }
  }
  return end(std::move(first));
}

Outcome Trial::end(Ran first) {
  Outcome outcome{};
  outcome.message.kind = Kind::finished;
  outcome.message.status = first.status;
  findings_.write_to(outcome.message);
  outcome.output = std::move(first.output);
  return outcome;
}

Outcome Trial::keeps_rule() {
  std::uint64_t seed = request_.seed;
  const Layout layout(next(seed));
  Ran right = one_run(Run::first, rows_, layout, 0);
  if (asks_for_scratch(request_.rule)) {
    begin_run(Run::bent, request_.cpu_seconds);
    PlacedCall placed(kernel_, request_, rows_, layout, 0);
    if (placed.give_scratch(Run::bent, findings_) && placed.bend(request_.rule))
      placed.ask(request_.rule, Run::bent, findings_);
    return end(std::move(right));
  }
  const Ran bent = one_run(Run::bent, rows_, layout, 0, request_.rule);
  const attncert_status expected = entry_of(request_.rule).status;
  if (bent.status == no_answer) return end(std::move(right));
  if (bent.status != expected) {
    findings_.add(Conduct::broken_rule, {0, Run::bent, Buffer::none, bent.status, expected, 0, 0});
  } else if (writes_nothing(request_.rule)) {
    untouched(Conduct::broken_rule, Run::bent, bent, 0);
  } else if (expected == ATTNCERT_OK && right.output == one_run(Run::again, rows_, layout, 0).output) {
    compare_rows(Conduct::broken_rule, Run::bent, right, bent, rows_.shape.rows);
  }
  return end(std::move(right));
}

Trial::Ran Trial::one_run(Run run, const Rows& rows, const Layout& layout, unsigned poison, Rule rule) {
  begin_run(run, request_.cpu_seconds);
  PlacedCall placed(kernel_, request_, rows, layout, poison);
  if (!placed.give_scratch(run, findings_)) return {};
  if (!placed.bend(rule)) return {};
  Ran ran;
  ran.status = placed.call();
  placed.look(run, findings_);
  ran.output = placed.output();
  if (ran.status < ATTNCERT_OK || ran.status > ATTNCERT_BAD_PARAMETER)
    findings_.add(Conduct::bad_status, {0, run, Buffer::none, ran.status, 0, 0, 0});
  else if (ran.status != ATTNCERT_OK) untouched(Conduct::wrote_despite_error, run, ran, poison);
  return ran;
}

void Trial::untouched(Conduct otherwise, Run run, const Ran& ran, unsigned poison) {
  const Pattern out = pattern(kernel_.dtype_out);
  for (std::size_t i = 0; i * out.bytes < ran.output.size(); ++i) {
    const std::uint64_t bits = element(out, ran.output.data(), i);
    if (bits == out.poison[poison]) continue;
    findings_.add(otherwise,
                  {0, run, Buffer::output, ran.status, static_cast<std::int64_t>(i), bits, out.poison[poison]});
    return;
  }
}

// An element that held one pattern before the first run and another before the second, and still does.
void Trial::look_for_unwritten(const Ran& first, const Ran& again) {
  const Pattern out = pattern(kernel_.dtype_out);
  for (std::size_t i = 0; i < rows_.shape.elements(); ++i) {
    if (element(out, first.output.data(), i) != out.poison[0]) continue;
    if (element(out, again.output.data(), i) != out.poison[1]) continue;
    findings_.add(Conduct::left_unwritten, {0, Run::first, Buffer::output, 0, static_cast<std::int64_t>(i), 0, 0});
    return;
  }
}

void Trial::compare(Conduct conduct, Run run, const Ran& one, std::size_t row, const Ran& other,
                    std::size_t other_row) {
  const Pattern out = pattern(kernel_.dtype_out);
  const std::size_t length = rows_.shape.length;
  if (one.status != other.status) {
    findings_.add(conduct, {0, run, Buffer::none, other.status, one.status, 0, 0});
    return;
  }
  if (one.status != ATTNCERT_OK) return;
  for (std::size_t i = 0; i < length; ++i) {
    const std::uint64_t a = element(out, one.output.data(), row * length + i);
    const std::uint64_t b = element(out, other.output.data(), other_row * length + i);
    // What was not written in one of the runs is that, and no difference.
    const auto poisoned = [&](std::uint64_t bits) { return bits == out.poison[0] || bits == out.poison[1]; };
    if ((poisoned(a) || poisoned(b)) && !(is_nan(out, a) && is_nan(out, b))) {
      findings_.add(Conduct::left_unwritten,
                    {0, run, Buffer::output, 0, static_cast<std::int64_t>(row * length + i), 0, 0});
      continue;
    }
    // Any NaN is as good as another: x86 takes the payload of whichever operand stands first.
    if (a == b || (is_nan(out, a) && is_nan(out, b))) continue;
    findings_.add(conduct, {0, run, Buffer::output, 0, static_cast<std::int64_t>(row * length + i), a, b});
    return;
  }
}

void Trial::compare_rows(Conduct conduct, Run run, const Ran& one, const Ran& other, std::size_t rows) {
  for (std::size_t r = 0; r < rows; ++r) compare(conduct, run, one, r, other, r);
}

void Trial::in_a_batch(const Ran& alone, const Layout& layout) {
  constexpr std::size_t rows = 3;
  const Pattern in = pattern(kernel_.dtype_in);
  const std::size_t length = rows_.shape.length, place = request_.seed % rows, reversed = (place + 1) % rows;
  std::vector<std::byte> input(rows * length * in.bytes), mask, upstream;
  // Rows of a batch from one row: itself, its reverse, and the third as `third` says (NaN where there is no NaN for bytes).
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
  compare(Conduct::batch_dependent, Run::batch, alone, 0, dense, place);
  compare_rows(Conduct::layout_dependent, Run::padded, dense, one_run(Run::padded, batch, layout, 0), rows);
}

void Trial::each_alone(const Ran& first, const Layout& layout) {
  const std::size_t length = rows_.shape.length, bytes = pattern(kernel_.dtype_in).bytes;
  const Ran dense = one_run(Run::batch, rows_, layout.dense(), 0);
  compare_rows(Conduct::layout_dependent, Run::batch, first, dense, rows_.shape.rows);
  for (std::size_t r = 0; r < rows_.shape.rows; ++r) {
    const Rows alone{{1, length},
                     rows_.input + r * length * bytes,
                     rows_.mask != nullptr ? rows_.mask + r * length : nullptr,
                     rows_.upstream != nullptr ? rows_.upstream + r * length * bytes : nullptr};
    compare(Conduct::batch_dependent, Run::alone, dense, r, one_run(Run::alone, alone, layout, 0), 0);
  }
}

}  // namespace attncert::foreign
