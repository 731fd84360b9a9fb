// What is said of one kernel beside its share of the budget: how large the error is that stands behind a ratio, how
// many entries are like it, and what most rows and entries stay within.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "reports/wording.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

constexpr std::string_view computed_mark = ": computed ", exact_mark = ", exact ";

// What stays of a share of the budget, in words: "40% of it", "12 times it".
std::string of_it(double share) {
  const std::string text = share_text(share);
  return share_of(text, "it").starts_with("of") ? text + " of it" : text + " it";
}

}  // namespace

std::string in_short(const std::string& entry) {
  const std::size_t exact = entry.rfind(exact_mark), hex = entry.rfind(" (", exact);
  if (exact == std::string::npos || hex == std::string::npos) return entry;
  return entry.substr(0, hex) + entry.substr(exact, exact_mark.size()) +
         side_text(entry.substr(exact + exact_mark.size()));
}

std::string absolute_error_text(const std::string& entry) {
  const std::size_t computed = entry.rfind(computed_mark), exact = entry.rfind(exact_mark),
                    hex = entry.rfind(" (", exact);
  if (computed == std::string::npos || exact == std::string::npos || hex == std::string::npos || hex < computed)
    return "";
  const char* bound = entry.c_str() + exact + exact_mark.size();
  if (*bound == '[') ++bound;
  char* end = nullptr;
  // In long double, as both have more digits than a double.
  const long double got = std::strtold(entry.c_str() + hex + 2, nullptr), truth = std::strtold(bound, &end);
  const long double error = std::fabs(got - truth);
  return end == bound || !std::isfinite(error) ? "" : fmt::format("{:.2g}", static_cast<double>(error));
}

std::string outside_text(const KernelResult& kernel) {
  const double percent =
      kernel.elements == 0 ? 0 : 100 * static_cast<double>(kernel.outside) / static_cast<double>(kernel.elements);
  return fmt::format("{} of {} elements outside ({:.2g}%)", grouped(kernel.outside), grouped(kernel.elements), percent);
}

std::string spread_text(const KernelResult& kernel) {
  std::string text;
  const std::uint64_t rows = std::accumulate(kernel.shares.begin(), kernel.shares.end(), std::uint64_t{0});
  if (rows > 0) {
    text = share_text(rows - kernel.shares.back(), rows) + " rows within the budget";
    std::uint64_t seen = 0;
    for (std::size_t tenth = 0; tenth + 1 < kernel.shares.size(); ++tenth) {
      seen += kernel.shares[tenth];
      if (2 * seen < rows) continue;
      text += fmt::format(", half of all rows within {}% of it", 100 * (tenth + 1) / (kernel.shares.size() - 1));
      break;
    }
  }
  // At every place 99.9% of the entries stay within what stands there, so that of all they do within the largest.
  for (const ErrorCurve& curve : kernel.errors)
    if (curve.axis == "position" && !curve.nearly_all_fraction.empty())
      if (const double most = std::ranges::max(curve.nearly_all_fraction); most < kernel.worst_fraction)
        text += fmt::format("{}99.9% of the entries within {}", text.empty() ? "" : ", ", of_it(most));
  return text;
}

double badness(const KernelResult& kernel) {
  return std::isnan(kernel.worst_fraction) ? INFINITY : kernel.worst_fraction;
}

std::string at_unit_temperature_text(const KernelResult& kernel) {
  for (const ErrorCurve& curve : kernel.errors)
    for (std::size_t n = 0; n < std::min(curve.at.size(), curve.worst_fraction.size()); ++n)
      if (curve.axis == "temperature" && curve.at[n] == 1 && curve.worst_fraction[n] < kernel.worst_fraction)
        return fmt::format("{} at T = 1; at another T an adapter may divide by T itself, and that rounding is counted",
                           of_it(curve.worst_fraction[n]));
  return "";
}

std::string nearness_text(const KernelResult& kernel) {
  if (std::isnan(kernel.worst_fraction)) return "no number where one is exact";
  if (!(kernel.worst_fraction > 1)) return "nearest to its budget";
  if (std::isinf(kernel.worst_fraction)) return "infinitely far beyond its budget";
  return fmt::format("beyond its budget by a factor of {}", ulp_text(kernel.worst_fraction));
}

}  // namespace attncert::report
