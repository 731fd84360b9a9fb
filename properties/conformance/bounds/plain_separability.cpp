// Theorem 2's quantities from the definitions; each flaw is one line.
#include <array>
#include <optional>

#include "properties/conformance/bounds/curves.hpp"
#include "properties/conformance/bounds/plain.hpp"
#include "properties/conformance/bounds/plain_curves.hpp"

namespace attncert {
namespace {

using Flaw = SeparabilityFlaw;

struct Spread {
  Tracked radius, closest, farthest;
};

Spread spread(const PlainRow& plain, const std::vector<bool>* only) {
  Spread result;
  std::optional<Tracked> closest;
  for (std::size_t i = 0; i < plain.length(); ++i) {
    if (only != nullptr && !(*only)[i]) continue;
    result.radius = max(result.radius, plain.norms[i]);
    for (std::size_t j = 0; j < i; ++j) {
      if (only != nullptr && !(*only)[j]) continue;
      const Tracked apart = plain.apart(i, j);
      closest = closest ? min(*closest, apart) : apart;
      result.farthest = max(result.farthest, apart);
    }
  }
  if (closest) result.closest = *closest;
  return result;
}

// xi_i (or eta_i) of the k-th selected token.
Tracked radius_of(const PlainRow& plain, std::size_t N, std::size_t k, bool literal, const Tracked& M,
                  const Tracked& delta) {
  Tracked squares, others;
  for (std::size_t j = 0; j < N; ++j) {
    if (j == k) continue;
    const Tracked& a = plain.a[plain.order[j]];
    squares += a * a;
    others += a;
  }
  Tracked pairs;  // over j != l, both != k; directly, because the square of the sum may cancel
  for (std::size_t j = 0; j < N; ++j)
    for (std::size_t l = 0; l < N; ++l)
      if (j != k && l != k && j != l) pairs += plain.a[plain.order[j]] * plain.a[plain.order[l]];
  if (literal) pairs += plain.a[plain.order[k]] * others;
  const Tracked square = M * M * squares + (M * M - delta * delta * Tracked(0.5L)) * pairs;
  return sqrt(max(square, Tracked(0)));
}

struct Counted {
  std::size_t least = 0, most = 0;
};
void add(Counted& counted, const Tracked& distance, const Tracked& r, bool strict) {
  counted.least += strict ? distance.value < r.value : distance.high() <= r.low();
  counted.most += strict ? distance.value < r.value : distance.low() <= r.high();
}

struct AtN {
  std::array<std::vector<Tracked>, 2> xi;
  std::vector<Tracked> eta;
};

AtN radii(const PlainRow& plain, std::size_t N, const Spread& all, Flaw flaw) {
  const std::vector<bool> selected = plain.selected(N);
  const Spread own = spread(plain, &selected);
  const Tracked M = flaw == Flaw::radius_of_selected ? own.radius : all.radius;
  const Tracked delta = flaw == Flaw::delta_of_selected ? own.closest : all.closest;
  AtN at;
  for (std::size_t k = 0; k < N; ++k) {
    const bool once_more = flaw == Flaw::index_once_more;
    at.xi[0].push_back(radius_of(plain, N, k, once_more, M, delta));
    at.xi[1].push_back(radius_of(plain, N, k, flaw != Flaw::literal_swapped, M, delta));
    at.eta.push_back(radius_of(plain, N, k, false, M, all.farthest));
  }
  return at;
}

Reported infinite(std::string output, std::size_t N, double value) {
  Reported result = reported(std::move(output), N, 0);
  result.value = value;
  return result;
}

Reported lower(std::string output, std::size_t N, const std::vector<Tracked>& xi, const Tracked& r) {
  Tracked total;
  for (const Tracked& radius : xi) total += radius;
  if (r.high() <= 0 && total.low() > 0) return infinite(std::move(output), N, -std::numeric_limits<double>::infinity());
  return reported(std::move(output), N, Tracked(1) - total / (r * static_cast<long double>(N)));
}

Tracked upper(const std::vector<Tracked>& xi, const Tracked& r, const Tracked& M, Flaw flaw) {
  Tracked total;
  for (const Tracked& radius : xi)
    total += exp(-((r - radius) * (r - radius) / (Tracked(flaw == Flaw::exponent_two ? 2 : 16) * M * M)));
  return total / static_cast<long double>(xi.size());
}

Tracked corrected(const std::vector<Tracked>& xi, const Tracked& r) {
  Tracked total;
  for (const Tracked& radius : xi) {
    if (radius.low() >= r.high()) {
      total += 1;
      continue;
    }
    const Tracked share = radius / r;
    total += share.error < 0.25L ? min(Tracked(1), share) : Tracked(0.5L, 0.5L);
  }
  return Tracked(1) - total / static_cast<long double>(xi.size());
}

void add_point(std::vector<Reported>& list, const PlainRow& plain, std::size_t N, const Spread& all, Flaw flaw) {
  const std::vector<bool> selected = plain.selected(N);
  const std::vector<Tracked> s = plain.sum(selected);
  std::optional<Tracked> r;
  for (std::size_t i = 0; i < plain.length(); ++i)
    if (!selected[i]) {
      const Tracked f = plain.to(i, s);
      r = !r ? f : flaw == Flaw::largest_r ? max(*r, f) : min(*r, f);
    }
  list.push_back(r ? reported("r", N, *r) : infinite("r", N, std::numeric_limits<double>::infinity()));
  Counted separable, surely, possibly;
  const AtN at = radii(plain, N, all, flaw);
  if (!r) {
    separable = surely = possibly = {N, N};
  } else {
    for (std::size_t k = 0; k < N; ++k) {
      add(separable, plain.to(plain.order[k], s), *r, flaw == Flaw::strict_count);
      add(surely, at.xi[0][k], *r, false);
      add(possibly, at.eta[k], *r, false);
    }
  }
  if (flaw == Flaw::counts_open) separable = {0, N};
  list.push_back(reported_count("separable", N, separable.least, separable.most));
  list.push_back(reported_count("surely", N, surely.least, surely.most));
  list.push_back(reported_count("possibly", N, possibly.least, possibly.most));
  if (N == 0) return;
  for (const std::size_t which : {std::size_t{0}, std::size_t{1}}) {
    const std::string reading = which == 0 ? " distinct" : " literal";
    list.push_back(r ? lower("printed lower" + reading, N, at.xi[which], *r)
                     : reported("printed lower" + reading, N, 1));
    list.push_back(reported("printed upper" + reading, N, r ? upper(at.xi[which], *r, all.radius, flaw) : Tracked(0)));
  }
  list.push_back(reported("corrected lower", N, r ? corrected(at.xi[0], *r) : Tracked(1)));
}

}  // namespace

std::vector<Reported> plain_separability(const BoundRow& row, SeparabilityFlaw flaw) {
  const PlainRow plain(row, false);
  const Spread all = spread(plain, nullptr);
  std::vector<Reported> list{reported_count("ties", 0, plain.ties(), plain.ties()), reported("radius", 0, all.radius),
                             reported("closest", 0, all.closest), reported("farthest", 0, all.farthest)};
  for (const std::size_t N : row.points) add_point(list, plain, N, all, flaw);
  const AtN middle = radii(plain, bound_subject::radii_point(row), all, flaw);
  for (std::size_t k = 0; k < middle.eta.size(); ++k) {
    const std::string of = " of " + std::to_string(k);
    list.push_back(reported("xi distinct" + of, 0, middle.xi[0][k]));
    list.push_back(reported("xi literal" + of, 0, middle.xi[1][k]));
    list.push_back(reported("eta" + of, 0, middle.eta[k]));
    list.push_back(reported_count("token" + of, 0, plain.order[k], plain.order[k]));
  }
  return list;
}

}  // namespace attncert
