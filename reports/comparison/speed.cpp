// Times are compared task by task: how far the ratios of the tasks spread says how much of their median is noise.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "reports/comparison/comparison.hpp"
#include "study/analysis/sample.hpp"

namespace attncert::report {
namespace {

constexpr double shortest = 0.01;               // seconds: where a task is shorter in both runs its times say nothing
constexpr const char* time_of_run = "the run";  // its time depends on --jobs, so no rule looks at it

struct Pairs {
  std::vector<std::pair<double, double>> of;  // before, after
  double before = 0, after = 0;               // their sums
  void add(double one, double other) {
    if (!(one > 0 && other > 0)) return;
    of.emplace_back(one, other);
    before += one;
    after += other;
  }
};

// seconds: they are times, not rates.
void add(const std::string& what, const Pairs& pairs, bool seconds, const std::string& unit,
         std::vector<SpeedRatio>& speed) {
  const std::vector<double> ratios =
      sorted(pairs.of, [&](const auto& pair) { return seconds ? pair.second / pair.first : pair.first / pair.second; });
  if (ratios.empty()) return;
  const double share = seconds ? 1 : 1 / static_cast<double>(ratios.size());  // times add up, rates have a mean
  speed.push_back({what, fmt::format("{:.3g} {}", share * pairs.before, unit),
                   fmt::format("{:.3g} {}", share * pairs.after, unit), quantile(ratios, 0.5), quantile(ratios, 0.25),
                   quantile(ratios, 0.75), ratios.size()});
}

}  // namespace

std::vector<SpeedRatio> speed_ratios(const Ledger::Timing& before, const Ledger::Timing& after,
                                     std::optional<double> max_slowdown) {
  std::vector<SpeedRatio> speed;
  Pairs run, tasks;
  run.add(before.seconds, after.seconds);
  add(time_of_run, run, true, "s", speed);
  for (const auto& [task, seconds] : before.per_claim)
    if (const auto other = after.per_claim.find(task); other != after.per_claim.end())
      if (std::max(seconds, other->second) >= shortest) tasks.add(seconds, other->second);
  add("tasks", tasks, true, "s", speed);
  using Shape = std::pair<std::uint64_t, std::uint64_t>;
  std::map<Shape, std::pair<std::vector<double>, std::vector<double>>> rates;
  for (const auto& [length, dimension, rate] : before.throughput) rates[{length, dimension}].first.push_back(rate);
  for (const auto& [length, dimension, rate] : after.throughput) rates[{length, dimension}].second.push_back(rate);
  for (const auto& [shape, measured] : rates) {
    Pairs pairs;
    for (std::size_t n = 0; n < std::min(measured.first.size(), measured.second.size()); ++n)
      pairs.add(measured.first[n], measured.second[n]);
    add(fmt::format("instances at L={} d={}", shape.first, shape.second), pairs, false, "a second", speed);
  }
  if (max_slowdown)
    for (SpeedRatio& ratio : speed) ratio.regresses = ratio.what != time_of_run && ratio.ratio > *max_slowdown;
  return speed;
}

}  // namespace attncert::report
