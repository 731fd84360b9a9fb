// The report as one HTML file that needs nothing else: style and pictures inside, no script, nothing fetched. Written
// in XML's syntax (every element closed, every attribute quoted), so that a test can check that it is well formed.
#include <string>
#include <string_view>

#include "reports/document.hpp"
#include "reports/html_style.hpp"
#include "reports/xml_text.hpp"

namespace attncert {
using namespace report;
namespace {

std::string element(const std::string& name, const std::string& attributes, const std::string& inside) {
  return "<" + name + (attributes.empty() ? "" : " " + attributes) + ">" + inside + "</" + name + ">";
}

// A class for each verdict that the style knows; any other word is shown without colour.
std::string verdict_class(std::string_view word) {
  if (word == "undecided") return "verdict undecided-verdict";
  for (const std::string_view known : {"proved", "supported", "refuted", "vacuous", "measured", "regression",
                                       "improvement"})
    if (word == known) return "verdict " + std::string(known);
  return "verdict";
}

std::string text_of(const Span& span) {
  std::string text = xml_text(span.text);
  if (span.style == Style::code) text = element("code", "", text);
  if (span.style == Style::verdict) text = element("span", "class=\"" + verdict_class(span.text) + "\"", text);
  return span.link.empty() ? text : element("a", "href=\"" + xml_text(span.link) + "\"", text);
}

std::string render(const Heading& heading) {
  const std::string anchor = heading.anchor.empty() ? "" : "id=\"" + xml_text(heading.anchor) + "\"";
  return element("h" + std::to_string(heading.level), anchor, xml_text(heading.text)) + "\n";
}

std::string render(const Paragraph& paragraph) {
  std::string text;
  for (const Span& span : paragraph.spans) text += text_of(span);
  return element("p", "", text) + "\n";
}

std::string render(const Table& table) {
  const auto cell_class = [](const Span& span) { return span.style == Style::number ? "class=\"number\"" : ""; };
  std::string head, body;
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    head += element("th", table.rows.empty() ? "" : cell_class(table.rows.front()[column]),
                    xml_text(table.columns[column]));
  for (const auto& row : table.rows) {
    std::string cells;
    for (const Span& span : row) cells += element("td", cell_class(span), text_of(span));
    body += element("tr", "", cells) + "\n";
  }
  return element(
             "div", "class=\"wide\"",
             element("table", "", element("thead", "", element("tr", "", head)) + "\n" + element("tbody", "", body))) +
         "\n";
}

std::string render(const Facts& facts) {
  std::string items;
  for (const auto& [label, span] : facts.items)
    items += element("dt", "", xml_text(label)) + element("dd", "", text_of(span)) + "\n";
  return element("dl", "", items) + "\n";
}

std::string render(const Picture& picture) { return element("div", "class=\"wide\"", picture.svg) + "\n"; }

}  // namespace

std::string report::html(const Document& document, const std::string& title, std::string_view style) {
  std::string body;
  for (const Block& block : document) body += std::visit([](const auto& part) { return render(part); }, block);
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
         "<title>" +
         xml_text(title) + "</title>\n<style>" + std::string(html_style) + std::string(style) +
         "</style>\n</head>\n<body>\n" + body + "</body>\n</html>\n";
}

std::string html(const Ledger& ledger) { return html(document(ledger), "attncert report"); }

}  // namespace attncert
