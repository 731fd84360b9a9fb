#include "properties/dumps/rows/row_dump.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numbers>

#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/accuracy/judge.hpp"
#include "src/files/quoted_name.hpp"

namespace attncert {
namespace {

constexpr std::size_t most_failing = 24, looked_at = 6;
constexpr std::size_t judged_entries = 256;  // about so many of a long row, the suspicious ones among them

std::optional<attncert_dtype> dtype_of(const std::string& stored) {
  for (const auto& [name, dtype] :
       {std::pair{"F32", ATTNCERT_F32}, {"F64", ATTNCERT_F64}, {"F16", ATTNCERT_F16}, {"BF16", ATTNCERT_BF16}})
    if (stored == name) return dtype;
  return std::nullopt;
}

// What a kernel may have made of the row instead; false where it makes no difference.
struct Alternative {
  std::string name;
  const Subject* subject;  // null: the one that was asked for
  std::function<bool(LogitRow& row)> edit;
};

std::vector<Alternative> alternatives(const std::string& normalizer) {
  const auto tempered = [](double (*change)(double)) {
    return [change](LogitRow& row) {
      const double other = change(row.temperature);
      return std::exchange(row.temperature, other) != other;
    };
  };
  std::vector<Alternative> result{
      {"logits are multiplied by the temperature", nullptr,
       tempered([](double T) { return std::min(1 / T, std::numeric_limits<double>::max()); })},
      {"the temperature is not read", nullptr, tempered([](double) { return 1.0; })},
      {"2^ stands for e^", nullptr, tempered([](double T) { return T / std::numbers::ln2; })},
      {"log2(e) is applied twice", nullptr, tempered([](double T) { return T * std::numbers::ln2; })},
      {"the mask is not read", nullptr,
       [](LogitRow& row) { return !std::exchange(row.mask, std::vector<std::uint8_t>{}).empty(); }},
      {"the mask is inverted", nullptr, [](LogitRow& row) {
         for (std::uint8_t& kept : row.mask) kept = kept == 0;
         return !row.mask.empty();
       }}};
  for (const Subject* subject : subjects())
    if (!subject->derivative && subject->name != normalizer)
      result.push_back({fmt::format("it is {}", subject->name), subject, [](LogitRow&) { return true; }});
  return result;
}

}  // namespace

bool RowDump::is_one(const std::filesystem::path& file) {
  const auto tensors = Safetensors::open(file);
  return tensors && tensors->find("logits") != nullptr;
}

Result<RowDump> RowDump::open(const std::filesystem::path& file, const std::map<std::string, std::string>& options,
                              const std::optional<std::filesystem::path>& outputs) {
  auto tensors = Safetensors::open(file);
  if (!tensors) return tensors.error();
  RowDump dump(std::move(*tensors));
  if (outputs) {
    auto computed = Safetensors::open(*outputs);
    if (!computed) return computed.error();
    dump.files_.push_back(std::move(*computed));
  }
  if (const auto done = dump.read(options); !done) return done.error();
  return dump;
}

Result<const Tensor*> RowDump::tensor(const std::string& name, bool required) const {
  for (const Safetensors& file : files_)
    if (const Tensor* found = file.find(name)) return found;
  if (required)
    return Error{files_.back().where() + ": tensor " + name + " is missing; a dump of rows has logits and weights"};
  return nullptr;
}

Result<Done> RowDump::read(const std::map<std::string, std::string>& options) {
  const std::string& where = files_[0].where();
  auto texts = metadata_of(files_[0].text(), where);
  if (!texts) return texts.error();
  for (const auto& [name, text] : options) texts->insert_or_assign(name, text);
  const auto settings = settings_of(row_settings(), *texts, where);
  if (!settings) return settings.error();
  settings_ = *settings;
  for (const Safetensors& file : files_)
    for (const auto& [name, tensor] : file.tensors())
      if (name != "logits" && name != "weights" && name != "mask")
        return Error{fmt::format("{}: tensor {} is none of logits, weights, mask; rename it, or leave it out",
                                 file.where(), quoted_name(name))};
  const auto logits = tensor("logits", true), weights = tensor("weights", true), mask = tensor("mask", false);
  if (!logits) return logits.error();
  if (!weights) return weights.error();
  const auto& shape = (*logits)->shape;
  if (shape.empty() || shape.back() == 0 || (*weights)->shape != shape)
    return Error{
        fmt::format("{}: logits are [{}] and weights [{}]; they are to have one shape, rows along its last axis", where,
                    fmt::join(shape, ", "), fmt::join((*weights)->shape, ", "))};
  const auto dtype = dtype_of((*weights)->dtype);
  if (!dtype) return Error{where + ": weights are " + (*weights)->dtype + "; save them as F32, F64, F16 or BF16"};
  dtype_ = *dtype;
  length_ = shape.back();
  rows_ = 1;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows_ *= shape[axis];
  Error error;
  std::optional<StoredNumbers> kept;
  const auto read_numbers = [&](const Tensor& stored, const char* name, std::optional<StoredNumbers>& into) {
    auto numbers = StoredNumbers::of(stored, name, where);
    if (numbers) into = *numbers;
    else error = numbers.error();
    return error.message.empty();
  };
  if (!read_numbers(**logits, "logits", logits_) || !read_numbers(**weights, "weights", weights_)) return error;
  if (*mask == nullptr) return Done{};
  if ((*mask)->shape != shape && (*mask)->shape != std::vector<std::size_t>{length_})
    return Error{fmt::format("{}: mask is [{}]; it is to have the logits' shape or [{}]", where,
                             fmt::join((*mask)->shape, ", "), length_)};
  masked_rows_ = (*mask)->shape == shape ? rows_ : 1;
  return read_numbers(**mask, "mask", mask_) ? Result<Done>(Done{}) : Result<Done>(error);
}

std::string RowDump::description() const {
  return fmt::format("{} of {} rows of {} logits at T = {}; weights are {}{}", settings_.normalizer, rows_, length_,
                     settings_.temperature, format(dtype_).name, mask_ ? "; mask" : "");
}

LogitRow RowDump::row(std::size_t index) const {
  LogitRow row;
  row.temperature = settings_.temperature;
  row.parameters = settings_.parameters;
  for (std::size_t i = 0; i < length_; ++i) row.logits.push_back((*logits_)[index * length_ + i]);
  for (std::size_t i = 0; mask_ && i < length_; ++i)
    row.mask.push_back((*mask_)[(masked_rows_ == 1 ? 0 : index) * length_ + i] != 0);
  return row;
}

std::vector<double> RowDump::weights(std::size_t index) const {
  std::vector<double> weights;
  for (std::size_t i = 0; i < length_; ++i) weights.push_back((*weights_)[index * length_ + i]);
  return weights;
}

Judgement RowDump::judged_as(const LogitRow& row, const Subject& subject, const std::vector<double>& weights) const {
  const std::string normalizer(subject.name);
  attncert_kernel kernel{};
  kernel.size = sizeof kernel;
  kernel.name = "dumped";
  kernel.normalizer = normalizer.c_str();
  kernel.dtype_in = kernel.dtype_out = dtype_;
  kernel.budget = settings_.arithmetic.c_str();
  const Budget budget = budget_of(kernel);
  const auto truth = subject.truth(row);
  Judged judged{weights, &budget};
  const auto positions = chosen_positions(row, *truth, {&judged, 1}, judged_entries);
  judge_row(subject, row, *truth, format(dtype_), positions, {&judged, 1});
  return judged.judgement;
}

RowVerdict RowDump::judged() const {
  RowVerdict verdict;
  const Subject& subject = *find_subject(settings_.normalizer);
  for (verdict.rows = 0; verdict.rows < rows_; ++verdict.rows) {
    const LogitRow row = this->row(verdict.rows);
    if (kind(row) != RowKind::ordinary) {
      ++verdict.degenerate;
      continue;
    }
    ++verdict.judged;
    const Judgement judgement = judged_as(row, subject, weights(verdict.rows));
    if (judgement.outside > 0 && verdict.failing.size() < most_failing) verdict.failing.push_back(verdict.rows);
    if (merge(verdict.judgement, judgement)) verdict.worst_row = verdict.rows;
  }
  if (!verdict.failing.empty()) verdict.explained = explanations(verdict.failing);
  return verdict;
}

std::vector<std::string> RowDump::explanations(const std::vector<std::size_t>& failing) const {
  std::vector<std::string> result;
  for (const Alternative& alternative : alternatives(settings_.normalizer)) {
    const Subject& subject =
        alternative.subject != nullptr ? *alternative.subject : *find_subject(settings_.normalizer);
    const bool explains =
        std::all_of(failing.begin(), failing.begin() + static_cast<std::ptrdiff_t>(std::min(looked_at, failing.size())),
                    [&](std::size_t index) {
                      LogitRow row = this->row(index);
                      if (!alternative.edit(row) || kind(row) != RowKind::ordinary) return false;
                      const Judgement judgement = judged_as(row, subject, weights(index));
                      return judgement.outside == 0 && judgement.undecided == 0;
                    });
    if (explains) result.push_back(alternative.name);
  }
  return result;
}

}  // namespace attncert
