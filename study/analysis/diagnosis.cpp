#include "study/analysis/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "study/analysis/slope.hpp"

namespace attncert::report {
namespace {

constexpr std::size_t growth_from = 16;  // below it n_eff <= L alone decides how it grows
constexpr std::size_t growth_lengths = 3;
constexpr double stable_norm = 1;  // no perturbation of the logits comes out larger than it went in

// The smallest temperature from which on no norm exceeds `limit`.
template <class Norms>
double smallest_temperature(const Norms& norms, double limit) {
  double from = unknown;
  for (auto entry = norms.rbegin(); entry != norms.rend() && entry->second.largest <= limit; ++entry)
    from = entry->first;
  return from;
}

std::size_t nearest(double N, const std::vector<std::size_t>& list) {
  return *std::min_element(list.begin(), list.end(), [N](std::size_t a, std::size_t b) {
    return std::fabs(std::log(static_cast<double>(a) / N)) < std::fabs(std::log(static_cast<double>(b) / N));
  });
}

}  // namespace

void Diagnosis::add(const HeadLine& line) {
  Sums& sums = heads_[{line.row.layer, line.row.head}];
  sums.n_eff[line.row.length()].add(line.n_eff);
  if (!sums.longest.admits(line.row, [&] { sums.entropy = sums.sink = sums.top5 = {}; })) return;
  sums.entropy.add(line.entropy);
  sums.sink.add(line.sink);
  sums.top5.add(line.top5);
}

void Diagnosis::add(const SelectionLine& line) {
  if (line.x != TokenKind::hidden || line.scale != TokenScale::unit) return;
  Sums& sums = heads_[{line.row.layer, line.row.head}];
  if (!sums.longest_selection.admits(line.row, [&] { sums.shares.clear(); })) return;
  sums.shares[line.N].add(static_cast<double>(line.separable_most) / static_cast<double>(line.N));
}

void Diagnosis::add(const JacobianLine& line) {
  Sums& sums = heads_[{line.row.layer, line.row.head}];
  if (!sums.longest_norms.admits(line.row, [&] { sums.norms.clear(); })) return;
  Sums::Norm& norm = sums.norms[line.temperature];
  norm.mean.add(line.spectral);
  if (!(line.spectral <= norm.largest) && !std::isnan(norm.largest)) norm.largest = line.spectral;  // NaN stays
  if (line.own != 0) sums.temperature = line.temperature, sums.quarter = line.quarter;
}

void Diagnosis::add(const AlternativeLine& line) {
  Sums::Through& through = heads_[{line.row.layer, line.row.head}].alternatives[line.normalizer];
  through.parameter.add(line.parameter);
  through.share.add(line.share);
  through.support.add(static_cast<double>(line.support));
  through.n_eff.add(line.n_eff);
  through.spectral.add(line.spectral);
  through.N.add(static_cast<double>(line.N));
}

HeadDiagnosis Diagnosis::of(const HeadKey& key, const Sums& sums) {
  HeadDiagnosis head;
  head.layer = key.first, head.head = key.second;
  head.length = sums.longest.length();
  head.rows = sums.entropy.count;
  head.entropy = sums.entropy.value(), head.sink = sums.sink.value(), head.top5 = sums.top5.value();
  if (const auto longest = sums.n_eff.find(head.length); longest != sums.n_eff.end())
    head.n_eff = longest->second.value();
  std::vector<std::pair<double, double>> grown;
  for (const auto& [length, n_eff] : sums.n_eff)
    if (length >= growth_from) grown.push_back({static_cast<double>(length), n_eff.value()});
  if (grown.size() >= growth_lengths) head.growth = log_slope(grown).value_or(unknown);
  std::vector<std::size_t> list;
  for (const auto& [N, share] : sums.shares) list.push_back(N);
  if (!list.empty() && head.n_eff > 0) {
    head.N = nearest(head.n_eff, list);
    head.share = sums.shares.at(head.N).value();
  }
  head.temperature = sums.temperature, head.quarter = sums.quarter;
  // (a map finds anything for NaN)
  if (const auto own = sums.norms.find(head.temperature); head.temperature > 0 && own != sums.norms.end())
    head.norm = own->second.largest, head.mean_norm = own->second.mean.value();
  head.stable_temperature = smallest_temperature(sums.norms, stable_norm);
  return head;
}

std::vector<Alternative> Diagnosis::alternatives(const Sums& sums) {
  std::vector<Alternative> list;
  for (const auto& [name, through] : sums.alternatives)
    list.push_back({name, through.parameter.value(), through.share.value(), through.support.value(),
                    through.n_eff.value(), through.spectral.value(), through.N.value()});
  return list;
}

std::vector<HeadDiagnosis> Diagnosis::heads() const {
  std::vector<HeadDiagnosis> list;
  for (const auto& [key, sums] : heads_) {
    list.push_back(of(key, sums));
    list.back().normalizer = normalizer_;
    std::map<double, double> norms;
    for (const auto& [temperature, norm] : sums.norms) norms[temperature] = norm.mean.value();
    judge(alternatives(sums), norms, list.back());
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const HeadDiagnosis& a, const HeadDiagnosis& b) { return a.severity > b.severity; });
  return list;
}

}  // namespace attncert::report
