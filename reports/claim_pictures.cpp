// What a claim's section draws: the witness as the paper's Figure 1 draws a selection, the quantity along a family,
// both sides, what became of the instances, and how near each part came. Pictures are in double precision; the numbers
// beside them are exact.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "reports/plot/plot.hpp"
#include "reports/plot/polar.hpp"
#include "reports/plot/row_charts.hpp"
#include "reports/sections.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

constexpr std::size_t most_tokens = 2000;  // of a picture: more points than it has room for

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }
double norm(const Vector& a) { return std::sqrt(dot(a, a)); }

Vector plus(const Vector& a, double factor, const Vector& b) {
  Vector sum = a;
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += factor * b[k];
  return sum;
}

// Two directions in which the vectors are seen: the axes themselves up to d = 2; else that of the longest vector and,
// of what is left of the others, that of the longest.
std::pair<Vector, Vector> plane_of(const std::vector<Vector>& vectors, std::size_t d) {
  Vector first(d, 0), second(d, 0);
  if (d <= 2) {
    first[0] = 1;
    if (d == 2) second[1] = 1;
    return {first, second};
  }
  const auto longest = [](const std::vector<Vector>& among) {
    return *std::max_element(among.begin(), among.end(),
                             [](const Vector& a, const Vector& b) { return norm(a) < norm(b); });
  };
  const auto unit = [](Vector v) {
    const double length = norm(v);
    for (double& x : v) x = length > 0 ? x / length : 0;
    return v;
  };
  first = unit(longest(vectors));
  std::vector<Vector> rest;
  for (const Vector& v : vectors) rest.push_back(plus(v, -dot(v, first), first));
  return {first, unit(longest(rest))};
}

constexpr std::string_view what_a_dot_is =
    "A dot is a weighted token a_i x_i (not x_i) as seen from s, the sum of the selected; the ball B_r(s) reaches to "
    "the nearest unselected one.";

struct Selection {
  std::vector<double> weights;
  std::vector<Vector> tokens;
  std::vector<bool> selected;
};

std::optional<Selection> selection_of(const LedgerClaim& claim) {
  if (!claim.witness || !claim.witness->instance) return std::nullopt;
  const ExactInstance& instance = *claim.witness->instance;
  const std::size_t L = instance.length, d = instance.dimension;
  if (d == 0 || L == 0 || L > most_tokens || total(instance.tokens) != L || total(instance.weights) != L) return {};
  Selection made;
  for (const Rational& weight : expanded(instance.weights)) made.weights.push_back(approximate(weight));
  for (const std::vector<Rational>& token : expanded(instance.tokens)) {
    if (token.size() != d) return std::nullopt;
    Vector vector;
    for (const Rational& x : token) vector.push_back(approximate(x));
    made.tokens.push_back(std::move(vector));
  }
  made.selected.assign(L, false);
  std::vector<std::size_t> chosen = instance.selected;
  if (chosen.empty()) {  // the top N by weight, ties by lowest index
    chosen.resize(L);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    std::ranges::stable_sort(chosen, std::greater<>{}, [&](std::size_t i) { return made.weights[i]; });
    chosen.resize(std::min(L, instance.count));
  }
  for (const std::size_t i : chosen)
    if (i < L) made.selected[i] = true;
  return made;
}

std::string vector_text(const Vector& vector) {
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(vector.size(), 4); ++k)
    text += fmt::format("{}{:.4g}", k == 0 ? "" : ", ", vector[k]);
  return vector.size() > 4 ? text + ", ..." : text;
}

Polar drawn(const Selection& selection, const std::string& title) {
  const std::size_t L = selection.tokens.size(), d = selection.tokens[0].size();
  Vector s(d, 0);
  for (std::size_t i = 0; i < L; ++i)
    if (selection.selected[i]) s = plus(s, selection.weights[i], selection.tokens[i]);
  std::vector<Vector> seen;  // a_i x_i from s
  for (std::size_t i = 0; i < L; ++i)
    seen.push_back(plus(plus(Vector(d, 0), selection.weights[i], selection.tokens[i]), -1, s));
  const auto [right, up] = plane_of(seen, d);
  Polar polar{.title = title};
  double r = INFINITY;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < L; ++i) {
    const bool selected = selection.selected[i];
    const double distance = norm(seen[i]);
    chosen += selected;
    if (!selected) r = std::min(r, distance);
    polar.points.push_back(
        {distance, std::atan2(dot(seen[i], up), dot(seen[i], right)), selected,
         std::clamp(selection.weights[i], 0.0, 1.0),
         fmt::format("token {}{}: weight {:.4g}, x = ({}), distance to s {:.4g}", i, selected ? ", selected" : "",
                     selection.weights[i], vector_text(selection.tokens[i]), distance)});
  }
  polar.circle = std::isfinite(r) ? r : 0;
  polar.circle_label = fmt::format("the ball B_r(s), r = {:.4g}", polar.circle);
  polar.chosen_label = fmt::format("a_i x_i selected, {}", chosen);
  polar.other_label = fmt::format("a_i x_i unselected, {}", L - chosen);
  return polar;
}

