#include "properties/conformance/accuracy/guarded_call.hpp"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <new>

#include "src/core/assert.hpp"
#include "src/core/float_control.hpp"
#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

constexpr std::size_t guard = 64;  // entries: four 512-bit vectors of f32

// From a cache line on: the alignment of a row follows from its layout alone. Not filled with zeros first.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::size_t size) : data_(static_cast<unsigned char*>(::operator new(size, line))) {}
  unsigned char* data() const { return data_.get(); }
  bool empty() const { return data_ == nullptr; }

 private:
  static constexpr std::align_val_t line{64};
  struct Free {
    void operator()(unsigned char* data) const { ::operator delete(data, line); }
  };
  std::unique_ptr<unsigned char, Free> data_;
};

// The pattern of an element that nobody wrote: a quiet NaN with the sign and a payload that no arithmetic makes.
constexpr std::uint64_t untouched_bits(const Format& f) {
  const int below_quiet = f.digits - 2;
  return UINT64_MAX << below_quiet | (0x5A5A5A5A5A5A5A5Au & ~(UINT64_MAX << below_quiet));
}
constexpr auto untouched_patterns = [] {
  std::array<std::uint64_t, std::size(formats)> all{};
  for (const Format& f : formats) all[format_number(f.dtype)] = untouched_bits(f);
  return all;
}();
const unsigned char* untouched(attncert_dtype dtype) {  // little-endian, as is every machine that Highway dispatches on
  return reinterpret_cast<const unsigned char*>(&untouched_patterns[format_number(dtype)]);
}

// Rows of a batch with `padding` entries behind each, `before` of them in front and a guard at the end.
struct Laid {
  std::size_t rows, length, padding, before;
  std::size_t stride() const { return length + padding; }
  std::size_t size() const { return before + rows * stride() + guard; }
  std::size_t at(std::size_t r, std::size_t i) const { return before + r * stride() + i; }
};

// Fills `count` elements from `first` on with `pattern`, by copies that double in length.
void repeat(const unsigned char* pattern, std::size_t width, const Bytes& bytes, std::size_t first, std::size_t count) {
  unsigned char* const to = bytes.data() + first * width;
  const std::size_t end = count * width;
  if (end > 0) std::memcpy(to, pattern, width);
  for (std::size_t done = width; done < end; done *= 2) std::memcpy(to + done, to, std::min(done, end - done));
}

Bytes elements(attncert_dtype dtype, const Laid& laid, const std::vector<double>& dense) {
  unsigned char nan[sizeof(double)];  // beside the rows: a kernel that reads it shows it
  store_element(dtype, nan, 0, std::numeric_limits<double>::quiet_NaN());
  const std::size_t width = format(dtype).bytes;
  Bytes bytes(laid.size() * width);
  repeat(nan, width, bytes, 0, laid.before);
  for (std::size_t r = 0; r < laid.rows; ++r) {
    store_elements(dtype, bytes.data(), laid.at(r, 0), std::span(dense).subspan(r * laid.length, laid.length));
    repeat(nan, width, bytes, laid.at(r, laid.length), laid.padding);
  }
  repeat(nan, width, bytes, laid.at(laid.rows, 0), guard);
  return bytes;
}

Bytes poisoned(attncert_dtype dtype, const Laid& laid) {
  Bytes bytes(laid.size() * format(dtype).bytes);
  repeat(untouched(dtype), format(dtype).bytes, bytes, 0, laid.size());
  return bytes;
}

Bytes keeps(const Laid& laid, const std::vector<std::uint8_t>& dense) {
  Bytes bytes(laid.size());
  std::memset(bytes.data(), 1, laid.size());
  for (std::size_t r = 0; r < laid.rows; ++r)
    std::memcpy(bytes.data() + laid.at(r, 0), dense.data() + r * laid.length, laid.length);
  return bytes;
}

// As many bytes as a kernel asked for, from an odd multiple of 64 on: aligned as promised and no better; guards around
// them.
class Scratch {
 public:
  Scratch(std::size_t bytes, Found found)
      : bytes_(bytes), found_(static_cast<unsigned char>(found)), all_(bytes + 3 * margin) {
    std::memset(all_.data(), found_, bytes + 3 * margin);
  }
  unsigned char* data() const {
    const auto lines = reinterpret_cast<std::uintptr_t>(all_.data()) / margin;
    return all_.data() + (lines % 2 == 0 ? margin : 2 * margin);
  }
  bool guards_kept() const { return kept(data() - margin) && kept(data() + bytes_); }

 private:
  static constexpr std::size_t margin = scratch_alignment;
  bool kept(const unsigned char* guard_bytes) const {
    return std::all_of(guard_bytes, guard_bytes + margin, [this](unsigned char byte) { return byte == found_; });
  }
  std::size_t bytes_;
  unsigned char found_;
  Bytes all_;
};

void run_with_scratch(const attncert_kernel& kernel, attncert_arguments& arguments, Found found,
                      GuardedOutcome& outcome) {
  arguments.scratch_bytes = kernel.scratch_needed == nullptr ? 0 : kernel.scratch_needed(&arguments);
  if (arguments.scratch_bytes == 0) {
    outcome.status = kernel.run(&arguments);
    return;
  }
  const Scratch scratch(arguments.scratch_bytes, found);
  arguments.scratch = scratch.data();
  outcome.status = kernel.run(&arguments);
  outcome.wrote_outside = !scratch.guards_kept();
}

