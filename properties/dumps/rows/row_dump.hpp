// A dump of rows: logits and the weights that a normalizer's kernel made of them, or logits, the upstream gradient and
// what its derivative's kernel made of both, in a TensorFile.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "properties/conformance/accuracy/judgement.hpp"
#include "properties/conformance/subjects.hpp"
#include "properties/dumps/settings.hpp"
#include "src/files/stored_numbers.hpp"
#include "src/files/tensor_file.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {

struct RowAlternative;

struct RowSettings {
  std::string normalizer = "softmax", arithmetic = "plain";
  double temperature = 1;
  RowParameters parameters;
  std::size_t row_stride = 0;  // elements from a row to the next where the kernel ran; 0: as many as a row has
};
std::span<const Setting<RowSettings>> row_settings();

struct RowVerdict {
  std::size_t rows = 0, judged = 0, degenerate = 0;  // degenerate: a matter of contract
  Judgement judgement;
  std::size_t worst_row = 0;
  std::vector<std::size_t> failing;    // rows
  std::vector<std::string> explained;  // by what was computed instead, where something differs
};

class RowDump {
 public:
  // Whether the file is one of rows: it holds logits.
  static bool is_one(const TensorFile& file);
  // `outputs`: a second file with the weights, or the gradient.
  static Result<RowDump> open(TensorFile file, const std::map<std::string, std::string>& options,
                              const std::optional<std::filesystem::path>& outputs);

  RowVerdict judged(bool every_entry = false) const;  // else some of each long row
  std::string cut(std::size_t row) const;             // the row as a safetensors file of its own
  const RowSettings& settings() const { return settings_; }
  const std::string& output() const { return output_; }  // "weights" or "gradient"
  std::string description() const;

 private:
  explicit RowDump(TensorFile file) { files_.push_back(std::move(file)); }
  Result<Done> read(const std::map<std::string, std::string>& options);
  Result<Done> take_numbers(const std::string& name, std::optional<StoredNumbers>& into);
  Result<Done> read_mask();
  const Tensor* tensor(const std::string& name) const;  // or null
  LogitRow row(std::size_t index) const;
  std::vector<double> weights(std::size_t index) const;
  // only: where it is not empty, entries with 0 are left out.
  Judgement judged_as(const LogitRow& row, const Subject& subject, const std::vector<double>& weights,
                      const std::vector<std::uint8_t>& only, bool every_entry = false) const;
  bool explains(const RowAlternative& alternative, std::size_t index) const;
  std::vector<std::string> explanations(const RowVerdict& verdict) const;

  std::vector<TensorFile> files_;
  std::map<std::string, std::string> texts_;  // what settings_ was read from
  RowSettings settings_;
  std::string output_;
  std::optional<StoredNumbers> logits_, upstream_, weights_, mask_;  // weights_: or the gradient
  std::size_t rows_ = 0, length_ = 0, masked_rows_ = 0;              // masked_rows_: rows of the mask; 1 serves all
  attncert_dtype dtype_ = ATTNCERT_F32;                              // of the output
};

}  // namespace attncert
