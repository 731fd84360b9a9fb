// A dump of fused attention: q, k, v and what a kernel made of them, o and perhaps lse, and with do, the gradient of o,
// perhaps dq, dk, dv and dsinks, in a TensorFile. Numbers are read where they lie, a row or a head at a time.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "properties/dumps/settings.hpp"
#include "reference/attention/row.hpp"
#include "reference/attention/scaled_inputs.hpp"
#include "src/core/result.hpp"
#include "src/files/stored_numbers.hpp"
#include "src/files/tensor_file.hpp"

namespace attncert {

struct DumpShape {
  std::size_t batches, heads, kv_heads, queries, keys, size, value_size;  // heads: a multiple of kv_heads
  std::size_t rows() const { return batches * heads * queries; }
};

// The sink of a head that has none beside others that have one: e^-inf adds nothing to its sums.
inline constexpr double infinity = std::numeric_limits<double>::infinity(), no_sink = -infinity;

// One query row, in the order batch, head, query.
struct Place {
  std::size_t batch, head, query;
};

// What all query heads of one KV head share: row-major as AttentionRow wants it, scales applied.
struct KeysAndValues {
  std::vector<double> keys, values;
  // Magnitude in each key's row, of k also as it is stored; +inf where one is not finite.
  std::vector<double> largest_key, largest_value;
  double key_scale = 1, value_scale = 1;  // what is stored is multiplied with
};

// A row and what the kernel returned for it. It moves but is not copied: `row` looks into the vectors, and into the
// KeysAndValues that it was made with.
struct DumpedRow {
  DumpedRow() = default;
  DumpedRow(DumpedRow&&) = default;
  DumpedRow& operator=(DumpedRow&&) = default;
  DumpedRow(const DumpedRow&) = delete;
  DumpedRow& operator=(const DumpedRow&) = delete;

  std::vector<double> query, bias, output_gradient;  // the latter two may be empty
  // The bias as the row has it where some is of a mask that is added, -2^126 or below: `lowered` there, which removes a
  // key from the exact result as well and leaves bounds that say something; else empty.
  static constexpr double lowered = -0x1p15;
  std::vector<double> lowered_bias;
  std::vector<std::uint8_t> mask;
  const KeysAndValues* shared = nullptr;
  reference::AttentionRow row;
  std::vector<double> output;
  std::optional<double> lse;  // as the file has it
};

class AttentionDump {
 public:
  // `options` are settings that go before those of the file's metadata. `outputs` is a second file that holds o, and
  // lse, where they do not lie beside the inputs.
  static Result<AttentionDump> open(const std::filesystem::path& file,
                                    const std::map<std::string, std::string>& options,
                                    const std::optional<std::filesystem::path>& outputs = std::nullopt);
  static Result<AttentionDump> open(TensorFile file, const std::map<std::string, std::string>& options,
                                    const std::optional<std::filesystem::path>& outputs = std::nullopt);

  static Result<AttentionDump> open(TensorFile file, const std::map<std::string, std::string>& options,
                                    TensorFile outputs);

  const DumpShape& shape() const { return shape_; }
  const DumpSettings& settings() const { return settings_; }
  bool has(const std::string& tensor) const { return views_.count(tensor) != 0; }
  const std::string& dtype(const std::string& tensor) const { return views_.at(tensor).dtype; }
  bool has_gradients() const { return has("dq") || has("dk") || has("dv") || has("dsinks"); }
  double scale() const;
  std::int64_t offset() const;  // of the causal diagonal and of windows
  // Of k_scale or v_scale: a KV head's, 1 where the tensor is not there, and of all of them.
  double scale_of(const std::string& tensor, std::size_t kv_head) const;
  reference::ScaleRange scale_range(const std::string& tensor) const;
  std::string description() const;  // how the file is read, in one line

  Place place(std::size_t row) const;  // row < shape().rows()
  std::size_t row_of(const Place& place) const;
  KeysAndValues keys_and_values(std::size_t batch, std::size_t kv_head) const;
  std::size_t kv_head(std::size_t head) const { return head / (shape_.heads / shape_.kv_heads); }
  DumpedRow row(const Place& place, const KeysAndValues& shared) const;
  // The last axis of a tensor that the file has, as it is stored; of k, v, dk and dv at a KV head and a key; of dsinks
  // one at a head.
  std::vector<double> numbers(const std::string& tensor, const Place& place) const;

 private:
  // A tensor seen with four axes; the stride of an axis that it lacks, or has once for all, is 0.
  struct View {
    std::string dtype;
    StoredNumbers numbers;
    std::array<std::size_t, 4> extent, stride;
    double at(std::size_t a, std::size_t b, std::size_t c, std::size_t d) const {
      return numbers[a * stride[0] + b * stride[1] + c * stride[2] + d * stride[3]];
    }
  };

  explicit AttentionDump(TensorFile file) { files_.push_back(std::move(file)); }
  Result<Done> read(const std::map<std::string, std::string>& options);
  Result<Done> view(const std::string& name, const Tensor& tensor, const std::string& where);
  Result<Done> measure();
  Result<Done> check_extents() const;
  Result<Done> check_types() const;
  Error wrong(const std::string& name, const std::string& what) const;

  std::vector<TensorFile> files_;  // inputs, then outputs where they are apart
  DumpSettings settings_;
  std::map<std::string, View> views_;
  DumpShape shape_{};
};

}  // namespace attncert
