#include "properties/dumps/host/called_case.hpp"

#include <cstring>
#include <memory>

#include "properties/conformance/external/host/guarded_buffer.hpp"
#include "properties/dumps/host/loaded_kernels.hpp"
#include "src/core/number_in.hpp"
#include "src/files/safetensors.hpp"
#include "src/files/safetensors_text.hpp"
#include "src/files/stored_numbers.hpp"

namespace attncert::attention_host {
namespace {

using external::Buffer;
using external::GuardedBuffer;
using external::Side;

constexpr std::size_t gap = 3;             // elements between rows that are apart: no vector is aligned there
constexpr unsigned char unwritten = 0xff;  // NaN in every format

class PlacedCase {
 public:
  PlacedCase(const attncert_attention_kernel& kernel, const Safetensors& file,
             const std::map<std::string, std::string>& settings, bool apart)
      : kernel_(kernel),
        file_(file),
        settings_(settings),
        side_(apart ? Side::front : Side::back),
        gap_(apart ? gap : 0) {}

  Result<Done> place() {
    for (const char* name : {"q", "k", "v"}) {
      const Tensor* tensor = file_.find(name);
      if (tensor == nullptr || tensor->shape.size() != 4 || tensor->dtype != stored_as(kernel_.dtype))
        return Error{file_.where() + ": lacks " + name + " of four axes and type " +
                     std::string(stored_as(kernel_.dtype)) + "; attncert cases writes what a kernel is given"};
    }
    const auto &q = file_.find("q")->shape, &k = file_.find("k")->shape, &v = file_.find("v")->shape;
    a_.size = sizeof a_;
    a_.batches = q[0], a_.heads = q[1], a_.queries = q[2], a_.head_size = q[3];
    a_.kv_heads = k[1], a_.keys = k[2], a_.value_size = v[3];
    a_.q = input("q"), a_.k = input("k"), a_.v = input("v");
    if (file_.find("bias") != nullptr) a_.bias = input("bias");
    if (file_.find("mask") != nullptr) a_.mask = input("mask");
    a_.sinks = floats("sinks"), a_.slopes = floats("slopes");
    if (const float* lengths = floats("lengths")) {
      lengths_.assign(lengths, lengths + a_.batches);
      a_.lengths = lengths_.data();
    }
    a_.scale = number("scale", 1), a_.softcap = number("softcap", 0);
    a_.window = static_cast<std::size_t>(number("window", 0));
    a_.flags = settings_.count("causal") != 0 ? ATTNCERT_CAUSAL : 0;
    a_.causal_offset = static_cast<std::int64_t>(a_.keys) - static_cast<std::int64_t>(a_.queries);
    return Done{};
  }

  // Outputs are made anew for each call.
  attncert_attention_status call() {
    const std::size_t row = a_.value_size + gap_, rows = a_.batches * a_.heads * a_.queries;
    o_ = std::make_unique<GuardedBuffer>(Buffer::none, rows * row * each_out(), 64, side_);
    lse_ = std::make_unique<GuardedBuffer>(Buffer::none, rows * sizeof(float), alignof(float), side_);
    for (GuardedBuffer* buffer : {o_.get(), lse_.get()}) std::memset(buffer->data(), unwritten, buffer->bytes().size());
    a_.o = {o_->data(), a_.heads * a_.queries * row, a_.queries * row, row};
    a_.lse = reinterpret_cast<float*>(lse_->data());
    return kernel_.run(&a_);
  }

  std::string misconduct() const {
    if (o_->changed_margin() != 0) return "wrote outside o";
    if (lse_->changed_margin() != 0) return "wrote outside lse";
    const auto bytes = o_->bytes();
    const std::size_t row = (a_.value_size + gap_) * each_out(), used = a_.value_size * each_out();
    for (std::size_t n = 0; n < bytes.size(); ++n)
      if ((n / row >= a_.batches * a_.heads * a_.queries || n % row >= used) && bytes[n] != std::byte{unwritten})
        return "wrote between or behind the rows of o";
    return "";
  }

  // o and lse as they were written, rows together.
  std::pair<std::string, std::string> written() const {
    std::string o, lse(reinterpret_cast<const char*>(lse_->bytes().data()), lse_->bytes().size());
    const std::size_t row = (a_.value_size + gap_) * each_out(), used = a_.value_size * each_out();
    for (std::size_t r = 0; r < a_.batches * a_.heads * a_.queries; ++r)
      o.append(reinterpret_cast<const char*>(o_->bytes().data()) + r * row, used);
    return {o, lse};
  }

