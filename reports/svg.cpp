// One row per claim, three columns that never share space: the id, the plot, the value in words. The columns' widths
// come from their longest text, which is set in a monospaced font, so labels cannot run into the plot.
#include "reports/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "reports/svg_parts.hpp"
#include "reports/wording.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

constexpr double row_height = 22, plot_width = 520, gap = 12, head = 30;

struct Frame {
  double left = 0, width = 0, height = 0;  // left edge of the plot; size of the picture
  double value_column() const { return left + plot_width + gap; }
};

double middle(std::size_t row) { return head + row_height * (static_cast<double>(row) + 0.5); }

Frame frame(const std::vector<const LedgerClaim*>& rows, const std::vector<std::string>& values) {
  std::size_t longest_id = 0, longest_value = 0;
  for (const LedgerClaim* claim : rows) longest_id = std::max(longest_id, claim->id.size());
  for (const std::string& value : values) longest_value = std::max(longest_value, value.size());
  Frame frame;
  frame.left = glyph_width * static_cast<double>(longest_id) + gap;
  frame.width = frame.value_column() + glyph_width * static_cast<double>(longest_value);
  frame.height = head + row_height * static_cast<double>(rows.size()) + 6;
  return frame;
}

std::string opened(const Frame& frame, const char* label) {
  return opened_picture(frame.width, frame.height, label, "chart");
}

std::string row_labels(const Frame& frame, const std::vector<const LedgerClaim*>& rows,
                       const std::vector<std::string>& values) {
  std::string svg;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    svg += text_at(0, middle(row) + 4, "class=\"label\"", rows[row]->id);
    svg += text_at(frame.value_column(), middle(row) + 4, "class=\"label\"", values[row]);
  }
  return svg;
}

// Linear from 0 to 1; beyond 1, where only refuted claims are, logarithmic up to `end`, a power of ten.
class TightnessAxis {
 public:
  TightnessAxis(double left, double largest) : left_(left) {
    constexpr double most = 309;  // of a double; a ledger may say infinity
    if (largest > 1) decades_ = std::max(1, static_cast<int>(std::min(most, std::ceil(std::log10(largest)))));
  }
  double one() const { return left_ + plot_width * (decades_ > 0 ? 0.6 : 0.96); }
  double place(double value) const {
    if (!(value > 0)) return left_;  // negative, zero, not a number
    if (value <= 1) return left_ + (one() - left_) * value;
    if (decades_ == 0) return one();
    return one() + (left_ + plot_width - one()) * std::min(1.0, std::log10(value) / decades_);
  }
  std::string ticks(double bottom) const {
    std::string svg;
    for (const double value : {0.0, 0.25, 0.5, 0.75, 1.0}) svg += tick(value, fmt::format("{}", value), bottom);
    const int step = (decades_ + 2) / 3;  // at most three labels beyond 1: 70 px each
    for (int decade = step; decade <= decades_ && step > 0; decade += step)
      svg += tick(std::pow(10.0, decade),
                  decade <= 3 ? fmt::format("{:.0f}", std::pow(10.0, decade)) : fmt::format("1e{}", decade), bottom);
    return svg;
  }

 private:
  std::string tick(double value, const std::string& label, double bottom) const {
    const double x = place(value);
    return line_at(x, head - 6, x, bottom, value == 1 ? "one" : "grid") +
           text_at(x, head - 12, "class=\"tick\" text-anchor=\"middle\"", label);
  }
  double left_;
  int decades_ = 0;
};

struct Part {
  const char* name;
  std::uint64_t count;
};

std::array<Part, 5> parts(const Counts& counts) {
  return {{{"held", counts.held},
           {"equality", counts.equality},
           {"violated", counts.violated},
           {"undecided", counts.undecided},
           {"discarded", discarded(counts)}}};
}

// Widths of one bar: shares of its whole; whatever is there at all gets two pixels, taken from the widest part.
std::array<double, 5> widths(const std::array<Part, 5>& parts) {
  double whole = 0, used = 0;
  for (const Part& part : parts) whole += static_cast<double>(part.count);
  std::array<double, 5> widths{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].count > 0) widths[i] = std::max(2.0, plot_width * static_cast<double>(parts[i].count) / whole);
    used += widths[i];
  }
  if (used > plot_width) *std::max_element(widths.begin(), widths.end()) -= used - plot_width;
  return widths;
}

std::string legend(double left) {
  std::string svg;
  for (const Part& part : parts({})) {
    svg += rectangle_at(left, head - 24, 12, 12, part.name);
    svg += text_at(left + 17, head - 14, "class=\"tick\"", part.name);
    left += 17 + text_width(part.name) + 2 * gap;
  }
  return svg;
}

}  // namespace

std::string tightness_chart(const Ledger& ledger) {
  std::vector<const LedgerClaim*> rows;
  std::vector<std::string> values;
  double largest = 0;
  for (const LedgerClaim& claim : ledger.claims) {
    if (!claim.tightest) continue;
    rows.push_back(&claim);
    values.push_back(tightness_text(claim) + (claim.reached == "refuted" ? " refuted" : ""));
    if (std::isfinite(claim.tightest->tightness)) largest = std::max(largest, claim.tightest->tightness);
    else if (claim.tightest->tightness > 0) largest = std::max(largest, 10.0);  // +inf: the axis has an end to stop at
  }
  if (rows.empty()) return "";
  const Frame size = frame(rows, values);
  const TightnessAxis axis(size.left, largest);
  std::string svg = opened(size, "largest quotient of left and right side, per claim") + axis.ticks(size.height - 4);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double x = axis.place(rows[row]->tightest->tightness), y = middle(row);
    const char* look = rows[row]->tightest->tightness > 1 ? "violated" : "held";
    svg += rectangle_at(size.left, y - 3, x - size.left, 6, std::string(look) + " faint") + circle_at(x, y, 5, look);
  }
  return svg + row_labels(size, rows, values) + "</svg>\n";
}

std::string outcome_chart(const Ledger& ledger) {
  std::vector<const LedgerClaim*> rows;
  std::vector<std::string> values;
  for (const LedgerClaim& claim : ledger.claims) {
    if (claim.counts.tried == 0) continue;
    rows.push_back(&claim);
    values.push_back(grouped(claim.counts.tried) + " tried");
  }
  if (rows.empty()) return "";
  const Frame size = frame(rows, values);
  std::string svg =
      opened(size, "instances held, with equality, violated, undecided and discarded, per claim") + legend(size.left);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::array<Part, 5> outcome = parts(rows[row]->counts);
    const std::array<double, 5> width = widths(outcome);
    double x = size.left;
    for (std::size_t i = 0; i < outcome.size(); x += width[i++])
      if (width[i] > 0)
        svg += fmt::format(
            "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"14\"><title>{} {}</title></rect>\n",
            outcome[i].name, x, middle(row) - 7, width[i], grouped(outcome[i].count), outcome[i].name);
  }
  return svg + row_labels(size, rows, values) + "</svg>\n";
}

}  // namespace attncert::report
