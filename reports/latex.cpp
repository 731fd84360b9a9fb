// The report as a LaTeX document of class article, with packages that every TeX distribution has (array, longtable,
// textcomp). Pictures are left out: the tables hold their numbers, and `attncert report --figures`
// leaves them as files. What other formats fold stands in the appendix.
#include <algorithm>
#include <string>
#include <string_view>

#include "reports/document.hpp"
#include "reports/math.hpp"
#include "reports/tex_text.hpp"

namespace attncert::report {
namespace {

// Commands and names may be broken behind their punctuation, and where they have none behind every 12th character.
std::string code(std::string_view text) {
  std::string broken;
  std::size_t since = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    // Straight, as a shell takes them; TeX's own are curved.
    if (text[i] == '\'') broken += "\\textquotesingle{}";
    else if (text[i] == '`') broken += "\\textasciigrave{}";
    else broken += tex_text(text.substr(i, end - i));
    ++since;
    if (std::string_view("-_/:=,.;").find(text[i]) != std::string_view::npos || since >= 12) {
      broken += "\\allowbreak{}";
      since = 0;
    }
    if (text[i] == ' ') since = 0;
    i = end;
  }
  return "\\texttt{" + broken + "}";
}

std::string text_of(const Span& span) {
  if (span.style == Style::code) return span.text.empty() ? "" : code(span.text);
  if (span.style == Style::math) return tex(span.text);
  if (span.style == Style::sentence) return tex(span.text, Words::sentence);
  if (span.style == Style::verdict) return "\\textbf{" + tex_text(span.text) + "}";
  return tex_text(span.text);
}

struct Parts {
  std::string body, appendix;
};
void render_all(const Document& document, int deeper, Parts& parts);

// deeper: 1 in the appendix, whose rows are sections of their own.
void render(const Heading& heading, int deeper, Parts& parts) {
  constexpr std::string_view commands[] = {"section", "section", "subsection", "subsubsection", "paragraph"};
  const auto level = static_cast<std::size_t>(std::clamp(heading.level - 1 + deeper, 0, 4));
  if (heading.level == 1 && deeper == 0) return;  // the title
  parts.body += "\\" + std::string(commands[level]) + "*{" + tex_text(heading.text) + "}\n\n";
}

void render(const Paragraph& paragraph, int, Parts& parts) {
  for (const Span& span : paragraph.spans) parts.body += text_of(span);
  parts.body += "\n\n";
}

// Columns share the line by their longest texts, of which more than 40 characters are broken.
std::vector<double> widths_of(const Table& table) {
  std::vector<double> widths;
  double sum = 0;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    std::size_t longest = std::max<std::size_t>(table.columns[column].size(), 3);
    for (const auto& row : table.rows) longest = std::max(longest, row[column].text.size());
    widths.push_back(static_cast<double>(std::min<std::size_t>(longest, 40)) + 1);
    sum += widths.back();
  }
  for (double& width : widths) width /= sum;
  return widths;
}

void render(const Table& table, int, Parts& parts) {
  if (table.columns.empty()) return;
  std::string columns, head;
  const std::vector<double> widths = widths_of(table);
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const bool numeric = !table.rows.empty() && table.rows.front()[column].style == Style::number;
    columns += std::string(">{\\ragged") + (numeric ? "left" : "right") + "\\arraybackslash}p{\\dimexpr" +
               std::to_string(widths[column]).substr(0, 5) + "\\linewidth-2\\tabcolsep}";
    head += (column > 0 ? " & " : "") + tex_text(table.columns[column]);
  }
  std::string& body = parts.body;
  body += "{\\footnotesize\\begin{longtable}{" + columns + "}\n" + head + " \\\\ \\hline\n\\endhead\n";
  for (const auto& row : table.rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string cell = text_of(row[column]);
      // Behind the end of a row a bracket would be its length, and a star a wish of the page.
      if (column == 0 && (cell.starts_with('[') || cell.starts_with('*'))) body += "{}";
      body += (column > 0 ? " & " : "") + cell;
    }
    body += " \\\\\n";
  }
  body += "\\end{longtable}}\n\n";
}

void render(const Facts& facts, int, Parts& parts) {
  if (facts.items.empty()) return;
  parts.body += "\\begin{description}\n";
  for (const auto& [label, span] : facts.items)
    parts.body += "\\item[" + ("{" + tex_text(label) + "}") + "] " + text_of(span) + "\n";
  parts.body += "\\end{description}\n\n";
}

void render(const Numbers& numbers, int, Parts& parts) {
  if (numbers.items.empty()) return;
  parts.body += "\\begin{itemize}\n";
  for (const Numbers::Item& item : numbers.items)
    parts.body +=
        "\\item \\textbf{" + tex_text(item.number) + "} " + text_of(item.word) + " " + tex_text(item.of) + "\n";
  parts.body += "\\end{itemize}\n\n";
}

void render(const Picture&, int, Parts&) {}

void render(const Folded& folded, int, Parts& parts) {
  Table table{folded.columns, {}};
  Parts behind;
  for (const Folded::Row& row : folded.rows) {
    table.rows.push_back(row.cells);
    behind.body += "\\subsection*{" + tex_text(row.cells[0].text) + "}\n\n";
    render_all(row.inside, 1, behind);
  }
  render(table, 0, parts);
  parts.appendix += behind.body + behind.appendix;
}

void render_all(const Document& document, int deeper, Parts& parts) {
  for (std::size_t i = 0; i < document.size(); ++i)
    if (!titles_a_picture(document, i))
      std::visit([&](const auto& block) { render(block, deeper, parts); }, document[i].alternative());
}

}  // namespace

std::string latex(const Document& document) {
  Parts parts;
  render_all(document, 0, parts);
  return "\\documentclass[10pt,a4paper]{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{array,longtable,textcomp}\n"
         "\\setlength{\\textwidth}{17cm}\\setlength{\\oddsidemargin}{-0.5cm}\\setlength{\\tabcolsep}{3pt}\n"
         "\\sloppy\\setlength{\\emergencystretch}{3em}\n\\title{" +
         tex_text(title_of(document)) + "}\n\\date{}\n\\begin{document}\n\\maketitle\n\n" + parts.body +
         (parts.appendix.empty() ? "" : "\\appendix\n\\section*{Every row}\n\n" + parts.appendix) + "\\end{document}\n";
}

}  // namespace attncert::report
