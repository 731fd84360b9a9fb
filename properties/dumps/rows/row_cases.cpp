#include "properties/dumps/rows/row_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "properties/conformance/rows/masks.hpp"
#include "properties/dumps/rows/row_dump.hpp"
#include "src/core/counter.hpp"
#include "src/files/safetensors_text.hpp"

namespace attncert {
namespace {

std::map<std::string, std::string> settings_of(const LogitRow& row, const Normalizer& normalizer) {
  std::map<std::string, std::string> texts = {{"normalizer", std::string(normalizer.name)},
                                              {"temperature", fmt::format("{}", row.temperature)}};
  const RowParameters& p = row.parameters;
  switch (normalizer.parameter) {
    case ReadsParameter::none:
      break;
    case ReadsParameter::alpha:
      texts["alpha"] = fmt::format("{}/{}", p.alpha_numerator, p.alpha_denominator);
      break;
    case ReadsParameter::k:
      texts["k"] = std::to_string(p.k);
      break;
    case ReadsParameter::order:
      texts["order"] = std::to_string(p.order);
      break;
    case ReadsParameter::scale:
      texts["ssmax-scale"] = fmt::format("{}", p.scale);
      break;
    case ReadsParameter::bias:
      texts["sigmoid-bias"] = fmt::format("{}", p.bias);
      break;
  }
  return texts;
}

enum class Masks : std::uint8_t { none, one_for_all, one_each };

// Several rows of one length, so many elements apart where the kernel runs: rows shorter and longer than a vector, than
// a warp and than a block, whose distance is their length, keeps their alignment, or breaks it; each kind of masks with
// rows that follow on one another and with rows that do not.
struct Batch {
  std::size_t rows, length, gap;
  Masks masks;
  double temperature;
};
constexpr Batch batches[] = {
    {33, 1, 0, Masks::none, 1},           {5, 1, 3, Masks::none, 0.7},        {3, 64, 64, Masks::none, 1},
    {5, 129, 0, Masks::none, 0.7},        {3, 1025, 1, Masks::none, 1},       {64, 8, 0, Masks::one_for_all, 1},
    {17, 32, 1, Masks::one_for_all, 0.7}, {5, 128, 5, Masks::one_for_all, 1}, {9, 65, 0, Masks::one_each, 1},
    {7, 3, 1, Masks::one_each, 1},        {4, 257, 7, Masks::one_each, 0.7},  {2, 1025, 999, Masks::one_each, 1}};
constexpr double batch_spreads[] = {3, 20};  // of the campaign's rows

// Something of the row is kept, and something is not.
std::vector<std::uint8_t> some_mask(std::size_t length, std::uint64_t seed, std::uint64_t number) {
  constexpr MaskKind kinds[] = {MaskKind::random, MaskKind::suffix, MaskKind::sparse, MaskKind::window};
  for (std::uint64_t attempt = 0;; ++attempt) {
    const std::size_t cut = random_below(seed, attempt, length);
    std::vector<std::uint8_t> keep = mask_of(kinds[number % std::size(kinds)], length, cut, mixed(seed + attempt)).keep;
    const auto kept = static_cast<std::size_t>(std::ranges::count(keep, 1));
    if (kept != 0 && kept != length) return keep;
  }
}

// The file's tensors, row upon row.
struct BatchTensors {
  std::vector<double> logits, upstream, mask;
};

class RowCases {
 public:
  RowCases(const Subject& subject, std::string dtype, attncert_dtype type, std::uint64_t seed, Effort effort)
      : subject_(subject), dtype_(std::move(dtype)), type_(type), seed_(seed), effort_(effort) {}

  void add_row(const AccuracyCase& which) {
    LogitRow row = case_row(which, seed_, effort_, type_);
    add_parameters(row, which, seed_, type_, subject_);
    if (kind(row) != RowKind::ordinary) return;
    auto texts = settings_of(row, subject_);
    texts["group"] = which.name;
    add(fmt::format("row-{}", files_.size() + 1), 1, {row.logits, row.upstream, {row.mask.begin(), row.mask.end()}},
        std::move(texts));
  }

  void add_batch(const Batch& batch, std::uint64_t number) {
    LogitRow first;
    BatchTensors tensors;
    for (std::size_t r = 0; r < batch.rows; ++r) {
      const double spread = batch_spreads[r % std::size(batch_spreads)];
      const AccuracyCase which{"", AccuracyCase::Source::normal, spread, batch.temperature, batch.length, number};
      const std::uint64_t seed = mixed(mixed(seed_) ^ r);
      LogitRow row = case_row(which, seed, effort_, type_);
      add_parameters(row, which, seed, type_, subject_);
      if (batch.masks == Masks::one_each || (batch.masks == Masks::one_for_all && r == 0))
        row.mask = some_mask(batch.length, seed, number + r);
      append(tensors, row);
      if (r == 0) first = std::move(row);
    }
    auto texts = settings_of(first, subject_);
    texts["row-stride"] = std::to_string(batch.length + batch.gap);
    texts["group"] = fmt::format("batch:rows={}:L={}:stride={}", batch.rows, batch.length, batch.length + batch.gap);
    add(fmt::format("batch-{}", number), batch.rows, std::move(tensors), std::move(texts));
  }

  std::vector<CaseFile> files() && { return std::move(files_); }

 private:
  static void append(BatchTensors& tensors, const LogitRow& row) {
    tensors.logits.insert(tensors.logits.end(), row.logits.begin(), row.logits.end());
    tensors.upstream.insert(tensors.upstream.end(), row.upstream.begin(), row.upstream.end());
    tensors.mask.insert(tensors.mask.end(), row.mask.begin(), row.mask.end());
  }

  void add(std::string name, std::size_t rows, BatchTensors numbers, std::map<std::string, std::string> texts) {
    const std::size_t length = numbers.logits.size() / rows;
    std::map<std::string, TensorToWrite> tensors = {{"logits", {{rows, length}, std::move(numbers.logits), dtype_}}};
    if (!numbers.upstream.empty()) tensors["upstream"] = {{rows, length}, std::move(numbers.upstream), dtype_};
    if (!numbers.mask.empty()) {
      std::vector<std::size_t> shape = {numbers.mask.size() / length, length};
      if (shape[0] < rows) shape = {length};  // one for all
      tensors["mask"] = {std::move(shape), std::move(numbers.mask), "BOOL"};
    }
    files_.push_back({std::move(name), safetensors_text(tensors, texts)});
  }

  const Subject& subject_;
  std::string dtype_;
  attncert_dtype type_;
  std::uint64_t seed_;
  Effort effort_;
  std::vector<CaseFile> files_;
};

}  // namespace

std::vector<CaseFile> row_cases(const std::string& normalizer, const std::string& dtype, std::uint64_t seed,
                                Effort effort) {
  const attncert_dtype type = dtype == "F64"   ? ATTNCERT_F64
                              : dtype == "F16" ? ATTNCERT_F16
                              : dtype == "F32" ? ATTNCERT_F32
                                               : ATTNCERT_BF16;
  RowCases cases(*find_subject(normalizer), dtype, type, seed, effort);
  for (const AccuracyCase& which : accuracy_cases(effort)) cases.add_row(which);
  std::uint64_t number = 0;
  for (const Batch& batch : batches) cases.add_batch(batch, ++number);
  return std::move(cases).files();
}

}  // namespace attncert
