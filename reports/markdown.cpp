// The report as Markdown (CommonMark with pipe tables). Pictures are left out: the tables hold their numbers.
#include <cctype>
#include <string>
#include <string_view>

#include "reports/document.hpp"
#include "src/core/printable.hpp"
#include "src/core/xml_text.hpp"

namespace attncert::report {
namespace {

// One line on which no character has a meaning of its own: a backslash goes before whatever could have one.
std::string escaped(std::string_view shown) {
  const std::string text = printable_lines(shown);
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == '\r') {
      safe += ' ';
      continue;
    }
    if (std::string_view("\\`*_[]<>|&#~$").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

enum class Place { paragraph, cell };

// A code span; longer fences than any run of backticks inside. A pipe ends a table's cell even in code, where a
// backslash takes that from it; anywhere else the backslash would be seen.
std::string code(std::string_view shown, Place place) {
  const std::string text = printable_lines(shown);
  std::string inside, fence = "`";
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    if (run >= fence.size()) fence = std::string(run + 1, '`');
    if (c == '|' && place == Place::cell) inside += '\\';
    inside += c == '\n' || c == '\r' ? ' ' : c;
  }
  if (inside.empty()) return "";
  const std::string space = fence.size() > 1 ? " " : "";
  return fence + space + inside + space + fence;
}

// A link's target without what could end it: RFC 3986, 2.1.
std::string target(std::string_view link) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string safe;
  for (const char c : link) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-._~/#:%").find(c) != std::string_view::npos) safe += c;
    else safe += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return safe;
}

std::string text_of(const Span& span, Place place = Place::paragraph) {
  const bool as_code = span.style == Style::code || span.style == Style::math;
  const std::string text = as_code                        ? code(span.text, place)
                           : span.style == Style::verdict ? "**" + escaped(span.text) + "**"
                                                          : escaped(span.text);
  return span.link.empty() ? text : "[" + text + "](" + target(span.link) + ")";
}

std::string blocks_of(const Document& document);

std::string render(const Heading& heading) {
  const std::string anchor = heading.anchor.empty() ? "" : "<a id=\"" + xml_text(heading.anchor) + "\"></a>";
  return std::string(static_cast<std::size_t>(heading.level), '#') + " " + anchor + escaped(heading.text) + "\n\n";
}

std::string render(const Paragraph& paragraph) {
  std::string text;
  for (const Span& span : paragraph.spans) text += text_of(span);
  return text + "\n\n";
}

std::string render(const Table& table) {
  std::string head = "|", rule = "|", body;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const bool numeric = !table.rows.empty() && table.rows.front()[column].style == Style::number;
    head += " " + escaped(table.columns[column]) + " |";
    rule += numeric ? "---:|" : "---|";
  }
  for (const auto& row : table.rows) {
    body += "|";
    for (const Span& span : row) body += " " + text_of(span, Place::cell) + " |";
    body += "\n";
  }
  return head + "\n" + rule + "\n" + body + "\n";
}

std::string render(const Facts& facts) {
  std::string text;
  for (const auto& [label, span] : facts.items) text += "- **" + escaped(label) + "**: " + text_of(span) + "\n";
  return text + "\n";
}

std::string render(const Numbers& numbers) {
  std::string text;
  for (const Numbers::Item& item : numbers.items)
    text += "- **" + escaped(item.number) + "** " + text_of(item.word) + (item.of.empty() ? "" : " ") +
            escaped(item.of) + "\n";
  return text + "\n";
}

std::string render(const Picture&) { return ""; }

// What can be folded elsewhere stands behind the table, row by row.
std::string render(const Folded& folded) {
  Table table{folded.columns, {}};
  std::string inside;
  for (const Folded::Row& row : folded.rows) {
    table.rows.push_back(row.cells);
    if (!row.anchor.empty()) table.rows.back()[0].link = "#" + row.anchor;
    inside += render(Heading{3, row.cells[0].text, row.anchor}) + blocks_of(row.inside);
  }
  return render(table) + inside;
}

std::string blocks_of(const Document& document) {
  std::string text;
  for (std::size_t i = 0; i < document.size(); ++i)
    if (!titles_a_picture(document, i))
      text += std::visit([](const auto& block) { return render(block); }, document[i].alternative());
  return text;
}

}  // namespace

std::string markdown(const Document& document) {
  std::string text = blocks_of(document);
  if (!text.empty()) text.pop_back();  // the last block's empty line
  return text;
}

}  // namespace attncert::report
