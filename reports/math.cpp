#include "reports/math.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "reports/tex_text.hpp"
#include "src/core/xml_text.hpp"

namespace attncert::report {
namespace {

enum class Kind { identifier, upright, number, sign, root, accent, word, blank };

struct Piece {
  Kind kind;
  std::string text, tex;  // as shown, and TeX's command for it; of an accent the mark
  std::vector<Piece> inside = {}, sub = {}, super = {};
};
using Pieces = std::vector<Piece>;

struct Name {
  std::string_view name;
  Kind kind;
  std::string_view shown, tex;
};
constexpr Name names[] = {{"alpha", Kind::identifier, "α", "\\alpha"},
                          {"delta", Kind::identifier, "δ", "\\delta"},
                          {"eps", Kind::identifier, "ε", "\\varepsilon"},
                          {"eta", Kind::identifier, "η", "\\eta"},
                          {"kappa", Kind::identifier, "κ", "\\kappa"},
                          {"lambda", Kind::identifier, "λ", "\\lambda"},
                          {"xi", Kind::identifier, "ξ", "\\xi"},
                          {"tau", Kind::identifier, "τ", "\\tau"},
                          {"ell", Kind::identifier, "ℓ", "\\ell"},
                          {"inf", Kind::sign, "∞", "\\infty"},
                          {"sum", Kind::sign, "∑", "\\sum"},
                          {"in", Kind::sign, "∈", "\\in"},
                          {"max", Kind::upright, "max", "\\max"},
                          {"min", Kind::upright, "min", "\\min"},
                          {"log", Kind::upright, "log", "\\log"},
                          {"exp", Kind::upright, "exp", "\\exp"},
                          {"tanh", Kind::upright, "tanh", "\\tanh"},
                          {"diag", Kind::upright, "diag", "\\mathrm{diag}"},
                          {"osc", Kind::upright, "osc", "\\mathrm{osc}"},
                          {"TV", Kind::upright, "TV", "\\mathrm{TV}"}};

// Longer ones first.
constexpr Name signs[] = {
    {"...", Kind::sign, "…", "\\dots"}, {"||", Kind::sign, "‖", "\\|"},   {"<=", Kind::sign, "≤", "\\le"},
    {">=", Kind::sign, "≥", "\\ge"},    {"!=", Kind::sign, "≠", "\\ne"},  {"|", Kind::sign, "|", "|"},
    {"-", Kind::sign, "−", "-"},        {"*", Kind::sign, "·", "\\cdot"}, {"<", Kind::sign, "<", "<"},
    {">", Kind::sign, ">", ">"},        {"#", Kind::sign, "#", "\\#"},    {"{", Kind::sign, "{", "\\{"},
    {"}", Kind::sign, "}", "\\}"}};

constexpr std::pair<std::string_view, std::pair<std::string_view, std::string_view>> accents[] = {
    {"d-tilde", {"d", "~"}}, {"xbar", {"x", "¯"}}, {"xhat", {"x", "^"}}};
std::string_view tex_accent(std::string_view mark) { return mark == "~" ? "\\tilde" : mark == "^" ? "\\hat" : "\\bar"; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class Reader {
 public:
  explicit Reader(std::string_view text, Words words, int depth = 0) : text_(text), words_(words), depth_(depth) {}

  Pieces all() {
    Pieces pieces;
    while (!text_.empty()) pieces.push_back(with_scripts(atom()));
    return pieces;
  }

 private:
  bool skip(std::string_view what) {
    if (!text_.starts_with(what)) return false;
    text_.remove_prefix(what.size());
    return true;
  }
  template <class Test>
  std::string take_while(Test test) {
    std::size_t size = 0;
    while (size < text_.size() && test(text_[size])) ++size;
    const std::string taken(text_.substr(0, size));
    text_.remove_prefix(size);
    return taken;
  }
  // What stands up to the bracket that closes the one that was skipped.
  Pieces up_to(char open, char close) {
    std::size_t depth = 1, at = 0;
    for (; at < text_.size(); ++at) {
      depth += text_[at] == open;
      depth -= text_[at] == close;
      if (depth == 0) break;
    }
    Pieces inside = Reader(text_.substr(0, at), words_, depth_ + 1).all();
    text_.remove_prefix(std::min(at + 1, text_.size()));
    return inside;
  }

  Piece atom() {
    if (text_.front() == ' ') return {Kind::blank, take_while([](char c) { return c == ' '; }), ""};
    if (is_digit(text_.front())) {
      const std::string digits = take_while([](char c) { return is_digit(c) || c == '.'; });
      return {Kind::number, digits, digits};
    }
    for (const auto& [name, parts] : accents)
      if (skip(name))
        return {Kind::accent,
                std::string(parts.second),
                "",
                {{Kind::identifier, std::string(parts.first), std::string(parts.first)}}};
    if (is_letter(text_.front())) return name();
    for (const Name& sign : signs)
      if (skip(sign.name)) return {Kind::sign, std::string(sign.shown), std::string(sign.tex)};
    // One character; what is not ASCII, and what TeX knows as a command, is a word.
    const auto c = text_.front();
    const bool plain = std::string_view("()[],;:=+/.!?").find(c) != std::string_view::npos;
    if (plain) {
      text_.remove_prefix(1);
      return {Kind::sign, std::string(1, c), std::string(1, c)};
    }
    text_.remove_prefix(1);
    std::string word(1, c);
    return {Kind::word, word + take_while([](char more) { return (static_cast<unsigned char>(more) & 0xC0) == 0x80; }),
            ""};
  }

  Piece name() {
    const std::string letters = take_while(is_letter);
    if (letters == "sqrt" && depth_ < deepest) return root();
    if (letters == "not" && text_.starts_with(" in") && a_set_follows(text_.substr(3))) {
      skip(" in");
      return {Kind::sign, "∉", "\\notin"};
    }
    const bool said =
        words_ == Words::sentence && (letters == "sum" || letters == "in");  // "the sum of", "linear in L"
    const bool english = said || (letters == "in" && !a_set_follows(text_)) || (letters == "a" && a_word_follows());
    for (const Name& known : names)
      if (known.name == letters && !english) return {known.kind, std::string(known.shown), std::string(known.tex)};
    if (letters.size() > 1 || english) {
      // A word with what hangs on it: "captured", "top-N".
      return {Kind::word, letters + take_while([](char c) { return is_letter(c) || c == '-' || is_digit(c); }), ""};
    }
    Piece letter{Kind::identifier, letters, letters};
    if (const std::string digits = take_while(is_digit); !digits.empty())
      letter.sub = {{Kind::number, digits, digits}};  // "d1"
    return letter;
  }

  // " I", and no longer word.
  static bool a_set_follows(std::string_view text) {
    return text.size() > 1 && text[0] == ' ' && is_letter(text[1]) && (text.size() == 2 || !is_letter(text[2]));
  }
  bool a_word_follows() const {
    return text_.size() > 2 && text_[0] == ' ' && is_letter(text_[1]) && is_letter(text_[2]);
  }

  Piece root() {
    Piece root{Kind::root, "", ""};
    if (skip("(")) {
      root.inside = up_to('(', ')');
    } else {
      take_while([](char c) { return c == ' '; });
      ++depth_;
      if (!text_.empty()) root.inside = {atom()};
      --depth_;
    }
    return root;
  }

  Pieces script() {
    if (depth_ < deepest && skip("{")) return up_to('{', '}');
    if (depth_ < deepest && skip("(")) return up_to('(', ')');
    Pieces pieces;
    if (skip("-")) pieces.push_back({Kind::sign, "−", "-"});
    if (!text_.empty() && text_.front() != ' ') pieces.push_back(atom());
    return pieces;
  }

  Piece with_scripts(Piece piece) {
    if (piece.kind == Kind::blank || piece.kind == Kind::word) return piece;
    while (!text_.empty()) {
      if (skip("_")) {
        Pieces more = script();
        piece.sub.insert(piece.sub.end(), more.begin(), more.end());
      } else if (skip("^")) {
        Pieces more = script();
        piece.super.insert(piece.super.end(), more.begin(), more.end());
      } else if (skip("'")) {
        piece.super.push_back({Kind::sign, "′", "\\prime"});
      } else {
        break;
      }
    }
    return piece;
  }

  static constexpr int deepest = 6;  // what nests deeper is shown as it is written; claims nest twice
  std::string_view text_;
  Words words_;
  int depth_;
};

std::string element(const std::string& name, const std::string& inside) {
  return "<" + name + ">" + inside + "</" + name + ">";
}

std::string mathml_row(const Pieces& pieces);

// Fences, which grow with what they stand around unless told not to (MathML Core, operator dictionary).
bool stretches(std::string_view sign) {
  constexpr std::string_view fences[] = {"(", ")", "[", "]", "{", "}", "|", "\u2016"};
  return std::ranges::find(fences, sign) != std::end(fences);
}

std::string mathml_base(const Piece& piece) {
  switch (piece.kind) {
    case Kind::identifier:
      return element("mi", xml_text(piece.text));
    case Kind::upright:
      return "<mi mathvariant=\"normal\">" + xml_text(piece.text) + "</mi>";
    case Kind::number:
      return element("mn", xml_text(piece.text));
    case Kind::sign:
      return (stretches(piece.text) ? "<mo stretchy=\"false\">" : "<mo>") + xml_text(piece.text) + "</mo>";
    case Kind::root:
      return element("msqrt", mathml_row(piece.inside));
    case Kind::accent:
      return "<mover accent=\"true\">" + mathml_row(piece.inside) + element("mo", piece.text) + "</mover>";
    case Kind::word:
      return element("mtext", xml_text(piece.text));
    case Kind::blank:
      return "<mspace width=\"0.3em\"/>";
  }
  return "";
}

std::string mathml_of(const Piece& piece) {
  const std::string base = mathml_base(piece);
  if (piece.sub.empty() && piece.super.empty()) return base;
  if (piece.super.empty()) return element("msub", base + mathml_row(piece.sub));
  if (piece.sub.empty()) return element("msup", base + mathml_row(piece.super));
  return element("msubsup", base + mathml_row(piece.sub) + mathml_row(piece.super));
}

std::string mathml_row(const Pieces& pieces) {
  std::string row;
  for (const Piece& piece : pieces) row += mathml_of(piece);
  return pieces.size() == 1 ? row : element("mrow", row);
}

std::string tex_row(const Pieces& pieces);

std::string tex_of(const Piece& piece) {
  std::string base;
  if (piece.kind == Kind::root) base = "\\sqrt{" + tex_row(piece.inside) + "}";
  else if (piece.kind == Kind::accent) base = std::string(tex_accent(piece.text)) + "{" + tex_row(piece.inside) + "}";
  else if (piece.kind == Kind::word) base = "\\mbox{" + tex_text(piece.text) + "}";
  else if (piece.kind == Kind::blank) base = "\\ ";
  else base = piece.tex + (piece.tex.starts_with('\\') ? " " : "");
  if (!piece.sub.empty()) base += "_{" + tex_row(piece.sub) + "}";
  if (!piece.super.empty()) base += "^{" + tex_row(piece.super) + "}";
  return base;
}

std::string tex_row(const Pieces& pieces) {
  std::string row;
  for (const Piece& piece : pieces) row += tex_of(piece);
  return row;
}

// Runs of formula, each given to `formula`; words and the blanks between go by themselves.
template <class Formula, class Word>
std::string in_runs(std::string_view notation, Words words, Formula formula, Word word) {
  std::string text;
  Pieces run;
  // What ends a sentence or a part of it is no sign of the formula before it; nor is what closes a parenthesis of
  // words.
  const auto is_stop = [&](const Piece& piece) {
    if (piece.text.size() != 1 || !piece.sub.empty() || !piece.super.empty()) return false;
    if (piece.text == ")") return std::ranges::find(run, "(", &Piece::text) == run.end();
    return std::string_view(".,:;").find(piece.text) != std::string_view::npos;
  };
  const auto end_run = [&] {
    std::string stops;
    for (; words == Words::sentence && !run.empty() && is_stop(run.back()); run.pop_back())
      stops.insert(0, run.back().text);
    if (!run.empty()) text += formula(run);
    text += stops;
    run.clear();
  };
  for (Piece& piece : Reader(notation, words).all()) {
    if (piece.kind != Kind::blank && piece.kind != Kind::word) {
      run.push_back(std::move(piece));
      continue;
    }
    end_run();
    text += piece.kind == Kind::blank ? " " : word(piece.text);
  }
  end_run();
  return text;
}

}  // namespace

std::string mathml(std::string_view notation, Words words) {
  return in_runs(
      notation, words, [](const Pieces& run) { return element("math", mathml_row(run)); },
      [](const std::string& word) { return xml_text(word); });
}

std::string tex(std::string_view notation, Words words) {
  return in_runs(
      notation, words, [](const Pieces& run) { return "$" + tex_row(run) + "$"; },
      [](const std::string& word) { return tex_text(word); });
}

}  // namespace attncert::report
