#include "tests/properties/dumps/explained.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/diagnosis.hpp"

namespace attncert {

JudgedFile judged_file(const WrittenDump& written, const std::string& name) {
  const auto dump = AttentionDump::open(written.written(name), {{"class", "f32"}});
  if (!dump) ADD_FAILURE() << dump.error().message;
  const auto classes = candidates(*dump);
  JudgedFile result{judged(*dump, chosen_rows(*dump, 0, 1), classes, 1, {}), {}};
  if (result.verdict.output_fails)
    result.explained = diagnosis_of_output(*dump, result.verdict, classes[0].rounding, 0).explain;
  else if (result.verdict.lse_fails)
    result.explained = diagnosis_of_lse(*dump, result.verdict, classes[0].rounding, 1).explain;
  return result;
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += "  " + name + "\n";
  return all;
}

bool names(const std::vector<std::string>& explained, const std::string& expected) {
  return std::any_of(explained.begin(), explained.end(),
                     [&](const std::string& name) { return name.find(expected) != std::string::npos; });
}

}  // namespace attncert
