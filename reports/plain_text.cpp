// A document for a terminal: tables in aligned columns, no markup. Pictures are left out: the tables hold their
// numbers.
#include <string>

#include "reports/aligned.hpp"
#include "reports/document.hpp"

namespace attncert::report {
namespace {

// On one line.
std::string text_of(const Span& span) {
  std::string text = span.text;
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
  std::vector<std::vector<std::string>> rows{table.columns};
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
  for (const auto& [label, span] : facts.items) text += label + ": " + text_of(span) + "\n";
  return text;
}

std::string render(const Picture&) { return ""; }

}  // namespace

std::string plain_text(const Document& document) {
  std::string text;
  for (std::size_t i = 0; i < document.size(); ++i) {
    if (titles_a_picture(document, i) || std::holds_alternative<Picture>(document[i])) continue;
    if (!text.empty()) text += "\n";
    text += std::visit([](const auto& block) { return render(block); }, document[i]);
  }
  return text;
}

}  // namespace attncert::report