double at(const std::vector<Rational>& polynomial, double n) {
  double value = 0;
  for (std::size_t power = polynomial.size(); power-- > 0;) value = value * n + approximate(polynomial[power]);
  return value;
}

Picture family_picture(const LedgerClaim& claim) {
  Plot plot{claim.id + " along " + (claim.witness->families.size() == 1 ? "a family" : "families"),
            {"n", true},
            {"the quantity that the statement speaks of", true}};
  int look = 0;
  for (const FormFamily& family : claim.witness->families) {
    PlotLine line{family.name, look++ % 10};
    const double last = static_cast<double>(largest_witness_length);
    for (auto n = static_cast<double>(std::max<std::size_t>(family.first, 1)); n <= last; n *= 2) {
      const double value = at(family.value.above, n) / (family.value.below.empty() ? 1 : at(family.value.below, n));
      plot.y.logarithmic &= value > 0;
      line.points.push_back({n, value});
    }
    plot.lines.push_back(std::move(line));
  }
  Picture picture{svg(plot), "witness-" + claim.id, {}};
  if (!claim.witness_lhs.empty()) picture.caption = {{claim.witness_lhs}};
  return picture;
}

// The lower end of an enclosure "[lower, upper]", for its length on paper.
std::optional<double> side_of(const std::string& enclosure) {
  if (!enclosure.starts_with('[')) return std::nullopt;
  const double value = std::strtod(enclosure.c_str() + 1, nullptr);
  return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<Picture> sides_picture(const LedgerClaim& claim) {
  const auto left = side_of(claim.witness_lhs), right = side_of(claim.witness_rhs);
  if (!left || !right || *left + *right == 0) return std::nullopt;
  BarChart chart{.title = claim.id + ": both sides at the witness"};
  chart.rows = {{"left side", side_text(claim.witness_lhs), {{*left, 1, "left side " + claim.witness_lhs}}},
                {"right side", side_text(claim.witness_rhs), {{*right, 0, "right side " + claim.witness_rhs}}}};
  return Picture{svg(chart), "sides-" + claim.id, {}};
}

// Held ones by left side / right side.
constexpr std::pair<const char*, int> outcomes[] = {
    {"held, below 1/2", 7}, {"held, 1/2 to 9/10", 0}, {"held, above 9/10", 2}, {"equality", 3},
    {"violated", 1},        {"undecided", 4},         {"discarded", 5}};

BarChart::Row outcome_row(const std::string& source, const Counts& counts) {
  BarChart::Row row{source, grouped(counts.tried), {}};
  const auto& tenths = counts.held_by_tenths;
  const auto from = [&](std::size_t first, std::size_t end) {
    return tenths.empty() ? 0 : std::accumulate(&tenths[first], &tenths[end - 1] + 1, std::uint64_t{0});
  };
  // A ledger without the tenths says only that they held.
  const std::uint64_t near = from(9, 10), between = from(5, 9),
                      far = counts.held - std::min(counts.held, near + between);
  const std::uint64_t numbers[] = {
      far, between, near, counts.equality, counts.violated, counts.undecided, discarded(counts)};
  for (std::size_t n = 0; n < std::size(outcomes); ++n)
    row.parts.push_back({static_cast<double>(numbers[n]), outcomes[n].second,
                         fmt::format("{}: {} {}", source, grouped(numbers[n]), outcomes[n].first)});
  return row;
}

std::optional<Picture> outcome_picture(const LedgerClaim& claim) {
  if (claim.counts.tried == 0) return std::nullopt;
  BarChart chart{.title = claim.id + ": what became of the instances, and left side / right side", .shares = true};
  chart.rows.push_back(outcome_row("all", claim.counts));
  for (const auto& [source, counts] : claim.by_source)
    if (counts.tried > 0) chart.rows.push_back(outcome_row(source, counts));
  for (std::size_t n = 0; n < std::size(outcomes); ++n)
    if (std::ranges::any_of(chart.rows, [&](const BarChart::Row& row) { return row.parts[n].value > 0; }))
      chart.legend.emplace_back(outcomes[n].first, outcomes[n].second);
  return Picture{svg(chart), "outcomes-" + claim.id, {}};
}

RowMark mark_of(const Tightest& tightest, bool refuted, const std::string& name) {
  const bool beyond =
      tightest.tightness == std::numeric_limits<double>::max();  // a lower bound of what no double holds
  return {
      beyond ? INFINITY : tightest.tightness, refuted ? 1 : 2,
      fmt::format("{}: {} against {} at {}", name, side_text(tightest.lhs), side_text(tightest.rhs), tightest.replay)};
}

std::optional<Picture> parts_picture(const LedgerClaim& claim) {
  if (claim.parts.size() < 2) return std::nullopt;
  QuotientChart chart{.title = claim.id + ": left side / right side, the largest of each part"};
  for (const PartTally& part : claim.parts)
    if (part.tightest)
      chart.rows.push_back({part.part, tightness_text(part), {mark_of(*part.tightest, part.violated > 0, part.part)}});
  if (chart.rows.empty()) return std::nullopt;
  return Picture{svg(chart), "parts-" + claim.id, {}};
}

}  // namespace

