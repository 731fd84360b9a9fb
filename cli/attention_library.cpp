#include "cli/attention_library.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "properties/dumps/rounding_named.hpp"
#include "src/core/printable.hpp"
#include "src/core/process.hpp"
#include "src/core/strict_json.hpp"

namespace attncert::cli {
namespace {

// The line as an object, or nothing of the kind.
nlohmann::json object_in(const std::string& line) try {
  return strict_json::parsed(line, {.depth = 4});
} catch (const strict_json::Fault&) {
  return nullptr;
}

DescribedKernel described(const nlohmann::json& descriptor) {
  DescribedKernel kernel{descriptor["name"], descriptor["rounding"], descriptor["lse_base_2"], {}};
  kernel.wishes.dtype = descriptor["dtype"];
  kernel.wishes.dtype_kv = descriptor["dtype_kv"];
  kernel.wishes.size = kernel.wishes.value_size = descriptor["head_size"];
  std::istringstream features(descriptor["features"].get<std::string>());
  for (std::string feature; std::getline(features, feature, ',');) kernel.wishes.features.insert(feature);
  return kernel;
}

// What is wrong with the descriptor; "" = nothing.
std::string objection(const DescribedKernel& kernel) {
  for (const std::string& feature : kernel.wishes.features)
    if (std::find(std::begin(attention_features), std::end(attention_features), feature) ==
        std::end(attention_features))
      return fmt::format("names the feature \"{}\", which is none of {}", printable(feature),
                         fmt::join(attention_features, ", "));
  if (!kernel.rounding.empty() && !rounding_named(kernel.rounding))
    return fmt::format("declares the class \"{}\", which is none of {}", printable(kernel.rounding), rounding_names());
  if (kernel.wishes.size > largest_head_size)
    return fmt::format("has head_size {}, and cases have at most {}", kernel.wishes.size, largest_head_size);
  return "";
}

}  // namespace

Result<std::vector<DescribedKernel>> kernels_of_library(const std::filesystem::path& host, const std::string& library) {
  const auto listed = run({.program = host, .arguments = {library, "list"}}, std::chrono::seconds(60));
  if (!listed) return listed.error();
  if (!listed->passed())
    return Error{printable(library) + ": cannot be asked for its kernels: " +
                 printable(listed->output.substr(0, listed->output.find('\n')))};
  std::vector<DescribedKernel> kernels;
  std::istringstream lines(listed->output);
  for (std::string line; std::getline(lines, line);) {
    const auto descriptor = object_in(line);
    if (!descriptor.is_object()) return Error{printable(library) + ": prints into the list of its kernels"};
    kernels.push_back(described(descriptor));
    if (const std::string why = objection(kernels.back()); !why.empty())
      return Error{fmt::format("{}: kernel {} {}; mend its descriptor", printable(library), kernels.back().name, why)};
  }
  return kernels;
}

}  // namespace attncert::cli
