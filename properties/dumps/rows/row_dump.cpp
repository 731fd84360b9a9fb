#include "properties/dumps/rows/row_dump.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/accuracy/judge.hpp"
#include "properties/dumps/rows/row_alternatives.hpp"
#include "src/files/quoted_name.hpp"
#include "src/files/safetensors_text.hpp"

namespace attncert {
namespace {

constexpr std::size_t looked_at = 8, most_asked = 64;  // failing rows that tell names apart, and that agree with them
constexpr std::size_t judged_entries = 256;            // about so many of a long row, the suspicious ones among them

std::optional<attncert_dtype> dtype_of(const std::string& stored) {
  for (const auto& [name, dtype] :
       {std::pair{"F32", ATTNCERT_F32}, {"F64", ATTNCERT_F64}, {"F16", ATTNCERT_F16}, {"BF16", ATTNCERT_BF16}})
    if (stored == name) return dtype;
  return std::nullopt;
}

}  // namespace

bool RowDump::is_one(const TensorFile& file) { return file.find("logits") != nullptr; }

Result<RowDump> RowDump::open(TensorFile file, const std::map<std::string, std::string>& options,
                              const std::optional<std::filesystem::path>& outputs) {
  RowDump dump(std::move(file));
  if (outputs) {
    auto computed = TensorFile::open(*outputs);
    if (!computed) return computed.error();
    dump.files_.push_back(std::move(*computed));
  }
  if (const auto done = dump.read(options); !done) return done.error();
  return dump;
}

const Tensor* RowDump::tensor(const std::string& name) const {
  for (const TensorFile& file : files_)
    if (const Tensor* found = file.find(name)) return found;
  return nullptr;
}

Result<Done> RowDump::read(const std::map<std::string, std::string>& options) {
  const std::string& where = files_[0].where();
  texts_ = files_[0].settings();
  for (const auto& [name, text] : options) texts_.insert_or_assign(name, text);
  const auto settings = settings_of(row_settings(), texts_, where);
  if (!settings) return settings.error();
  settings_ = *settings;
  const bool derivative = tensor("upstream") != nullptr;
  if (derivative && !find_subject(settings_.normalizer)->derivative) settings_.normalizer += "-vjp";
  if (find_subject(settings_.normalizer) == nullptr)
    return Error{where + ": tensor upstream: " + settings_.normalizer + " is not judged; give logits and weights"};
  if (find_subject(settings_.normalizer)->derivative && !derivative)
    return Error{where + ": tensor upstream is missing; " + settings_.normalizer + " turns it into gradient"};
  output_ = derivative ? "gradient" : "weights";
  for (const TensorFile& file : files_)
    for (const auto& [name, tensor] : file.tensors())
      if (name != "logits" && name != output_ && name != "mask" && (name != "upstream" || !derivative) &&
          !is_setting(row_settings(), name, tensor))
        return Error{fmt::format("{}: tensor {} is none of {}; rename it, or leave it out", file.where(),
                                 quoted_name(name),
                                 derivative ? "logits, upstream, gradient, mask" : "logits, weights, mask")};
  for (const auto& [name, into] : {std::pair{std::string("logits"), &logits_}, {output_, &weights_}}) {
    if (const auto done = take_numbers(name, *into); !done) return done;
  }
  if (derivative)
    if (const auto done = take_numbers("upstream", upstream_); !done) return done;
  const auto dtype = dtype_of(tensor(output_)->dtype);
  if (!dtype)
    return Error{where + ": " + output_ + " is " + tensor(output_)->dtype + "; save it as F32, F64, F16 or BF16"};
  dtype_ = *dtype;
  return read_mask();
}

// Of the logits' shape, which the first call tells.
Result<Done> RowDump::take_numbers(const std::string& name, std::optional<StoredNumbers>& into) {
  const Tensor* const stored = tensor(name);
  if (stored == nullptr)
    return Error{
        fmt::format("{}: tensor {} is missing; a dump of rows has logits and weights, or logits, upstream and "
                    "gradient",
                    files_.back().where(), name)};
  const auto& shape = tensor("logits")->shape;
  if (shape.empty() || shape.back() == 0 || stored->shape != shape)
    return Error{fmt::format("{}: logits are [{}] and {} [{}]; they are to have one shape, rows along its last axis",
                             files_[0].where(), fmt::join(shape, ", "), name, fmt::join(stored->shape, ", "))};
  length_ = shape.back();
  if (settings_.row_stride != 0 && settings_.row_stride < length_)
    return Error{fmt::format("{}: row-stride {} is below the {} logits of a row", files_[0].where(),
                             settings_.row_stride, length_)};
  rows_ = 1;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows_ *= shape[axis];
  auto numbers = StoredNumbers::of(*stored, name, files_[0].where());
  if (!numbers) return numbers.error();
  into = *numbers;
  return Done{};
}

Result<Done> RowDump::read_mask() {
  const Tensor* const mask = tensor("mask");
  if (mask == nullptr) return Done{};
  const auto& shape = tensor("logits")->shape;
  if (mask->shape != shape && mask->shape != std::vector<std::size_t>{length_})
    return Error{fmt::format("{}: mask is [{}]; it is to have the logits' shape or [{}]", files_[0].where(),
                             fmt::join(mask->shape, ", "), length_)};
  masked_rows_ = mask->shape == shape ? rows_ : 1;
  auto numbers = StoredNumbers::of(*mask, "mask", files_[0].where());
  if (!numbers) return numbers.error();
  mask_ = *numbers;
  return Done{};
}

std::string RowDump::description() const {
  return fmt::format("{} of {} rows of {} logits{} at T = {}; {} in {}{}", settings_.normalizer, rows_, length_,
                     settings_.row_stride > length_ ? fmt::format(", asked to be {} apart,", settings_.row_stride) : "",
                     settings_.temperature, output_, format(dtype_).name, mask_ ? "; mask" : "");
}

LogitRow RowDump::row(std::size_t index) const {
  LogitRow row;
  row.temperature = settings_.temperature;
  row.parameters = settings_.parameters;
  for (std::size_t i = 0; i < length_; ++i) row.logits.push_back((*logits_)[index * length_ + i]);
  for (std::size_t i = 0; upstream_ && i < length_; ++i) row.upstream.push_back((*upstream_)[index * length_ + i]);
  for (std::size_t i = 0; mask_ && i < length_; ++i)
    row.mask.push_back((*mask_)[(masked_rows_ == 1 ? 0 : index) * length_ + i] != 0);
  return row;
}

std::vector<double> RowDump::weights(std::size_t index) const {
  std::vector<double> weights;
  for (std::size_t i = 0; i < length_; ++i) weights.push_back((*weights_)[index * length_ + i]);
  return weights;
}

std::string RowDump::cut(std::size_t index) const {
  const LogitRow row = this->row(index);
  std::map<std::string, TensorToWrite> tensors = {{"logits", {{length_}, row.logits, tensor("logits")->dtype}},
                                                  {output_, {{length_}, weights(index), tensor(output_)->dtype}}};
  if (upstream_) tensors["upstream"] = {{length_}, row.upstream, tensor("upstream")->dtype};
  if (mask_) tensors["mask"] = {{length_}, {row.mask.begin(), row.mask.end()}, "BOOL"};
  return safetensors_text(tensors, texts_);
}

Judgement RowDump::judged_as(const LogitRow& row, const Subject& subject, const std::vector<double>& weights,
                             const std::vector<std::uint8_t>& only, bool every_entry) const {
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
  auto positions = chosen_positions(row, *truth, {&judged, 1}, every_entry ? length_ : judged_entries);
  if (!only.empty()) std::erase_if(positions, [&](std::size_t i) { return only[i] == 0; });
  judge_row(subject, row, *truth, format(dtype_), positions, {&judged, 1});
  return judged.judgement;
}

RowVerdict RowDump::judged(bool every_entry) const {
  RowVerdict verdict;
  const Subject& subject = *find_subject(settings_.normalizer);
  for (verdict.rows = 0; verdict.rows < rows_; ++verdict.rows) {
    const LogitRow row = this->row(verdict.rows);
    if (kind(row) != RowKind::ordinary) {
      ++verdict.degenerate;
      continue;
    }
    ++verdict.judged;
    const Judgement judgement = judged_as(row, subject, weights(verdict.rows), {}, every_entry);
    if (judgement.outside > 0) verdict.failing.push_back(verdict.rows);
    if (merge(verdict.judgement, judgement)) verdict.worst_row = verdict.rows;
  }
  if (!verdict.failing.empty()) verdict.explained = explanations(verdict);
  return verdict;
}

bool RowDump::explains(const RowAlternative& alternative, std::size_t index) const {
  LogitRow row = this->row(index);
  const std::vector<double> got = weights(index);
  const std::vector<std::uint8_t> visible = row.mask;
  if (!alternative.edit(row) || kind(row) != RowKind::ordinary) return false;
  for (std::size_t i = 0; alternative.masks_after && i < visible.size(); ++i)
    if (visible[i] == 0 && got[i] != 0) return false;
  const Subject& subject = alternative.subject != nullptr ? *alternative.subject : *find_subject(settings_.normalizer);
  const Judgement judgement =
      judged_as(row, subject, got, alternative.masks_after ? visible : std::vector<std::uint8_t>{});
  if (judgement.outside > 0 || judgement.undecided > 0) return false;
  // What brings the outputs not twice as near as they are is only within a budget that is wider.
  const Judgement own = judged_as(this->row(index), *find_subject(settings_.normalizer), got, {});
  return judgement.worst_ulp < own.worst_ulp / 2;
}

std::vector<std::string> RowDump::explanations(const RowVerdict& verdict) const {
  const auto some = [&](std::size_t count) {  // spread evenly, the worst first
    std::vector<std::size_t> rows{verdict.worst_row};
    for (std::size_t n = 0, all = verdict.failing.size(); n < std::min(count, all); ++n)
      rows.push_back(verdict.failing[n * all / std::min(count, all)]);
    return rows;
  };
  const auto few = some(looked_at), many = some(most_asked);
  std::vector<std::string> result;
  for (const RowAlternative& alternative :
       row_alternatives(*find_subject(settings_.normalizer), settings_.parameters)) {
    const auto agrees = [&](std::size_t index) { return explains(alternative, index); };
    if (std::all_of(few.begin(), few.end(), agrees) && std::all_of(many.begin(), many.end(), agrees))
      result.push_back(alternative.name);
  }
  return result;
}

}  // namespace attncert