std::optional<Picture> witness_picture(const LedgerClaim& claim) {
  if (!claim.witness) return std::nullopt;
  if (!claim.witness->families.empty()) return family_picture(claim);
  if (const std::optional<Selection> selection = selection_of(claim)) {
    const Polar polar = drawn(*selection, claim.id);
    return Picture{svg(polar), "witness-" + claim.id, {{std::string(what_a_dot_is)}}};
  }
  return sides_picture(claim);
}

std::vector<const LedgerClaim*> most_telling(const Ledger& ledger) {
  constexpr std::size_t most = 3;
  std::vector<const LedgerClaim*> claims;
  for (const LedgerClaim& claim : ledger.claims)
    if (claim.group == "printed" && claim.reached == "refuted" && claim.witness) claims.push_back(&claim);
  // A picture in the plane says more than one on a line, that more than two bars; then the smallest.
  const auto key = [](const LedgerClaim* claim) {
    const auto& instance = claim->witness->instance;
    const std::size_t d = instance ? instance->dimension : 0;
    return std::tuple(d == 2 ? 0 : d > 0 ? 1 : 2, instance ? instance->length * std::max<std::size_t>(d, 1) : 0);
  };
  std::ranges::stable_sort(claims, {}, key);
  std::vector<const LedgerClaim*> chosen;
  std::set<std::string> sections;
  for (const LedgerClaim* claim : claims)
    if (chosen.size() < most && sections.insert(claim->section).second) chosen.push_back(claim);
  return chosen;
}

std::vector<Picture> counterexamples(const Ledger& ledger) {
  std::vector<Picture> all;
  for (const LedgerClaim* claim : most_telling(ledger)) {
    std::optional<Picture> picture = witness_picture(*claim);
    if (!picture) continue;
    picture->name = "counterexample-" + claim->id;
    std::string found = instance_text(*claim->witness);
    if (side_of(claim->witness_lhs) && side_of(claim->witness_rhs))
      found += fmt::format(": {} on the left, {} on the right", side_text(claim->witness_lhs),
                           side_text(claim->witness_rhs));
    if (claim->witness->instance) found += "; the smallest that was found";
    std::vector<Span> dots = std::move(picture->caption);
    picture->caption = {{claim->source + ": "}, {claim->relation, Style::math}, {". False with " + found + ". "}};
    if (all.empty())  // once is enough of what a dot is
      for (Span& span : dots) picture->caption.push_back({span.text + " "});
    picture->caption.push_back({"More", Style::plain, "#claim-" + claim->id});
    all.push_back(*std::move(picture));
  }
  return all;
}

namespace {

std::vector<Picture> those_of(std::initializer_list<std::optional<Picture>> pictures) {
  std::vector<Picture> all;
  for (const std::optional<Picture>& picture : pictures)
    if (picture) all.push_back(*picture);
  return all;
}

}  // namespace

std::vector<Picture> witness_pictures(const LedgerClaim& claim) {
  return those_of({witness_picture(claim), selection_of(claim) ? sides_picture(claim) : std::nullopt});
}

std::vector<Picture> count_pictures(const LedgerClaim& claim) {
  return those_of({outcome_picture(claim), parts_picture(claim)});
}

Picture tightness_picture(const std::vector<const LedgerClaim*>& claims, const std::string& title,
                          const std::string& name) {
  QuotientChart chart{.title = title + ": left side / right side, the largest that was met", .most = most_shown};
  for (const LedgerClaim* claim : claims) {
    if (!claim->tightest || chart.rows.size() >= most_rows) continue;
    const bool refuted = claim->reached == "refuted";
    chart.rows.push_back({claim->id,
                          short_tightness_text(*claim) + (refuted ? " refuted" : ""),
                          {mark_of(*claim->tightest, refuted, claim->id)}});
  }
  return {svg(chart), name, {}};
}

}  // namespace attncert::report
