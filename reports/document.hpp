// Document: what a report says, before it has a format. The content is made once from the ledger (sections.hpp); the
// writers, one file a format, only render it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace attncert::report {

// verdict: the format may colour it by its word; math: the notation of claims (math.hpp); sentence: words with such
// formulas among them.
enum class Style { plain, code, number, verdict, math, sentence };

struct Span {
  std::string text;
  Style style = Style::plain;
  std::string link = {};  // "#anchor" of this document, a path relative to it, or empty
};

struct Heading {
  int level;  // 1 to 4
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
// What the reader came for, in large figures: "19", "refuted", "of 32 printed statements".
struct Numbers {
  struct Item {
    std::string number;
    Span word;
    std::string of = {};
  };
  std::vector<Item> items;
};
struct Picture {
  std::string svg;   // formats without pictures leave it out, with its words: it repeats numbers of the tables
  std::string name;  // of its file, without an ending
  std::vector<Span> caption = {};  // what is to be seen; none where the title says it
};
struct Block;
using Document = std::vector<Block>;
// A row a thing with what else is known of it folded below. The first cell names it, the second says what it is.
struct Folded {
  std::vector<std::string> columns;  // two at least
  struct Row {
    std::string anchor;
    std::vector<Span> cells;  // as long as columns
    Document inside;
  };
  std::vector<Row> rows;
};

struct Block : std::variant<Heading, Paragraph, Table, Facts, Numbers, Picture, Folded> {
  using variant::variant;
  const variant& alternative() const { return *this; }
};

std::string markdown(const Document& document);
std::string plain_text(const Document& document);  // for a terminal
std::string latex(const Document& document);
std::string html(const Document& document);

std::string title_of(const Document& document);  // its first heading

// Of formats without pictures: the block's heading would stand over nothing.
bool titles_a_picture(const Document& document, std::size_t block);
std::vector<const Picture*> pictures(const Document& document);  // the folded ones too, in their order

}  // namespace attncert::report
