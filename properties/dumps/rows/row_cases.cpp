#include "properties/dumps/rows/row_cases.hpp"

#include <fmt/format.h>

#include "properties/conformance/accuracy/cases.hpp"
#include "properties/dumps/rows/row_dump.hpp"
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

}  // namespace

std::vector<CaseFile> row_cases(const std::string& normalizer, const std::string& dtype, std::uint64_t seed,
                                Effort effort) {
  const Subject& subject = *find_subject(normalizer);
  const attncert_dtype type = dtype == "F64"   ? ATTNCERT_F64
                              : dtype == "F16" ? ATTNCERT_F16
                              : dtype == "F32" ? ATTNCERT_F32
                                               : ATTNCERT_BF16;
  std::vector<CaseFile> files;
  for (const AccuracyCase& which : accuracy_cases(effort)) {
    LogitRow row = case_row(which, seed, effort, type);
    add_parameters(row, which, seed, type, subject);
    if (kind(row) != RowKind::ordinary) continue;
    std::map<std::string, TensorToWrite> tensors = {{"logits", {{1, row.logits.size()}, row.logits, dtype}}};
    if (!row.upstream.empty()) tensors["upstream"] = {{1, row.upstream.size()}, row.upstream, dtype};
    if (!row.mask.empty()) tensors["mask"] = {{1, row.mask.size()}, {row.mask.begin(), row.mask.end()}, "BOOL"};
    auto texts = settings_of(row, subject);
    texts["group"] = which.name;
    files.push_back({fmt::format("row-{}", files.size() + 1), safetensors_text(tensors, texts)});
  }
  return files;
}

}  // namespace attncert
