#include "properties/certify/maximise.hpp"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "properties/certify/coordinates.hpp"
#include "properties/certify/judge.hpp"
#include "properties/certify/shrink.hpp"

namespace attncert {
namespace {

constexpr std::size_t kept_of_a_shape = 2;
constexpr std::size_t longest_start =
    8;                           // every extreme of claims.md section 14 has such a length; longer ones are dear
constexpr double worst = -1e30;  // an instance that says nothing

// lhs / rhs from below at the first precision; the screening of what judge() confirms.
double screened(const Statement& statement, const Instance& instance) {
  if (!admissible(statement, instance)) return worst;
  const Precision precision;
  const Interval rhs = statement.rhs(instance, precision);
  if (less(Interval(0.0, precision), rhs) != Truth::yes) return worst;
  const double quotient = (statement.lhs(instance, precision) / rhs).lower();
  return std::isfinite(quotient) ? quotient : worst;
}

// One start that is climbed from, round after round.
struct Climb {
  std::unique_ptr<Coordinates> coordinates;
  std::vector<double> point;
  double value;
  std::size_t left = 0;  // evaluations
  const Statement* statement = nullptr;
  const std::atomic<bool>* stop = nullptr;
};

double objective(unsigned n, const double* x, double*, void* data) {
  Climb& climb = *static_cast<Climb*>(data);
  if (climb.left == 0 || *climb.stop) return worst;
  --climb.left;
  const std::vector<double> point(x, x + n);
  const double value = screened(*climb.statement, climb.coordinates->at(point));
  if (value > climb.value) {
    climb.value = value;
    climb.point = point;
  }
  return value;
}

// One run of NLopt from the best point so far, its first simplex `scale` steps wide.
void run(Climb& climb, nlopt_algorithm algorithm, double scale, std::size_t evaluations) {
  const auto n = static_cast<unsigned>(climb.point.size());
  const std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> optimiser(nlopt_create(algorithm, n), nlopt_destroy);
  if (!optimiser) return;
  climb.left = evaluations;
  nlopt_set_max_objective(optimiser.get(), objective, &climb);
  nlopt_set_lower_bounds(optimiser.get(), climb.coordinates->lowest().data());
  nlopt_set_upper_bounds(optimiser.get(), climb.coordinates->highest().data());
  std::vector<double> steps = climb.coordinates->steps();
  for (double& step : steps) step *= scale;
  nlopt_set_initial_step(optimiser.get(), steps.data());
  nlopt_set_maxeval(optimiser.get(), static_cast<int>(evaluations));
  nlopt_set_xtol_rel(optimiser.get(), 1e-7);
  nlopt_set_ftol_rel(optimiser.get(), 1e-9);
  std::vector<double> point = climb.point;
  double value = 0;
  nlopt_optimize(optimiser.get(), point.data(), &value);  // climb.point holds the best whatever the outcome
}

}  // namespace

void StartPool::offer(const Instance& instance, double tightness) {
  if (!std::isfinite(tightness) || instance.length > longest_start) return;
  std::vector<Start>& shape = shapes_[{instance.length, instance.dimension(), instance.count}];
  if (shape.size() == kept_of_a_shape && tightness <= shape.back().tightness) return;
  const auto place = std::upper_bound(shape.begin(), shape.end(), tightness,
                                      [](double value, const Start& start) { return value > start.tightness; });
  shape.insert(place, {instance, tightness});
  if (shape.size() > kept_of_a_shape) shape.pop_back();
}

std::vector<Start> StartPool::best(std::size_t most) const {
  std::vector<Start> chosen;
  for (std::size_t rank = 0; rank < kept_of_a_shape; ++rank) {
    std::vector<Start> row;
    for (const auto& [shape, starts] : shapes_)
      if (rank < starts.size()) row.push_back(starts[rank]);
    std::stable_sort(row.begin(), row.end(), [](const Start& a, const Start& b) { return a.tightness > b.tightness; });
    for (Start& start : row)
      if (chosen.size() < most) chosen.push_back(std::move(start));
  }
  return chosen;
}

Maximised maximise(const Statement& statement, const std::vector<Start>& starts, std::size_t evaluations,
                   const std::string& replay, const std::atomic<bool>& stop) {
  Maximised result;
  if (statement.relation != Relation::at_most || evaluations == 0) return result;
  std::vector<Climb> climbs;
  for (const Start& start : starts) {
    auto coordinates = std::make_unique<Coordinates>(statement, start.instance);
    if (coordinates->dimension() == 0) continue;
    std::vector<double> origin = coordinates->origin();
    climbs.push_back({std::move(coordinates), std::move(origin), worst, 0, &statement, &stop});
  }
  const auto confirm = [&](const Climb& climb) {
    const Instance instance = climb.coordinates->at(climb.point);
    const Ruling ruling = judge(statement, instance);
    const auto before = result.tally.tightest;
    record(result.tally, ruling, replay);
    if (result.tally.tightest && (!before || result.tally.tightest->tightness > before->tightness))
      result.tightest = instance;
    if (ruling.decision == Decision::violated && (!result.violating || size_of(instance) < size_of(*result.violating)))
      result.violating = instance;
  };
  // The worse half stays behind after each round; what is left gets twice the evaluations.
  std::size_t rounds = 1;
  while (climbs.size() >> rounds != 0) ++rounds;
  for (std::size_t round = 0; round < rounds && !climbs.empty() && !stop; ++round) {
    const std::size_t share = evaluations / rounds / climbs.size();
    const double scale = round % 2 == 0 ? 1 : 0.25;
    for (Climb& climb : climbs) {
      if (stop) return result;
      run(climb, NLOPT_LN_SBPLX, scale, share);
      if (climb.value > worst) confirm(climb);
    }
    std::stable_sort(climbs.begin(), climbs.end(), [](const Climb& a, const Climb& b) { return a.value > b.value; });
    climbs.resize((climbs.size() + 1) / 2);
  }
  return result;
}

}  // namespace attncert
