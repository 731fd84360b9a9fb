#include "properties/claims/certify/maximise.hpp"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "properties/claims/certify/coordinates.hpp"
#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/shrink.hpp"

namespace attncert {
namespace {

constexpr std::size_t kept_of_a_shape = 2;
constexpr std::size_t longest_start =
    8;                           // docs/specification.md#extremes: no longer row is needed, and longer ones are slow
constexpr double worst = -1e30;  // of an instance that has no quotient

// lhs / rhs from below at the first precision; the screening of what judge() confirms.
double screened(const Statement& statement, const Part& part, const Instance& instance) {
  if (!admissible(statement, instance)) return worst;
  const Precision precision;
  const Interval rhs = part.rhs(instance, precision);
  if (less(Interval(0.0, precision), rhs) != Truth::yes) return worst;
  const double quotient = (part.lhs(instance, precision) / rhs).lower();
  return std::isfinite(quotient) ? quotient : worst;
}

// One start that is climbed from, round after round.
struct Climb {
  std::unique_ptr<Coordinates> coordinates;
  std::vector<double> point;
  double value;
  std::size_t left = 0;  // evaluations
  const Statement* statement = nullptr;
  const Part* part = nullptr;
  const std::atomic<bool>* stop = nullptr;
};

double objective(unsigned n, const double* x, double*, void* data) {
  Climb& climb = *static_cast<Climb*>(data);
  if (climb.left == 0 || *climb.stop) return worst;
  --climb.left;
  const std::vector<double> point(x, x + n);
  const double value = screened(*climb.statement, *climb.part, climb.coordinates->at(point));
  if (value > climb.value) {
    climb.value = value;
    climb.point = point;
  }
  return value;
}

// One run of NLopt from the best point so far, its first simplex `scale` steps wide; how many evaluations it took.
std::size_t run(Climb& climb, double scale, std::size_t evaluations) {
  const auto n = static_cast<unsigned>(climb.point.size());
  const std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> optimiser(nlopt_create(NLOPT_LN_SBPLX, n), nlopt_destroy);
  if (!optimiser) return 0;
  climb.left = evaluations;
  nlopt_set_max_objective(optimiser.get(), objective, &climb);
  nlopt_set_lower_bounds(optimiser.get(), climb.coordinates->lowest().data());
  nlopt_set_upper_bounds(optimiser.get(), climb.coordinates->highest().data());
  std::vector<double> steps = climb.coordinates->steps();
  for (double& step : steps) step *= scale;
  nlopt_set_initial_step(optimiser.get(), steps.data());
  nlopt_set_maxeval(optimiser.get(), static_cast<int>(evaluations));
  nlopt_set_xtol_rel(optimiser.get(), 1e-7);  // of 30-bit coordinates
  nlopt_set_ftol_rel(optimiser.get(), 1e-9);
  std::vector<double> point = climb.point;
  double value = 0;
  nlopt_optimize(optimiser.get(), point.data(), &value);  // climb.point holds the best whatever the outcome
  return evaluations - climb.left;
}

class Maximiser {
 public:
  Maximiser(const Statement& statement, std::size_t part, const std::vector<Start>& starts, std::size_t evaluations,
            const std::string& replay, const std::atomic<bool>& stop)
      : statement_(statement), part_(part), replay_(replay), stop_(stop), left_(evaluations) {
    const Part& climbed_for = std::get<Sided>(statement.kind).parts[part];
    for (const Start& start : starts) {
      auto coordinates = std::make_unique<Coordinates>(statement, start.instance);
      if (coordinates->dimension() == 0) continue;
      std::vector<double> origin = coordinates->origin();
      climbs_.push_back({std::move(coordinates), std::move(origin), worst, 0, &statement, &climbed_for, &stop});
    }
  }

  Maximised run_all() {
    if (climbs_.empty()) return {};
    halve();
    restart();
    return std::move(result_);
  }

 private:
  void climb(Climb& climb, double scale, std::size_t evaluations) {
    left_ -= run(climb, scale, std::min(left_, evaluations));
    if (climb.value > worst && !stop_) confirm(climb.coordinates->at(climb.point));
  }

  // The worse half stays behind after each round; what is left gets twice the evaluations.
  void halve() {
    std::vector<Climb*> racing;
    for (Climb& climb : climbs_) racing.push_back(&climb);
    std::size_t rounds = 1;
    while (racing.size() >> rounds != 0) ++rounds;
    const std::size_t of_a_round = left_ / rounds;
    for (std::size_t round = 0; round < rounds && !stop_; ++round) {
      for (Climb* one : racing) climb(*one, round % 2 == 0 ? 1 : 0.25, of_a_round / racing.size());
      std::stable_sort(racing.begin(), racing.end(),
                       [](const Climb* a, const Climb* b) { return a->value > b->value; });
      racing.resize((racing.size() + 1) / 2);
    }
  }

  // What converged early leaves evaluations: they go to new starts near the old ones.
  void restart() {
    constexpr std::size_t most = 1000;  // a bound of its own: a run may end without an evaluation
    const std::size_t share = std::max<std::size_t>(left_ / climbs_.size(), 100);
    for (std::size_t number = 0; number < most && left_ > 0 && !stop_; ++number) {
      Climb& one = climbs_[number % climbs_.size()];
      const std::vector<double>&origin = one.coordinates->origin(), &steps = one.coordinates->steps();
      const Tape tape =
          random_tape(number, "maximise/" + std::string(statement_.id), origin.size(), 4 * origin.size() + 1);
      Choices choices(tape);
      for (std::size_t i = 0; i < origin.size(); ++i)
        one.point[i] = std::clamp(origin[i] + steps[i] * (4 * choices.unit() - 2), one.coordinates->lowest()[i],
                                  one.coordinates->highest()[i]);
      one.value = worst;
      climb(one, 1, share);
    }
  }

  void confirm(const Instance& instance) {
    const Ruling ruling = judge(statement_, instance);
    record(result_.tally, statement_, ruling, replay_);
    if (ruling.decision == Decision::discarded) return;
    const std::optional<double> tightness = ruling.parts[part_].tightness();
    if (tightness && (!result_.tightest || *tightness > result_.tightness)) {
      result_.tightest = instance;
      result_.tightness = *tightness;
    }
    if (ruling.parts[part_].decision == Decision::violated &&
        (!result_.violating || size_of(instance) < size_of(*result_.violating)))
      result_.violating = instance;
  }

  const Statement& statement_;
  const std::size_t part_;
  const std::string& replay_;
  const std::atomic<bool>& stop_;
  std::size_t left_;
  std::vector<Climb> climbs_;
  Maximised result_;
};

}  // namespace

void StartPool::offer(const Instance& instance, double tightness) {
  if (!std::isfinite(tightness) || instance.length > longest_start) return;
  std::vector<Start>& shape = shapes_[{instance.length, instance.dimension(), instance.count}];
  if (shape.size() == kept_of_a_shape && tightness <= shape.back().tightness) return;
  const auto place = std::upper_bound(shape.begin(), shape.end(), tightness,
                                      [](double value, const Start& start) { return value > start.tightness; });
  shape.insert(place, {instance.fresh(), tightness});
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

Maximised maximise(const Statement& statement, std::size_t part, const std::vector<Start>& starts,
                   std::size_t evaluations, const std::string& replay, const std::atomic<bool>& stop) {
  if (std::get<Sided>(statement.kind).parts[part].relation != Relation::at_most)
    return {};  // the sides' quotient is not what such a statement is about
  return Maximiser(statement, part, starts, evaluations, replay, stop).run_all();
}

}  // namespace attncert