  std::string file_of(const std::pair<std::string, std::string>& outputs) const {
    const std::string dtype(stored_as(kernel_.dtype_out));
    const auto numbers = [](const std::string& bytes, const std::string& type, std::vector<std::size_t> shape) {
      const Tensor tensor{type, shape, bytes};
      const auto stored = StoredNumbers::of(tensor, "", "");
      TensorToWrite result{std::move(shape), {}, type};
      for (std::size_t n = 0; n < bytes.size() / (type == "F32" ? 4 : 2); ++n) result.numbers.push_back((*stored)[n]);
      return result;
    };
    return safetensors_text({{"o", numbers(outputs.first, dtype, {a_.batches, a_.heads, a_.queries, a_.value_size})},
                             {"lse", numbers(outputs.second, "F32", {a_.batches, a_.heads, a_.queries})}},
                            {});
  }

 private:
  std::size_t each_out() const { return kernel_.dtype_out == ATTNCERT_F32 ? 4 : 2; }

  // A tensor of rows, read-only; an axis of extent 1 serves all.
  attncert_tensor input(const std::string& name) {
    const Tensor& tensor = *file_.find(name);
    const auto& shape = tensor.shape;
    const std::size_t rows = shape[0] * shape[1] * shape[2], row = shape[3] + gap_;
    const std::size_t each = tensor.bytes.size() / (rows * shape[3]);
    inputs_.push_back(std::make_unique<GuardedBuffer>(Buffer::none, rows * row * each, 64, side_));
    std::memset(inputs_.back()->data(), unwritten, rows * row * each);
    for (std::size_t r = 0; r < rows; ++r)
      std::memcpy(inputs_.back()->data() + r * row * each, tensor.bytes.data() + r * shape[3] * each, shape[3] * each);
    inputs_.back()->make_read_only();
    return {inputs_.back()->data(), shape[0] == 1 ? 0 : shape[1] * shape[2] * row, shape[1] == 1 ? 0 : shape[2] * row,
            shape[2] == 1 ? 0 : row};
  }

  const float* floats(const std::string& name) {
    const Tensor* tensor = file_.find(name);
    if (tensor == nullptr) return nullptr;
    inputs_.push_back(std::make_unique<GuardedBuffer>(Buffer::none, tensor->bytes.size(), alignof(float), side_));
    std::memcpy(inputs_.back()->data(), tensor->bytes.data(), tensor->bytes.size());
    inputs_.back()->make_read_only();
    return reinterpret_cast<const float*>(inputs_.back()->data());
  }

  float number(const std::string& name, float otherwise) const {
    const auto found = settings_.find(name);
    return found == settings_.end() ? otherwise : number_in<float>(found->second).value_or(otherwise);
  }

  const attncert_attention_kernel& kernel_;
  const Safetensors& file_;
  const std::map<std::string, std::string>& settings_;
  Side side_;
  std::size_t gap_;
  attncert_attention_arguments a_{};
  std::vector<std::unique_ptr<GuardedBuffer>> inputs_;
  std::vector<std::size_t> lengths_;
  std::unique_ptr<GuardedBuffer> o_, lse_;
};

}  // namespace

Result<Called> called(const attncert_attention_kernel& kernel, const std::filesystem::path& path, bool apart) {
  const auto file = Safetensors::open(path);
  if (!file) return file.error();
  const auto settings = metadata_of(file->text(), file->where());
  if (!settings) return settings.error();
  PlacedCase placed(kernel, *file, *settings, apart);
  if (const auto done = placed.place(); !done) return done.error();
  Called result{placed.call(), placed.misconduct(), ""};
  const auto first = placed.written();
  if (result.status != ATTNCERT_ATTENTION_OK) {
    const bool touched =
        (first.first + first.second).find_first_not_of(static_cast<char>(unwritten)) != std::string::npos;
    if (touched) result.misconduct = "wrote into o or lse, and did not return ATTNCERT_ATTENTION_OK";
    return result;
  }
  result.outputs = placed.file_of(first);
  if (!result.misconduct.empty() || (kernel.flags & ATTNCERT_ATTENTION_VARIES) != 0) return result;
  if (placed.call() != ATTNCERT_ATTENTION_OK || placed.written() != first)
    result.misconduct = "two calls with the same arguments differ; ATTNCERT_ATTENTION_VARIES declares that";
  return result;
}

}  // namespace attncert::attention_host
