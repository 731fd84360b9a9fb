// A dump of rows: logits, and what a normalizer's kernel made of them, in a safetensors file.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "properties/conformance/accuracy/judgement.hpp"
#include "properties/conformance/subjects.hpp"
#include "properties/dumps/settings.hpp"
#include "src/files/safetensors.hpp"
#include "src/files/stored_numbers.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {

struct RowSettings {
  std::string normalizer = "softmax", arithmetic = "plain";
  double temperature = 1;
  RowParameters parameters;
};
std::span<const Setting<RowSettings>> row_settings();

struct RowVerdict {
  std::size_t rows = 0, judged = 0, degenerate = 0;  // degenerate: a matter of contract
  Judgement judgement;
  std::size_t worst_row = 0;
  std::vector<std::size_t> failing;    // rows, at most some dozens
  std::vector<std::string> explained;  // by what was computed instead, where something differs
};

class RowDump {
 public:
  // Whether the file is one of rows: it holds logits.
  static bool is_one(const std::filesystem::path& file);
  // `outputs`: a second file with the weights.
  static Result<RowDump> open(const std::filesystem::path& file, const std::map<std::string, std::string>& options,
                              const std::optional<std::filesystem::path>& outputs);

  RowVerdict judged() const;
  const RowSettings& settings() const { return settings_; }
  std::string description() const;

 private:
  explicit RowDump(Safetensors file) { files_.push_back(std::move(file)); }
  Result<Done> read(const std::map<std::string, std::string>& options);
  Result<const Tensor*> tensor(const std::string& name, bool required) const;
  LogitRow row(std::size_t index) const;
  std::vector<double> weights(std::size_t index) const;
  Judgement judged_as(const LogitRow& row, const Subject& subject, const std::vector<double>& weights) const;
  std::vector<std::string> explanations(const std::vector<std::size_t>& failing) const;

  std::vector<Safetensors> files_;
  RowSettings settings_;
  std::optional<StoredNumbers> logits_, weights_, mask_;
  std::size_t rows_ = 0, length_ = 0, masked_rows_ = 0;  // masked_rows_: rows of the mask; 1 serves all
  attncert_dtype dtype_ = ATTNCERT_F32;                  // of the weights
};

}  // namespace attncert
