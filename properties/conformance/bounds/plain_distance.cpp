// Theorem 1's quantities from the definitions, O(L d) a point and O(N (L - N) d) for the diameter; each flaw is one
// line.
#include "properties/conformance/bounds/plain.hpp"
#include "properties/conformance/bounds/plain_curves.hpp"

namespace attncert {
namespace {

using Flaw = DistanceFlaw;

Tracked distance(const PlainRow& plain, const std::vector<bool>& selected, const std::vector<Tracked>& s, Flaw flaw) {
  Tracked sum;
  std::vector<Tracked> inside(s.size());
  for (std::size_t i = 0; i < plain.length(); ++i) {
    if (selected[i] && flaw != Flaw::selected_included) continue;
    sum += plain.to(i, s);
    for (std::size_t k = 0; k < s.size(); ++k) inside[k] += plain.a[i] * plain.token(i, k) - s[k];
  }
  if (flaw != Flaw::norm_outside) return sum;
  Tracked square;
  for (const Tracked& entry : inside) square += entry * entry;
  return sqrt(square);
}

Tracked diameter(const PlainRow& plain, const std::vector<bool>& selected, Flaw flaw) {
  Tracked largest;
  for (std::size_t i = 0; i < plain.length(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (selected[i] != selected[j] || flaw == Flaw::diameter_of_all) largest = max(largest, plain.apart(i, j));
  return largest;
}

Tracked second_moment(const PlainRow& plain, long double N, const std::vector<Tracked>& mean, Flaw flaw) {
  const auto L = static_cast<long double>(plain.length());
  Tracked A, B;
  for (std::size_t i = 0; i < plain.length(); ++i) {
    const Tracked y = plain.a[i] * plain.norms[i];
    A += y * y;
  }
  for (const Tracked& entry : mean) B += entry * entry;
  Tracked bracket = Tracked(N + 1) * A;
  if (L > 1) bracket += Tracked(flaw == Flaw::moment_factor ? N : N * (N - 3)) / (L - 1) * (B - A);
  return Tracked(L - N) / L * bracket;
}

Tracked printed_expectation(const PlainRow& plain, long double N, const std::vector<Tracked>& mean) {
  const auto L = static_cast<long double>(plain.length());
  Tracked sum;
  for (std::size_t i = 0; i < plain.length(); ++i)
    for (std::size_t k = 0; k < mean.size(); ++k) {
      const Tracked entry = (plain.a[i] + Tracked(N) / (L - 1)) * plain.token(i, k) - mean[k];
      sum += entry * entry;
    }
  return Tracked(L - N) / L * sum;
}

// The sum of distances in f32, with the error that f64 would have.
Tracked in_single(const PlainRow& plain, const std::vector<bool>& selected, const std::vector<Tracked>& s) {
  float sum = 0;
  for (std::size_t i = 0; i < plain.length(); ++i)
    if (!selected[i]) sum += static_cast<float>(plain.to(i, s).value);
  return {sum, 0x1p-50L * static_cast<long double>(sum)};
}

Tracked stated(const Tracked& distance, Flaw flaw) {
  switch (flaw) {
    case Flaw::cancellation_forgotten:
      return {distance.value, 0x1p-63L * distance.value, 0};
    case Flaw::error_useless:
      return {distance.value, 0.01L * distance.value};
    default:
      return distance;
  }
}

void add_point(std::vector<Reported>& list, const PlainRow& plain, std::size_t N, Flaw flaw) {
  const std::size_t taken = flaw == Flaw::off_by_one ? N + 1 : N;
  const std::vector<bool> selected = plain.selected(taken);
  const std::vector<bool> all(plain.length(), true);
  const std::vector<Tracked> mean = plain.sum(all), s = plain.sum(flaw == Flaw::context_of_all ? all : selected);
  Tracked context, unselected, mass, outside, m;
  for (const Tracked& entry : s) context += entry * entry;
  for (std::size_t i = 0; i < plain.length(); ++i) {
    (selected[i] ? mass : outside) += flaw == Flaw::mass_not_divided ? Tracked(plain.row.weights[i]) : plain.a[i];
    if (selected[i]) m = max(m, plain.norms[i]);
    else unselected += abs(plain.a[i]) * plain.norms[i];
  }
  if (!plain.row.divided) outside = Tracked(1) - mass;
  const Tracked d1 = diameter(plain, selected, flaw);
  const Tracked bracket = mass * static_cast<long double>(plain.length() - N) - outside, first = outside * d1;
  Tracked sum = flaw == Flaw::single_sums ? in_single(plain, selected, s) : distance(plain, selected, s, flaw);
  list.push_back(reported("distance", N, stated(sum, flaw)));
  list.push_back(reported("context", N, sqrt(context)));
  list.push_back(reported("selected mass", N, mass));
  list.push_back(reported("unselected", N, unselected));
  list.push_back(reported("diameter", N, d1));
  list.push_back(reported("largest selected", N, m));
  list.push_back(reported("printed", N, first + m * m * bracket));
  list.push_back(reported("corrected", N, first + (flaw == Flaw::square_in_corrected ? m * m : m) * bracket));
  list.push_back(reported("second moment", N, second_moment(plain, static_cast<long double>(N), mean, flaw)));
  if (plain.length() > 1)
    list.push_back(reported("printed expectation", N, printed_expectation(plain, static_cast<long double>(N), mean)));
}

}  // namespace

std::vector<Reported> plain_distance(const BoundRow& row, DistanceFlaw flaw) {
  const PlainRow plain(row, flaw == Flaw::ties_by_higher);
  std::vector<Reported> list{reported_count("ties", 0, plain.ties(), plain.ties())};
  for (const std::size_t N : row.points) add_point(list, plain, N, flaw);
  for (Reported& one : list) {
    if (flaw == Flaw::error_zero) one.error = 0;
    if (flaw == Flaw::unknown_at_half && one.output == "distance" && 2 * one.point == plain.length())
      one.value = std::numeric_limits<double>::quiet_NaN(), one.error = std::numeric_limits<double>::infinity();
  }
  return list;
}

}  // namespace attncert
