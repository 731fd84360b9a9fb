// A document for a terminal: tables in aligned columns, no markup. Pictures are left out: the tables hold their
// numbers.
#include <string>

#include "reports/aligned.hpp"
#include "reports/document.hpp"
#include "src/core/printable.hpp"

namespace attncert::report {
namespace {

// On one line.
std::string text_of(const Span& span) {
  std::string text = printable_lines(span.text);
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

std::string render(const Heading& heading) { return text_of({heading.text}) + "\n"; }

std::string render(const Paragraph& paragraph) {
  std::string text;
  for (const Span& span : paragraph.spans) text += text_of(span);
  return text + "\n";
}

std::string render(const Table& table) {
  std::vector<std::vector<std::string>> rows(1);
  for (const std::string& column : table.columns) rows[0].push_back(text_of({column}));
  std::vector<bool> to_the_left(table.columns.size(), true);
  for (const auto& row : table.rows) {
    rows.emplace_back();
    for (std::size_t column = 0; column < row.size(); ++column) {
      rows.back().push_back(text_of(row[column]));
      if (row[column].style == Style::number) to_the_left[column] = false;
    }
  }
  return aligned(rows, to_the_left);
}

std::string render(const Facts& facts) {
  std::string text;
  for (const auto& [label, span] : facts.items) text += text_of({label}) + ": " + text_of(span) + "\n";
  return text;
}

std::string render(const Numbers& numbers) {
  std::string text;
  for (const Numbers::Item& item : numbers.items)
    text += item.number + " " + text_of(item.word) + (item.of.empty() ? "" : " " + text_of({item.of})) + "\n";
  return text;
}

std::string render(const Picture&) { return ""; }

std::string render(const Folded& folded) {
  Table table{folded.columns, {}};
  std::string inside;
  for (const Folded::Row& row : folded.rows) {
    table.rows.push_back(row.cells);
    inside += "\n" + text_of(row.cells[0]) + "\n" + plain_text(row.inside);
  }
  return render(table) + inside;
}

}  // namespace

std::string plain_text(const Document& document) {
  std::string text;
  for (std::size_t i = 0; i < document.size(); ++i) {
    const auto& block = document[i].alternative();
    if (titles_a_picture(document, i) || std::holds_alternative<Picture>(block)) continue;
    if (!text.empty()) text += "\n";
    text += std::visit([](const auto& part) { return render(part); }, block);
  }
  return text;
}

}  // namespace attncert::report
