// The report as one HTML file that needs nothing else: style, pictures and a script of our own inside, nothing fetched.
// The script adds no number (page.js). Written in XML's syntax (every element closed, every attribute quoted), so that
// a test can check that it is well formed.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "reports/document.hpp"
#include "reports/math.hpp"
#include "reports/page_assets.hpp"
#include "reports/plot/style.hpp"
#include "reports/table_forms.hpp"
#include "src/core/xml_text.hpp"

namespace attncert::report {
namespace {

std::string element(const std::string& name, const std::string& attributes, const std::string& inside) {
  return "<" + name + (attributes.empty() ? "" : " " + attributes) + ">" + inside + "</" + name + ">";
}

std::string attribute(const char* name, std::string_view value) {
  return value.empty() ? "" : std::string(name) + "=\"" + xml_text(value) + "\"";
}

// A class for each word that the style knows; any other is shown without colour.
std::string verdict_class(std::string_view word) {
  if (word == "undecided") return "verdict open";
  for (const std::string_view known : {"proved", "supported", "refuted", "vacuous", "measured", "holds", "differs",
                                       "failed", "refused", "regression", "improvement"})
    if (word == known) return "verdict " + std::string(known);
  return "verdict";
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Browsers break a line behind the hyphen of "1.5e-05"; a number of at most so many characters fits a phone.
constexpr std::size_t longest_whole = 30;

std::string with_whole_numbers(const std::string& text) {
  std::string whole;
  std::size_t copied = 0;
  for (std::size_t at = text.find("e-"); at != std::string::npos; at = text.find("e-", at + 1)) {
    std::size_t from = at, to = at + 2;
    while (from > copied && (is_digit(text[from - 1]) || text[from - 1] == '.')) --from;
    while (to < text.size() && is_digit(text[to])) ++to;
    if (from == at || to == at + 2 || to - from > longest_whole) continue;
    whole += text.substr(copied, from - copied);
    whole += element("span", "class=\"whole\"", text.substr(from, to - from));
    copied = to;
  }
  return whole + text.substr(copied);
}

std::string text_of(const Span& span) {
  std::string text = span.style == Style::math       ? mathml(span.text)
                     : span.style == Style::sentence ? mathml(span.text, Words::sentence)
                                                     : xml_text(span.text);
  if (span.style == Style::plain || span.style == Style::code) text = with_whole_numbers(text);
  if (span.style == Style::code) text = element("code", "", text);
  if (span.style == Style::verdict) text = element("span", "class=\"" + verdict_class(span.text) + "\"", text);
  return span.link.empty() ? text : element("a", attribute("href", span.link), text);
}

std::string body_of(std::span<const Block> document, const TableForms& forms);

// Of a section, which the contents lead to: its own anchor, or one made of its title.
std::string anchor_of(const Heading& heading) {
  if (!heading.anchor.empty() || heading.level != 2) return heading.anchor;
  std::string anchor = "section";
  bool word = false;
  for (const char c : heading.text) {
    const bool of_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (of_word && !word) anchor += '-';
    if (of_word) anchor += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    word = of_word;
  }
  return anchor;
}

// The sections of a page that has several.
std::string contents_of(const Document& document) {
  constexpr std::size_t several = 2;
  std::string items;
  std::size_t sections = 0;
  for (const Block& block : document) {
    const auto* heading = std::get_if<Heading>(&block.alternative());
    if (heading == nullptr || heading->level != 2) continue;
    ++sections;
    items += element("li", "", element("a", attribute("href", "#" + anchor_of(*heading)), xml_text(heading->text)));
  }
  if (sections < several) return "";
  return element("nav", "aria-label=\"contents\"", element("ul", "", items)) + "\n";
}

std::string render(const Heading& heading) {
  return element("h" + std::to_string(heading.level), attribute("id", anchor_of(heading)), xml_text(heading.text)) +
         "\n";
}

std::string render(const Paragraph& paragraph) {
  std::string text;
  for (const Span& span : paragraph.spans) text += text_of(span);
  return element("p", "", text) + "\n";
}

// A cell says that it is a number only where its column does not (table_forms.hpp).
std::string render(const Table& table, const TableForms& forms) {
  std::vector<bool> numbers;
  std::string head, body;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    numbers.push_back(TableForms::is_number(table, column));
    head += element("th", "", xml_text(table.columns[column]));
  }
  for (const auto& row : table.rows) {
    std::string cells;
    for (std::size_t column = 0; column < row.size(); ++column)
      cells += element("td", row[column].style == Style::number && !numbers[column] ? "class=\"number\"" : "",
                       text_of(row[column]));
    body += element("tr", "", cells) + "\n";
  }
  return element("table", attribute("class", forms.class_of(table)),
                 element("thead", "", element("tr", "", head)) + "\n" + element("tbody", "", body)) +
         "\n";
}

std::string render(const Facts& facts) {
  if (facts.items.empty()) return "";
  std::string items;
  for (const auto& [label, span] : facts.items)
    items += element("dt", "", xml_text(label)) + element("dd", "", text_of(span)) + "\n";
  return element("dl", "", items) + "\n";
}

std::string render(const Numbers& numbers) {
  std::string items;
  for (const Numbers::Item& item : numbers.items)
    items += element("li", "",
                     element("b", "", xml_text(item.number)) + text_of(item.word) +
                         (item.of.empty() ? "" : " " + element("small", "", xml_text(item.of))));
  return element("ul", "class=\"numbers\"", items) + "\n";
}

std::string render(const Picture& picture) {
  std::string caption;
  for (const Span& span : picture.caption) caption += text_of(span);
  return element("figure", "", picture.svg + (caption.empty() ? "" : element("figcaption", "", caption))) + "\n";
}

std::string render(const Folded& folded, const TableForms& forms) {
  std::string head = element("span", "role=\"columnheader\"", xml_text(folded.columns[0])), rows;
  for (std::size_t column = 2; column < folded.columns.size(); ++column)
    head += element("span", "role=\"columnheader\"", xml_text(folded.columns[column]));
  for (const Folded::Row& row : folded.rows) {
    std::string cells = element("span", "class=\"name\"", text_of(row.cells[0]));
    if (!row.cells[1].text.empty()) cells += element("span", "class=\"says\"", text_of(row.cells[1]));
    for (std::size_t column = 2; column < row.cells.size(); ++column)
      cells += element("span",
                       (row.cells[column].style == Style::number ? "class=\"cell number\" " : "class=\"cell\" ") +
                           attribute("data-label", folded.columns[column]),
                       text_of(row.cells[column]));
    const std::string id = attribute("id", row.anchor);
    rows += element("details", "class=\"row\"" + (id.empty() ? "" : " " + id),
                    element("summary", "", cells) + element("div", "class=\"inside\"", body_of(row.inside, forms))) +
            "\n";
  }
  const std::string others = std::to_string(folded.columns.size() - 2);
  return element("div", "class=\"rows\" style=\"--others:" + others + "\"",
                 element("div", "class=\"rows-head\" role=\"row\"", head) + "\n" + rows) +
         "\n";
}

// Pictures that follow each other stand side by side where there is room.
std::string body_of(std::span<const Block> document, const TableForms& forms) {
  std::string body, figures;
  const auto end_figures = [&] {
    if (!figures.empty()) body += element("div", "class=\"figures\"", "\n" + figures) + "\n";
    figures.clear();
  };
  for (const Block& block : document) {
    const std::string text = std::visit(
        [&](const auto& part) {
          if constexpr (requires { render(part, forms); }) return render(part, forms);
          else return render(part);
        },
        block.alternative());
    if (std::holds_alternative<Picture>(block.alternative())) {
      figures += text;
    } else {
      end_figures();
      body += text;
    }
  }
  end_figures();
  return body;
}

}  // namespace

std::string html(const Document& document) {
  const std::span<const Block> blocks(document);
  const TableForms forms(blocks);
  const std::size_t title = std::min<std::size_t>(1, blocks.size());  // the contents stand below it
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
         "<title>" +
         xml_text(title_of(document)) + "</title>\n<style>\n" + colours() + std::string(page_style) + forms.rules() +
         std::string(plot_rules) + "</style>\n</head>\n<body>\n" + body_of(blocks.first(title), forms) +
         contents_of(document) + body_of(blocks.subspan(title), forms) + "<script>\n" + std::string(page_script) +
         "</script>\n</body>\n</html>\n";
}

}  // namespace attncert::report
