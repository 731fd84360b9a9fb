// Document: what a report says, before it has a format. The content is made once from the ledger (document.cpp,
// claim_section.cpp); markdown.cpp and html.cpp only render it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reports/wording.hpp"

namespace attncert::report {

enum class Style { plain, code, number, verdict };  // verdict: the format may colour it by its word

struct Span {
  std::string text;
  Style style = Style::plain;
  std::string link = {};  // "#anchor" of this document, a path relative to it, or empty
};

struct Heading {
  int level;  // 1 to 3
  std::string text;
  std::string anchor = {};
};
struct Paragraph {
  std::vector<Span> spans;
};
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Span>> rows;  // each as long as columns
};
struct Facts {
  std::vector<std::pair<std::string, Span>> items;  // label, text
};
struct Picture {
  std::string svg;  // formats without pictures leave it out: it repeats numbers of the tables
};

using Block = std::variant<Heading, Paragraph, Table, Facts, Picture>;
using Document = std::vector<Block>;

Document document(const Ledger& ledger);
std::string markdown(const Document& document);
std::string plain_text(const Document& document);  // for a terminal
// Of formats without pictures: the block's heading would stand over nothing.
bool titles_a_picture(const Document& document, std::size_t block);
// `style`: CSS of the pictures that html_style.hpp does not know.
std::string html(const Document& document, const std::string& title, std::string_view style = "");
Facts findings(const LedgerClaim& claim);                       // what was measured
void add_theorem(const LedgerClaim& claim, Facts& facts);       // in Coq, where there is one
Facts witness_facts(const LedgerClaim& claim, Style of_sides);  // of one that has a witness
Facts meanings(const std::vector<Meaning>& words);
// folder: of the run, where the claim's witness file lies.
void add_claim_section(const LedgerClaim& claim, const std::string& folder, Document& document);

}  // namespace attncert::report
