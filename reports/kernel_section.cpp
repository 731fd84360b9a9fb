// The kernels: the largest share of its budget of each normalizer in one picture, then a row a kernel, the worst of its
// instruction sets, and folded below it each instruction set, how the error depends on the row, and what was kept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "reports/kernel_part.hpp"
#include "reports/plot/plot.hpp"
#include "reports/plot/row_charts.hpp"
#include "reports/sections.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

using Results = ResultsOfKernel;

std::string place_of(const KernelResult& kernel, const std::string& which) {
  return (kernel.isa.empty() ? "" : " on " + kernel.isa) + (which == no_value ? "" : " at " + which);
}
std::string place_of(const KernelResult& kernel) { return place_of(kernel, case_of(kernel)); }

// A kernel of a library, which chooses its instruction set itself, has one.
std::string results_text(std::size_t kernels, std::size_t results) {
  const std::string of = fmt::format("of {} kernel{}, ", grouped(kernels), kernels == 1 ? "" : "s");
  return of + (kernels == results ? "one result each"
                                  : fmt::format("one result for each of its instruction sets: {}", grouped(results)));
}

std::string anchor_of(const KernelResult& kernel) { return "kernel-" + kernel.kernel + "-" + kernel.dtype; }

bool is_bound(const KernelResult& kernel) { return part_of(kernel) == KernelPart::bounds; }

const KernelResult& worst_of(const Results& results) {
  return **std::ranges::max_element(results, {}, [](const KernelResult* kernel) { return badness(*kernel); });
}

// A difference goes before what is undecided.
int status_of(const Results& results) {
  int status = 0;
  for (const KernelResult* kernel : results)
    if (const int own = exit_status(*kernel); own == 1 || status == 0) status = own;
  return status;
}

// The error, its budget and its share are those of one entry.
std::vector<Span> of_budget(const KernelResult& kernel) {
  const Span none{std::string(no_value), Style::number};
  if (is_bound(kernel)) return {{share_text(kernel.worst_fraction), Style::number}, none, none};  // not in ulp
  return {{share_text(kernel.worst_fraction), Style::number},
          {ulp_text(kernel.worst_fraction * kernel.budget_ulp), Style::number},
          {ulp_text(kernel.budget_ulp), Style::number}};
}