template <class Word>
std::size_t count_words(const unsigned char* at, std::size_t count, const unsigned char* pattern) {
  Word wanted, word;
  std::memcpy(&wanted, pattern, sizeof wanted);
  std::size_t same = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(&word, at + i * sizeof word, sizeof word);
    same += word == wanted;
  }
  return same;
}

// How many of `count` elements from `first` on are as they were before.
std::size_t count_untouched(attncert_dtype dtype, const Bytes& bytes, std::size_t first, std::size_t count) {
  const std::size_t width = format(dtype).bytes;
  const unsigned char* const at = bytes.data() + first * width;
  if (width == 2) return count_words<std::uint16_t>(at, count, untouched(dtype));
  return width == 4 ? count_words<std::uint32_t>(at, count, untouched(dtype))
                    : count_words<std::uint64_t>(at, count, untouched(dtype));
}

// Copies the rows out and looks whether anything beside them changed.
void collect(GuardedOutcome& outcome, attncert_dtype dtype, const Laid& laid, const Bytes& bytes) {
  outcome.output.resize(laid.rows * laid.length);
  std::size_t beside = count_untouched(dtype, bytes, 0, laid.before);
  for (std::size_t r = 0; r < laid.rows; ++r) {
    load_elements(dtype, bytes.data(), laid.at(r, 0), std::span(outcome.output).subspan(r * laid.length, laid.length));
    outcome.unwritten += count_untouched(dtype, bytes, laid.at(r, 0), laid.length);
    beside += count_untouched(dtype, bytes, laid.at(r, laid.length), laid.padding);
  }
  beside += count_untouched(dtype, bytes, laid.at(laid.rows, 0), guard);
  outcome.wrote_outside |= beside != laid.size() - laid.rows * laid.length;
}

}  // namespace

attncert_parameters parameters_of(const RowParameters& p) {
  return {sizeof(attncert_parameters), p.order, p.alpha_numerator, p.alpha_denominator, p.k, p.scale, p.bias};
}

struct LaidCall::Buffers {
  attncert_dtype dtype_out;
  Laid out;
  Bytes input, upstream, keep, output;
  attncert_parameters parameters;
};

LaidCall::LaidCall(attncert_dtype dtype_in, attncert_dtype dtype_out, const LogitRow& batch, std::size_t rows,
                   const Layout& layout) {
  const std::size_t size = batch.logits.size();
  ATTNCERT_ASSERT(rows >= 1 && size % rows == 0 && (batch.mask.empty() || batch.mask.size() == size));
  ATTNCERT_ASSERT(batch.upstream.empty() || batch.upstream.size() == size);
  const std::size_t length = size / rows, before = guard + layout.offset;
  const Laid in{rows, length, layout.input_padding, before},
      out{rows, length, layout.output_padding, before + layout.output_offset},
      mask{rows, length, layout.mask_padding, before + layout.mask_offset},
      slope{rows, length, layout.upstream_padding, before + layout.upstream_offset};
  buffers_ =
      std::make_unique<Buffers>(Buffers{dtype_out, out, elements(dtype_in, in, batch.logits),
                                        batch.upstream.empty() ? Bytes() : elements(dtype_in, slope, batch.upstream),
                                        batch.mask.empty() ? Bytes() : keeps(mask, batch.mask),
                                        poisoned(dtype_out, out), parameters_of(batch.parameters)});
  const Buffers& all = *buffers_;
  const std::size_t wide_in = format(dtype_in).bytes, wide_out = format(dtype_out).bytes;
  arguments_.size = sizeof arguments_;
  arguments_.rows = rows;
  arguments_.length = length;
  arguments_.input_stride = in.stride();
  arguments_.upstream_stride = slope.stride();
  arguments_.output_stride = out.stride();
  arguments_.mask_stride = mask.stride();
  arguments_.input = all.input.data() + in.before * wide_in;
  arguments_.output = all.output.data() + out.before * wide_out;
  arguments_.mask = all.keep.empty() ? nullptr : all.keep.data() + mask.before;
  arguments_.temperature = batch.temperature;
  arguments_.parameters = &all.parameters;
  arguments_.upstream = all.upstream.empty() ? nullptr : all.upstream.data() + slope.before * wide_in;
}

LaidCall::LaidCall(LaidCall&&) noexcept = default;
LaidCall::~LaidCall() = default;

void LaidCall::collect_into(GuardedOutcome& outcome) const {
  collect(outcome, buffers_->dtype_out, buffers_->out, buffers_->output);
}

GuardedOutcome guarded_call(const attncert_kernel& kernel, const LogitRow& batch, std::size_t rows,
                            const Layout& layout) {
  const LaidCall call(kernel.dtype_in, kernel.dtype_out, batch, rows, layout);
  attncert_arguments arguments = call.arguments();
  GuardedOutcome outcome;
  std::fenv_t environment;  // what a kernel leaves behind must not reach its judge, nor the next kernel
  std::fegetenv(&environment);
  outcome.control_before = float_control();
  run_with_scratch(kernel, arguments, layout.scratch, outcome);
  outcome.control_after = float_control();
  std::fesetenv(&environment);
  call.collect_into(outcome);
  return outcome;
}

}  // namespace attncert
