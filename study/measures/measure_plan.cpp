#include "study/measures/measure_plan.hpp"

#include <algorithm>
#include <cmath>

namespace attncert {
namespace {

void sort_out(std::vector<std::size_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

std::vector<std::size_t> default_queries(std::size_t T) {
  constexpr std::size_t positions = 14, shortest = 8;
  std::vector<std::size_t> queries{T - 1};
  const double ratio = static_cast<double>(T) / static_cast<double>(shortest);
  for (std::size_t k = 0; T > shortest && k + 1 < positions; ++k) {
    const double exponent = static_cast<double>(k) / (positions - 1);
    queries.push_back(static_cast<std::size_t>(std::lround(shortest * std::pow(ratio, exponent))) - 1);
  }
  sort_out(queries);
  return queries;
}

std::vector<std::size_t> selection_counts(std::size_t length, bool longest) {
  std::vector<std::size_t> counts{1, 5};
  for (std::size_t N = 2; N <= length / 2; N *= 2) counts.push_back(N);
  if (longest)
    for (const double ratio :
         {.01, .02, .04, .06, .08, .12, .16, .25, .35, .5, .6, .7, .8, .9, .95, .99})  // finer where curves bend
      counts.push_back(static_cast<std::size_t>(std::ceil(ratio * static_cast<double>(length))));
  std::erase_if(counts, [&](std::size_t N) { return N < 1 || N > std::max<std::size_t>(1, length - 1); });
  sort_out(counts);
  return counts;
}

}  // namespace attncert
