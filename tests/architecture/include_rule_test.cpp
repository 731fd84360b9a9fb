// Who may include whom: the table of the README's map, held against every #include line of the tree. A folder without a
// row fails, so whoever adds one decides where it stands.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/architecture/sources.hpp"

namespace attncert {
namespace {

using Paths = std::vector<std::string>;  // a folder "src/core/" with all below it, or one file

struct Row {
  std::string folder;  // the longest that fits decides
  Paths may_include;   // the folder itself always may
};

const std::string version_abi = "attncert/version.h";
const std::string memory_abi = "attncert/memory.h";
const std::string kernel_abi = "attncert/kernel.h";  // include/ is on the include path
const std::string attention_abi = "attncert/attention.h";

// What lies in properties/conformance/ itself.
const std::string subjects = "properties/conformance/subjects.hpp",
                  kernel_function = "properties/conformance/kernel_function.hpp";

const std::vector<Row> rows{
    {"cmake/", {}},  // the header that is parsed once: other people's only
    // What runs.
    {"src/core/", {}},
    {"src/core/environment/", {"src/core/", "attncert_commit.hpp"}},  // generated at build time
    {"include/attncert/", {kernel_abi}},
    {"src/kernel/", {"src/core/", kernel_abi}},
    {"src/device/", {"src/core/", "src/kernel/", kernel_abi, "device_kernels.hpp"}},  // made by CMake, and the next too
    {"src/normalizers/", {"src/core/", "src/kernel/", "src/device/", kernel_abi, "built_in_list.hpp"}},
    {"src/bounds/", {"src/core/", "src/kernel/", kernel_abi}},
    {"src/bounds/device/", {"src/core/", "src/bounds/", "src/device/"}},
    {"src/files/", {"src/core/"}},
    {"src/attention/",
     {"src/core/float8.hpp", "src/core/position.hpp", "src/kernel/", "src/normalizers/exponential/exp-inl.h",
      kernel_abi, attention_abi}},
    {"src/gpt2/files/", {"src/core/", "src/files/"}},
    {"src/gpt2/",
     {"src/core/", "src/kernel/", "src/files/", "src/attention/attention.hpp", "src/attention/row_weights.hpp",
      "src/gpt2/files/", kernel_abi}},
    // What is true.
    {"reference/", {"src/core/"}},
    // What is claimed: speaks of reference.
    {"properties/claims/", {"src/core/", "reference/", "properties/claims/instances/"}},
    {"properties/claims/instances/", {"src/core/", "reference/"}},
    {"properties/claims/catalogue/",
     {"src/core/", "reference/", "properties/claims/claim.hpp", "properties/claims/instances/"}},
    {"properties/claims/certify/",
     {"src/core/", "reference/", "properties/claims/claim.hpp", "properties/claims/instances/",
      "properties/claims/catalogue/"}},
    // Where kernels, and what they computed, are held against it.
    {"properties/dumps/", {"src/core/", "src/files/", "reference/"}},
    {"properties/dumps/rows/",
     {"src/core/", "src/files/", "src/kernel/", "reference/", subjects, "properties/dumps/",
      "properties/conformance/rows/", "properties/conformance/accuracy/", "properties/conformance/budget_classes/",
      kernel_abi}},
    {"properties/dumps/host/",
     {"src/core/", "src/files/", "properties/conformance/external/conduct.hpp",
      "properties/conformance/external/host/guarded_buffer.hpp",
      "properties/conformance/external/host/process_state.hpp",
      "properties/conformance/external/host/resource_growth.hpp", attention_abi, memory_abi}},
    {"properties/conformance/", {"src/core/assert.hpp", "src/kernel/", "reference/", kernel_abi}},
    {"properties/conformance/rows/", {"src/core/", "reference/"}},
    {"properties/conformance/inputs/",
     {"src/core/", "src/kernel/", "reference/", "properties/conformance/rows/", kernel_abi}},
    {"properties/conformance/double_double/", {"src/core/"}},
    {"properties/conformance/double_double/device/",
     {"src/core/", "src/device/", "properties/conformance/double_double/"}},
    {"properties/conformance/budget_classes/", {"src/core/", "src/kernel/", "reference/", kernel_abi}},
    {"properties/conformance/accuracy/",
     {"src/core/", "src/kernel/", "src/device/device.hpp", "reference/", subjects, kernel_function,
      "properties/conformance/rows/", "properties/conformance/budget_classes/", "properties/conformance/inputs/",
      "properties/conformance/double_double/", "properties/conformance/double_double/device/", kernel_abi}},
    {"properties/conformance/laws/",
     {"src/core/", "src/kernel/", "reference/", subjects, "properties/conformance/rows/",
      "properties/conformance/inputs/", "properties/conformance/budget_classes/", "properties/conformance/accuracy/",
      kernel_abi}},
    {"properties/conformance/external/",
     {"src/core/", "src/kernel/", subjects, kernel_abi, version_abi, memory_abi, attention_abi}},
    {"properties/conformance/faults/",
     {"src/core/", "src/kernel/", "reference/", subjects, kernel_function, kernel_abi, attention_abi}},
    {"properties/conformance/attention/",
     {"src/core/", "src/kernel/", "src/files/", "properties/dumps/host/case_arguments.hpp",
      "properties/conformance/faults/", kernel_abi, attention_abi}},
    {"properties/conformance/bounds/",
     {"src/core/", "src/kernel/", "src/device/device.hpp", "src/bounds/", "reference/", subjects, kernel_function,
      "properties/conformance/accuracy/", "properties/conformance/faults/", kernel_abi}},
    {"properties/conformance/suite/",
     {"properties/conformance/accuracy/", "properties/conformance/attention/", "properties/conformance/bounds/",
      "properties/conformance/faults/"}},
    {"properties/conformance/kills/",
     {subjects, "src/core/assert.hpp", "src/files/", "properties/dumps/", "properties/conformance/accuracy/",
      "properties/conformance/attention/", "properties/conformance/laws/", "properties/conformance/suite/",
      "reference/share_out.hpp"}},
    // The experiment on a GPT-2.
    {"study/", {"src/core/"}},
    {"study/measures/", {"src/", "study/attention_lines.hpp", kernel_abi}},
    {"study/claims/",
     {"src/core/", "src/kernel/", "src/bounds/", "reference/", "properties/claims/", "properties/conformance/",
      "study/attention_lines.hpp"}},
    {"study/analysis/", {"src/core/", "study/attention_lines.hpp"}},
    // What is shown of it, and the program, which stands on everything.
    {"reports/plot/", {"src/core/"}},
    {"reports/", {"src/core/", "reports/plot/"}},
    {"reports/attention/", {"src/core/", "reports/", "study/analysis/", "study/attention_lines.hpp"}},
    {"reports/comparison/", {"src/core/", "reports/", "study/analysis/sample.hpp"}},
    {"cli/", {"src/", "reference/", "properties/", "study/", "reports/", "fuzz/", kernel_abi}},
    // The judge of the judges.
    {"check/", {}},
    {"proofs/", {"src/core/", "properties/claims/", "src/normalizers/scale.hpp"}},  // whose constants theorems speak of
    {"fuzz/", {"properties/", "reference/", "src/", "study/", "reports/", "check/", kernel_abi}},
    {"bench/", {"properties/", "reference/", "reports/", "src/", "study/", kernel_abi}},
    {"examples/", {kernel_abi, attention_abi, version_abi, memory_abi}},
    {"tests/",
     {"src/", "reference/", "properties/", "study/", "reports/", "cli/", "check/", "fuzz/", "bench/",
      "examples/without_exceptions.hpp", kernel_abi, attention_abi, version_abi, memory_abi}}};

// Other people's headers that mark a border: the two sides of a comparison must not share an engine.
// Arb has one header a side, which knows where this FLINT keeps it.
const std::vector<Row> engines{
    {"arb.h", {"check/arb.hpp", "tests/arb.hpp"}},
    {"flint/", {"check/arb.hpp", "tests/arb.hpp"}},
    {"boost/multiprecision/", {"tests/"}},
    {"CL/", {"src/device/", "examples/opencl-kernel/"}},
    {"pcre2.h", {"src/gpt2/files/", "tests/pattern.cpp"}},
    {"zip.h", {"src/files/", "tests/"}},
    {"mpfi.h", {"reference/", "tests/", "src/core/environment/"}},
    {"rapidcheck", {"properties/conformance/laws/", "tests/"}},
    {"CLI/", {"cli/", "bench/ledger.cpp"}},
    {"cblas.h", {"src/bounds/", "src/gpt2/", "bench/"}},
    {"hwy/",
     {"reference/double_sums.cpp", "reference/double_functions.cpp", "reference/double_intervals-inl.h",
      "reference/attention/", "src/kernel/", "src/normalizers/", "src/bounds/", "src/attention/", "src/gpt2/", "bench/",
      "fuzz/", "tests/", "properties/conformance/accuracy/", "properties/conformance/double_double/"}}};

// Expensive headers stay in .cpp files, behind compiled functions: seconds per translation unit otherwise.
const Paths expensive{"boost/", "Eigen/", "nlohmann/json.hpp", "CLI/"};
// The numbers of the oracles of derivatives, private to two files; how stored structs are written, and how options are
// declared, for .cpp files alone.
const Paths expensive_allowed{"tests/normalizers/vjp_terms.hpp", "tests/device/wide_numbers.hpp",
                              "reports/json_fields.hpp", "cli/options.hpp"};

bool under(const std::string& path, const Paths& places) {
  for (const std::string& place : places)
    if (place.ends_with('/') ? path.starts_with(place) : path == place) return true;
  return false;
}

const Row* row_of(const std::string& path) {
  const Row* best = nullptr;
  for (const Row& row : rows)
    if (path.starts_with(row.folder) && (best == nullptr || row.folder.size() > best->folder.size())) best = &row;
  return best;
}

// "" when `file` may include `include`, otherwise why not.
std::string objection(const std::string& file, const Include& include) {
  const Row* row = row_of(file);
  if (row == nullptr) return "its folder has no row in the table";
  for (const Row& engine : engines)
    if (include.target.starts_with(engine.folder) && !under(file, engine.may_include))
      return "only " + engine.may_include.front() + " and the rest of its row may use this engine";
  if (!file.ends_with(".cpp") && under(include.target, expensive) && !under(file, expensive_allowed))
    return "this header is expensive: include it in a .cpp file";
  if (!include.quoted || include.target.starts_with("hwy/")) return "";  // not ours
  // The folder of the row itself, and not what has a row of its own below it.
  if (row_of(include.target) == row) return "";
  if (under(include.target, row->may_include)) return "";
  return row->folder + " may not include it";
}

TEST(IncludeRule, HoldsForEveryFile) {
  const std::filesystem::path root = ATTNCERT_SOURCE_DIR;
  const std::vector<SourceFile> files = files_ending_in(root, {".cpp", ".hpp", ".h", ".c", ".cu", ".cl"});
  ASSERT_GT(files.size(), 50u);
  std::size_t lines = 0;
  for (const SourceFile& file : files) {
    EXPECT_NE(row_of(file.path), nullptr) << file.path << ": its folder has no row in the table";
    for (const Include& include : includes(file)) {
      ++lines;
      const std::string why = objection(file.path, include);
      EXPECT_EQ(why, "") << file.path << " includes " << include.target;
    }
  }
  EXPECT_GT(lines, 300u);
}

TEST(IncludeRule, QuotedIncludesAreWrittenFromTheRoot) {
  const std::filesystem::path root = ATTNCERT_SOURCE_DIR;
  const std::set<std::string> generated{"attncert_commit.hpp", "built_in_list.hpp", "device_kernels.hpp"};
  for (const SourceFile& file : files_ending_in(root, {".cpp", ".hpp", ".h", ".c", ".cu", ".cl"}))
    for (const Include& include : includes(file))
      if (include.quoted && !generated.contains(include.target) && !include.target.starts_with("hwy/")) {
        EXPECT_TRUE(std::filesystem::exists(root / include.target) ||
                    std::filesystem::exists(root / "include" / include.target))
            << file.path << " includes " << include.target;
      }
}

// The judge judged: what the architecture forbids is refused, what it allows is not.
TEST(IncludeRule, RefusesWhatItMust) {
  const std::vector<std::pair<std::string, Include>> forbidden{
      {"src/normalizers/exponential/softmax.cpp", {"reference/interval.hpp", true}},
      {"src/core/tape.cpp", {"src/kernel/kernel.hpp", true}},
      {"src/gpt2/forward.cpp", {"properties/claims/claim.hpp", true}},
      {"reference/interval.cpp", {"src/kernel/kernel.hpp", true}},
      {"reference/interval.cpp", {"attncert/kernel.h", true}},
      {"properties/claims/catalogue/theorem1-upper.cpp", {"src/kernel/kernel.hpp", true}},
      {"properties/claims/catalogue/theorem1-upper.cpp", {"properties/claims/certify/certify.hpp", true}},
      {"properties/conformance/rows/logits.cpp", {"properties/claims/claim.hpp", true}},
      {"properties/conformance/accuracy/judge.cpp", {"properties/conformance/faults/faults.hpp", true}},
      {"properties/conformance/accuracy/judge.cpp", {"properties/conformance/kills/kill_matrix.hpp", true}},
      {"properties/conformance/faults/faults.cpp", {"properties/conformance/accuracy/judge.hpp", true}},
      {"properties/conformance/bounds/judge.cpp", {"properties/conformance/suite/suite.hpp", true}},
      {"cmake/precompiled.hpp", {"src/core/result.hpp", true}},
      {"tests/core/hash_test.cpp", {"pcre2.h", false}},
      {"properties/claims/certify/search.cpp", {"rapidcheck.h", false}},
      {"reports/html.cpp", {"properties/claims/claim.hpp", true}},
      {"check/judge.cpp", {"reference/interval.hpp", true}},
      {"check/judge.cpp", {"src/core/tape.hpp", true}},
      {"check/judge.cpp", {"src/core/witness.hpp", true}},
      {"check/reader.cpp", {"src/core/rational.hpp", true}},
      {"check/judge.cpp", {"boost/multiprecision/mpfi.hpp", false}},
      {"reference/interval.cpp", {"arb.h", false}},
      {"check/judge.cpp", {"flint/arb.h", false}},
      {"src/core/witness.hpp", {"nlohmann/json.hpp", false}},
      {"src/brand_new/file.cpp", {"src/core/result.hpp", true}}};
  for (const auto& [file, include] : forbidden)
    EXPECT_NE(objection(file, include), "") << file << " " << include.target;
  const std::vector<std::pair<std::string, Include>> allowed{
      {"src/normalizers/exponential/softmax.cpp", {"src/kernel/kernel.hpp", true}},
      {"src/normalizers/exponential/softmax.cpp", {"hwy/highway.h", true}},
      {"check/arb.hpp", {"flint/arb.h", false}},
      {"check/ball.hpp", {"check/arb.hpp", true}},
      {"properties/claims/catalogue/sides/softmax.cpp", {"reference/normalizers/softmax.hpp", true}},
      {"properties/claims/certify/search.cpp", {"properties/claims/claim.hpp", true}},
      {"properties/conformance/accuracy/judge.cpp", {"src/kernel/kernel.hpp", true}},
      {"cli/main.cpp", {"properties/claims/certify/certify.hpp", true}},
      {"cli/main.cpp", {"CLI/CLI.hpp", false}},
      {"reports/ledger_json.cpp", {"nlohmann/json.hpp", false}},
      {"tests/check/judge_test.cpp", {"check/judge.hpp", true}}};
  for (const auto& [file, include] : allowed) EXPECT_EQ(objection(file, include), "") << file << " " << include.target;
}

}  // namespace
}  // namespace attncert
