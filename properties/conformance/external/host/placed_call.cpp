#include "properties/conformance/external/host/placed_call.hpp"

#include <cstring>
#include <utility>

#include "src/core/float_control.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::external {
namespace {

Matrix matrix(Buffer what, std::size_t bytes, Shape shape, const Layout& layout, std::uint64_t between) {
  return Matrix(what, bytes, shape, layout.padding(what), layout.side(what), between);
}

}  // namespace

PlacedCall::PlacedCall(const attncert_kernel& kernel, const Request& request, const Rows& rows, const Layout& layout,
                       unsigned poison)
    : kernel_(kernel),
      layout_(layout),
      poison_(poison),
      input_(matrix(Buffer::input, pattern(kernel.dtype_in).bytes, rows.shape, layout, pattern(kernel.dtype_in).nan)),
      output_(matrix(Buffer::output, pattern(kernel.dtype_out).bytes, rows.shape, layout,
                     pattern(kernel.dtype_out).poison[poison])),
      parameters_(Buffer::parameters, request.has_parameters ? sizeof request.parameters : 0,
                  alignof(attncert_parameters), layout.side(Buffer::parameters)) {
  arguments_.size = sizeof arguments_;
  arguments_.rows = rows.shape.rows;
  arguments_.length = rows.shape.length;
  arguments_.temperature = request.temperature;
  arguments_.input = input_.buffer().data();
  arguments_.input_stride = input_.stride();
  arguments_.output = output_.buffer().data();
  arguments_.output_stride = output_.stride();
  input_.fill(rows.input);
  seal(Buffer::input, input_.buffer());
  if (rows.mask != nullptr) {
    // 1 between the rows: a kernel that reads the mask at a wrong place keeps entries that are masked.
    mask_.emplace(Buffer::mask, 1u, rows.shape, layout.padding(Buffer::mask), layout.side(Buffer::mask), 1u);
    mask_->fill(rows.mask);
    seal(Buffer::mask, mask_->buffer());
    arguments_.mask = reinterpret_cast<const std::uint8_t*>(mask_->buffer().data());
    arguments_.mask_stride = mask_->stride();
  }
  if (rows.upstream != nullptr) {
    const Pattern in = pattern(kernel.dtype_in);
    upstream_.emplace(Buffer::upstream, in.bytes, rows.shape, layout.padding(Buffer::upstream),
                      layout.side(Buffer::upstream), in.nan);
    upstream_->fill(rows.upstream);
    seal(Buffer::upstream, upstream_->buffer());
    arguments_.upstream = upstream_->buffer().data();
    arguments_.upstream_stride = upstream_->stride();
  }
  if (request.has_parameters) {
    std::memcpy(parameters_.data(), &request.parameters, sizeof request.parameters);
    seal(Buffer::parameters, parameters_);
    arguments_.parameters = parameters_.data();
  }
}

void PlacedCall::seal(Buffer what, GuardedBuffer& buffer) {
  sealed_.push_back({what, &buffer, buffer.hash()});
  buffer.make_read_only();
}

bool PlacedCall::give_scratch(Run run, Findings& findings) {
  default_float_control();
  control_before_ = float_control();
  if (kernel_.scratch_needed == nullptr) return true;
  const std::size_t needed = kernel_.scratch_needed(&arguments_), again = kernel_.scratch_needed(&arguments_);
  if (needed != again) findings.add(Violation::bad_scratch, {0, run, Buffer::scratch, 0, 0, needed, again});
  if (needed > most_scratch) {
    findings.add(Violation::bad_scratch, {0, run, Buffer::scratch, 0, 0, needed, most_scratch});
    return false;
  }
  if (needed == 0) return true;
  scratch_.emplace(Buffer::scratch, needed, scratch_alignment, layout_.side(Buffer::scratch));
  // The first content of scratch may not matter: NaN in one run, a large number in the next.
  std::memset(scratch_->data(), poison_ == 0 ? 0xff : 0x7b, needed);
  arguments_.scratch = scratch_->data();
  arguments_.scratch_bytes = needed;
  return true;
}

std::vector<HostBuffer> PlacedCall::buffers() {
  std::vector<HostBuffer> all;
  const auto add = [&](Buffer what, GuardedBuffer& buffer, bool written) {
    all.push_back({what, buffer.data(), buffer.bytes().size(), written});
  };
  add(Buffer::input, input_.buffer(), false);
  add(Buffer::output, output_.buffer(), true);
  if (mask_) add(Buffer::mask, mask_->buffer(), false);
  if (upstream_) add(Buffer::upstream, upstream_->buffer(), false);
  if (scratch_) add(Buffer::scratch, *scratch_, true);
  return all;
}

std::int32_t PlacedCall::call() {
  before_ = arguments_;
  DeviceRun run = call_kernel(kernel_, given(), buffers());
  control_after_ = float_control();
  default_float_control();
  found_there_ = std::move(run.found);
  return run.status;
}

void PlacedCall::ask_for_scratch(const InvalidCall& test, Run run, Findings& findings) {
  before_ = arguments_;
  if (kernel_.scratch_needed == nullptr) return;
  const std::size_t expected = scratch_ ? scratch_->bytes().size() : 0, needed = kernel_.scratch_needed(given());
  control_after_ = float_control();
  default_float_control();
  if (test.demand == Demand::same_scratch && needed != expected)
    findings.add(Violation::failed_invalid_call, {0, run, Buffer::scratch, 0, 0, needed, expected});
  inspect(run, findings);
}

void PlacedCall::inspect(Run run, Findings& findings) const {
  if (control_after_ != control_before_)
    findings.add(Violation::environment_changed, {0, run, Buffer::none, 0, 0, control_before_, control_after_});
  if (std::memcmp(&before_, &arguments_, sizeof before_) != 0)
    findings.add(Violation::changed_input, {0, run, Buffer::none, 0, 0, 0, 0});
  for (Finding finding : found_there_) {
    finding.run = run;
    findings.add(static_cast<Violation>(finding.violation), finding);
  }
  for (const Sealed& sealed : sealed_)
    if (sealed.buffer->hash() != sealed.hash) findings.add(Violation::changed_input, {0, run, sealed.what, 0, 0, 0, 0});
  if (const std::int64_t at = output_.changed_around(); at != 0)
    findings.add(Violation::wrote_outside, {0, run, Buffer::output, 0, at, 0, 0});
  if (!scratch_) return;
  if (const std::int64_t at = scratch_->changed_margin(); at != 0)
    findings.add(Violation::wrote_outside, {0, run, Buffer::scratch, 0, at, 0, 0});
}

}  // namespace attncert::external