Table sets_table(const Results& results) {
  Table table{{"instruction set", "verdict", "share", "error", "budget", "largest error, any budget", "elements",
               "outside", "undecided", "unnoticed"},
              {}};
  for (const KernelResult* kernel : results) {
    std::vector<Span> row{{kernel->isa}, {verdict_word(exit_status(*kernel)), Style::verdict}};
    for (Span& span : of_budget(*kernel)) row.push_back(std::move(span));
    for (const std::string& text : {ulp_text(kernel->worst_ulp), grouped(kernel->elements), grouped(kernel->outside),
                                    grouped(kernel->undecided), fmt::format("{:.1e}", kernel->vacuity)})
      row.push_back({text, Style::number});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// "kept on all: ..." once where every instruction set says the same.
void add_words(const Results& results, const char* label, std::string KernelResult::*text, Facts& facts,
               Style style = Style::plain) {
  const bool same =
      std::ranges::all_of(results, [&](const KernelResult* kernel) { return kernel->*text == results[0]->*text; });
  for (const KernelResult* kernel : results) {
    if (!(kernel->*text).empty())
      facts.items.push_back({same ? label : fmt::format("{}, {}", label, kernel->isa), {kernel->*text, style}});
    if (same) break;
  }
}

constexpr double most_linear = 10;  // budgets: beyond it the places of those that are kept could not be told apart

struct AxisWords {
  const char *name, *label;
  bool logarithmic;
};
constexpr AxisWords axes[] = {{"length", "length of the row, from a power of two to the next", true},
                              {"range", "standard deviation of the logits", false},
                              {"temperature", "temperature", true},
                              {"position", "tenth of the row where the entry stands", false}};

const ErrorCurve* curve_of(const KernelResult& kernel, std::string_view axis) {
  for (const ErrorCurve& curve : kernel.errors)
    if (curve.axis == axis) return &curve;
  return nullptr;
}

bool same(const ErrorCurve& a, const ErrorCurve& b) { return a.at == b.at && a.worst_fraction == b.worst_fraction; }

// A line for each instruction set that differs from those before it.
std::optional<Picture> curves(const Results& results, const AxisWords& axis) {
  Plot plot{results[0]->kernel + ": error by " + axis.name,
            {axis.label, axis.logarithmic},
            {"largest error as a share of its budget; above 1 fails", false, 0, 1.03}};
  std::vector<std::pair<const ErrorCurve*, std::string>> lines;
  for (const KernelResult* kernel : results) {
    const ErrorCurve* curve = curve_of(*kernel, axis.name);
    if (curve == nullptr) continue;
    const auto equal = std::ranges::find_if(lines, [&](const auto& line) { return same(*line.first, *curve); });
    if (equal == lines.end()) lines.emplace_back(curve, kernel->isa);
    else equal->second += ", " + kernel->isa;
  }
  int look = 0;
  for (const auto& [curve, label] : lines) {
    PlotLine line{label.empty() ? "the kernel" : label, look++ % 10};
    for (std::size_t n = 0; n < std::min(curve->at.size(), curve->worst_fraction.size()); ++n) {
      if (!std::isfinite(curve->worst_fraction[n])) return std::nullopt;  // a curve without its worst point misleads
      line.points.push_back({curve->at[n], curve->worst_fraction[n]});
      if (curve->worst_fraction[n] > 1) plot.y.to.reset();
      if (curve->worst_fraction[n] > most_linear) plot.y.from.reset(), plot.y.logarithmic = true;
    }
    PlotLine nearly_all{"99.9% of entries" + (lines.size() > 1 ? ", " + line.label : ""), line.look, {}, true};
    for (std::size_t n = 0; n < std::min(curve->at.size(), curve->nearly_all_fraction.size()); ++n)
      nearly_all.points.push_back({curve->at[n], curve->nearly_all_fraction[n]});
    plot.lines.push_back(std::move(line));
    if (!nearly_all.points.empty()) plot.lines.push_back(std::move(nearly_all));
  }
  const auto longest =
      std::ranges::max_element(plot.lines, {}, [](const PlotLine& line) { return line.points.size(); });
  if (longest == plot.lines.end() || longest->points.size() < 2) return std::nullopt;
  plot.lines.push_back({"the budget", 6, {{longest->points.front().x, 1}, {longest->points.back().x, 1}}, true});
  Picture picture{svg(plot), fmt::format("error-by-{}-{}", axis.name, results[0]->kernel), {}};
  if (plot.lines.size() > lines.size() + 1 && std::string_view(axis.name) == axes[0].name)
    picture.caption = {{"Below 1,000 entries at a place, 99.9% is the maximum."}};
  return picture;
}

// By which tenth of their budgets 99.9% of the rows stay.
std::string nearly_all(const std::vector<std::uint64_t>& shares) {
  const std::uint64_t rows = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  std::uint64_t seen = 0;
  const bool few = rows < 1000;  // of which 99.9% are all
  for (std::size_t n = 0; n + 1 < shares.size(); ++n) {
    seen += shares[n];
    if (static_cast<double>(seen) >= (few ? 1 : 0.999) * static_cast<double>(rows))
      return fmt::format("{} {} rows stay within {}% of their budgets; {} {} beyond.", few ? "All" : "99.9% of",
                         grouped(rows), 100 * (n + 1) / (shares.size() - 1), grouped(shares.back()),
                         shares.back() == 1 ? "is" : "are");
  }
  return fmt::format("{} of {} rows are beyond their budgets.", grouped(shares.back()), grouped(rows));
}

std::optional<Picture> histogram(const Results& results) {
  const KernelResult& worst = worst_of(results);
  if (worst.shares.size() < 2) return std::nullopt;
  Plot plot{worst.kernel + ": rows by their largest error",
            {"largest error of a row as a share of its budget", false, 0},
            {"rows on " + (worst.isa.empty() ? "the machine" : worst.isa), false, 0}};
  const std::size_t tenths = worst.shares.size() - 1;
  const double width = 1 / static_cast<double>(tenths);
  plot.x.to = 1 + width;
  const std::uint64_t beyond = worst.shares.back(),
                      all = std::accumulate(worst.shares.begin(), worst.shares.end(), std::uint64_t{0});
  plot.bars = {{fmt::format("within the budget: {}", grouped(all - beyond)), 0},
               {fmt::format("beyond it, however far, in the last bar: {}", grouped(beyond)), 1}};
  for (std::size_t n = 0; n <= tenths; ++n) {
    const double from = width * static_cast<double>(n);
    const bool last = n == tenths;
    plot.bars[last].bars.push_back({from, from + width, static_cast<double>(worst.shares[n]), last});
  }
  return Picture{svg(plot), "rows-by-share-" + worst.kernel, {{nearly_all(worst.shares)}}};
}

Document inside_of(const Results& results, bool every_axis) {
  Document inside;
  for (Picture& picture : kernel_pictures(results, every_axis)) inside.push_back(std::move(picture));
  Facts facts;
  add_words(results, "contract", &KernelResult::contract, facts);
  add_words(results, "laws", &KernelResult::laws, facts);
  add_words(results, "entry of the share", &KernelResult::worst_entry, facts);
  if (!facts.items.empty()) inside.push_back(std::move(facts));
  inside.push_back(sets_table(results));
  Facts commands;
  add_words(results, "repeats the share", &KernelResult::replay, commands, Style::code);
  if (!commands.items.empty()) inside.push_back(std::move(commands));
  return inside;
}

Folded::Row row_of(const Results& results, bool every_axis) {
  const KernelResult& worst = worst_of(results);
  std::uint64_t outside = 0;
  for (const KernelResult* kernel : results) outside += kernel->outside;
  Folded::Row row{anchor_of(worst),
                  {{worst.kernel},
                   {fmt::format("{}, {}; {}{}", worst.normalizer, worst.dtype, nearness_text(worst), place_of(worst))},
                   {verdict_word(status_of(results)), Style::verdict}},
                  inside_of(results, every_axis)};
  for (Span& span : of_budget(worst)) row.cells.push_back(std::move(span));
  row.cells.push_back({grouped(outside), Style::number});
  return row;
}

void add_rows(const char* title, std::span<const Results> kernels, bool every_axis, Document& document) {
  if (kernels.empty()) return;
  document.push_back(Heading{3, title});
  Folded folded{{"kernel", "of", "verdict", "share of budget", "error, ulp", "budget, ulp", "outside"}, {}};
  for (const Results& results : kernels.first(std::min(kernels.size(), most_rows)))
    folded.rows.push_back(row_of(results, every_axis));
  document.push_back(std::move(folded));
  say_how_many_more(kernels.size(), "kernels", document);
}

int look_of(const std::string& dtype) {
  constexpr const char* types[] = {"f32", "f64", "f16", "bf16"};
  const auto found = std::ranges::find(types, dtype);
  return found == std::end(types) ? 5 : static_cast<int>(found - std::begin(types));
}

// " on AVX3 at row:3 entry 7: computed 0.5, exact 0.25; absolute error 0.25; ...": a large ratio may be one of tiny
// numbers, or of few.
std::string in_proportion(const KernelResult& kernel) {
  const std::string &entry = kernel.worst_entry, error = absolute_error_text(entry);
  return place_of(kernel, entry.empty() ? case_of(kernel) : in_short(entry)) +
         (error.empty() ? "" : "; absolute error " + error) + "; " + outside_text(kernel);
}

// "; alike on all its 5 instruction sets", where that is so.
std::string alike(const KernelResult& worst, const Kernels& all) {
  for (const Results& results : all) {
    if (std::ranges::find(results, &worst) == results.end()) continue;
    const bool same = std::ranges::all_of(
        results, [&](const KernelResult* row) { return row->worst_fraction == worst.worst_fraction; });
    return same && results.size() > 1 ? fmt::format("; alike on all its {} instruction sets", results.size()) : "";
  }
  return "";
}

}  // namespace

std::vector<Picture> kernel_pictures(const std::vector<const KernelResult*>& on, bool every_axis) {
  std::vector<Picture> all;
  for (const AxisWords& axis : std::span(axes).first(every_axis ? std::size(axes) : 1))
    if (std::optional<Picture> picture = curves(on, axis)) all.push_back(*std::move(picture));
  if (!every_axis) return all;
  if (std::optional<Picture> picture = histogram(on)) all.push_back(*std::move(picture));
  return all;
}

std::vector<Numbers::Item> kernel_numbers(const Ledger& ledger, const Kernels& all) {
  const auto within = std::ranges::count_if(all, [](const Results& results) {
    return std::ranges::all_of(results,
                               [](const KernelResult* row) { return row->outside == 0 && row->worst_fraction <= 1; });
  });
  std::vector<Numbers::Item> items{{grouped(static_cast<std::uint64_t>(within)),
                                    {"within budget"},
                                    results_text(all.size(), ledger.kernels.size())}};
  for (const bool bounds : {false, true}) {
    const KernelResult* worst = nullptr;
    for (const KernelResult& kernel : ledger.kernels)
      if (is_bound(kernel) == bounds && (worst == nullptr || badness(kernel) > badness(*worst))) worst = &kernel;
    if (worst == nullptr) continue;
    const bool beyond = !(worst->worst_fraction <= 1);
    const std::string share = share_text(worst->worst_fraction);
    items.push_back({share,
                     {share_of(share, bounds ? "the error that a bound states" : "its budget") +
                          (beyond ? ": a failure" : ", the most of all"),
                      Style::plain, "#" + anchor_of(*worst)},
                     worst->kernel + (beyond ? in_proportion(*worst) : place_of(*worst)) + alike(*worst, all)});
  }
  return items;
}

namespace {

// The worst of each normalizer and type, or of each bound; in the order of their worst.
Picture budgets_picture(const Ledger& ledger, bool bounds) {
  std::map<std::string, std::map<std::string, const KernelResult*>> worst;
  for (const KernelResult& kernel : ledger.kernels) {
    if (is_bound(kernel) != bounds) continue;
    const KernelResult*& place = worst[kernel.normalizer][kernel.dtype];
    if (place == nullptr || badness(kernel) > badness(*place)) place = &kernel;
  }
  std::vector<std::pair<double, QuotientChart::Row>> rows;
  std::set<std::string> types;
  for (const auto& [normalizer, of_type] : worst) {
    QuotientChart::Row row{normalizer, "", {}};
    double most = 0;
    for (const auto& [dtype, kernel] : of_type) {
      types.insert(dtype);
      most = std::max(most, badness(*kernel));
      row.marks.push_back({kernel->worst_fraction, look_of(dtype),
                           fmt::format("{}{}: {} ulp of {}, {}", kernel->kernel, place_of(*kernel),
                                       ulp_text(kernel->worst_fraction * kernel->budget_ulp),
                                       ulp_text(kernel->budget_ulp), share_text(kernel->worst_fraction))});
    }
    row.value = share_text(most);
    rows.emplace_back(most, std::move(row));
  }
  std::ranges::stable_sort(rows, std::greater<>{}, &std::pair<double, QuotientChart::Row>::first);
  QuotientChart chart{
      .title = bounds ? "Bounds: largest error as a share of the error that the bound itself states"
                      : "Normalizers: largest error as a share of its budget, the worst kernel of each and type"};
  for (auto& [most, row] : rows)
    if (chart.rows.size() < most_rows) chart.rows.push_back(std::move(row));
  for (const std::string& type : types) chart.legend.emplace_back(type, look_of(type));
  if (bounds)
    return {svg(chart), "budgets-of-bounds", {{"A bound states an error with every number; beyond 1 it lied."}}};
  return {svg(chart),
          "budgets",
          {{"At 1 the budget is used up, beyond it a kernel fails. Each mark says which kernel it is, where, and by "
            "how many ulp. Where a budget is little more than the half ulp of one rounding, as of f16 and bf16, a "
            "result that is rounded correctly uses it nearly up. The scale is logarithmic beyond 2."}}};
}

// What differs between instruction sets: how many kernels come as near to their budgets on all of theirs, and whose
// shares are farthest apart.
std::string between_sets(const Kernels& kernels) {
  std::size_t several = 0, alike = 0;
  const KernelResult *least = nullptr, *most = nullptr;
  for (const Results& results : kernels) {
    if (results.size() < 2) continue;
    ++several;
    const auto of_one = [](const KernelResult* one) { return badness(*one); };
    const auto low = std::ranges::min_element(results, {}, of_one),
               high = std::ranges::max_element(results, {}, of_one);
    const double apart = badness(**high) - badness(**low);
    alike += !(apart > 0);
    if (apart > (most == nullptr ? 0 : badness(*most) - badness(*least))) least = *low, most = *high;
  }
  if (several == 0) return "";
  std::string text =
      fmt::format("Kernels with several instruction sets: {}; with one share of their budgets on all: {}.",
                  grouped(several), grouped(alike));
  if (most != nullptr)
    text += fmt::format(" Farthest apart is {}: {} on {}, {} on {}.", most->kernel, share_text(least->worst_fraction),
                        least->isa, share_text(most->worst_fraction), most->isa);
  return text;
}

}  // namespace

std::vector<Picture> budgets_pictures(const Ledger& ledger) {
  std::vector<Picture> pictures;
  for (const bool bounds : {false, true})
    if (std::ranges::any_of(ledger.kernels, [=](const KernelResult& kernel) { return is_bound(kernel) == bounds; }))
      pictures.push_back(budgets_picture(ledger, bounds));
  return pictures;
}

void add_kernels(const Ledger& ledger, Kernels all, Document& document) {
  if (ledger.kernels.empty()) return;
  document.push_back(Heading{2, "Kernels"});
  document.push_back(Paragraph{
      {{"The error of every result, in units in the last place, against a rigorous enclosure of the exact value. What "
        "the columns say stands below the tables."}}});
  if (!ledger.claims.empty())
    for (Picture& picture : budgets_pictures(ledger)) document.push_back(std::move(picture));
  if (const std::string sets = between_sets(all); !sets.empty()) document.push_back(Paragraph{{{sets}}});
  std::vector<std::pair<std::tuple<bool, bool, double>, Results>> ordered;  // each key once: there may be a million
  ordered.reserve(all.size());
  for (Results& results : all) {
    const int status = status_of(results);
    const double nearness = -badness(worst_of(results));
    ordered.emplace_back(std::tuple(status == 0, status == 3, nearness), std::move(results));
  }
  std::ranges::stable_sort(ordered, {}, &decltype(ordered)::value_type::first);
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = std::move(ordered[n].second);
  // Pictures of one kernel take 20 KB: those of every axis of all built-in kernels would be most of the page.
  constexpr std::size_t few = 40;
  const bool every_axis = all.size() <= few;
  if (!every_axis)
    document.push_back(
        Paragraph{{{"Of so many kernels only the error by length is drawn; ledger.json has the other axes, and "
                    "a report of fewer kernels draws them."}}});
  const auto bounds = std::ranges::stable_partition(all, [](const Results& results) { return !is_bound(*results[0]); });
  const std::span<const Results> normalizers(all.begin(), bounds.begin());
  add_rows("Normalizers and their derivatives", normalizers, every_axis, document);
  add_rows("Bounds", bounds, every_axis, document);
  add_kernel_legend(ledger, document);
}

}  // namespace attncert::report
