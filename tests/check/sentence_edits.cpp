#include "tests/check/sentence_edits.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace attncert {
namespace {

enum class Kind { name, number, mark };

struct Token {
  Kind kind;
  std::string text;
  std::size_t begin, end;
};

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::vector<Token> tokens_of(const std::string& sentence) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t begin = at;
    if (sentence[at] == ' ') {
      ++at;
      continue;
    }
    const bool word = in_word(sentence[at]), number = std::isdigit(static_cast<unsigned char>(sentence[at])) != 0;
    if (word) {
      while (at < sentence.size() && in_word(sentence[at])) ++at;
      while (at < sentence.size() && sentence[at] == '\'') ++at;
    } else {
      const std::string pair = sentence.substr(at, 2);
      at += pair == "<=" || pair == ">=" || pair == "!=" ? 2 : 1;
    }
    tokens.push_back({number ? Kind::number
                      : word ? Kind::name
                             : Kind::mark,
                      sentence.substr(begin, at - begin), begin, at});
  }
  return tokens;
}

const std::set<std::string> keywords{"in", "not", "I", "and", "if"};
const std::set<std::string> functions{"sqrt", "exp", "log", "max", "min", "sum", "product", "mean", "spectral"};
const std::set<std::string> places{"first", "last", "before", "top", "next", "i", "j", "k"};

class Editor {
 public:
  Editor(const std::string& sentence, bool defines) : sentence_(sentence), tokens_(tokens_of(sentence)) {
    while (defines && first_ < tokens_.size() && tokens_[first_].text != "=") ++first_;
    first_ += defines ? 1 : 0;
    const std::size_t colon = sentence.find(": ");  // behind the name of a part
    if (colon < sentence.find_first_of("(|")) begin_ = colon + 2;
    while (first_ < tokens_.size() && tokens_[first_].begin < begin_) ++first_;
  }

  std::vector<SentenceEdit> all() {
    for (std::size_t t = first_; t < tokens_.size(); ++t) {
      numbers(t);
      operators(t);
      relations(t);
      sets(t);
      calls(t);
      names(t);
    }
    whole();
    return std::move(edits_);
  }

 private:
  bool is(std::size_t t, const std::string& text) const { return t < tokens_.size() && tokens_[t].text == text; }

  void replace(std::size_t from, std::size_t to, const std::string& by, const std::string& what) {
    std::string text = sentence_.substr(0, from) + by + sentence_.substr(to);
    if (text != sentence_) edits_.push_back({what + " at byte " + std::to_string(from), text});
  }
  void replace(std::size_t t, const std::string& by) {
    replace(tokens_[t].begin, tokens_[t].end, by, tokens_[t].text + " becomes " + (by.empty() ? "nothing" : by));
  }

  void numbers(std::size_t t) {
    if (tokens_[t].kind != Kind::number) return;
    const unsigned long value = std::stoul(tokens_[t].text);
    replace(t, std::to_string(value + 1));
    if (value > 1) replace(t, std::to_string(2 * value));
  }

  // A factor ends here, or begins: side by side they are multiplied.
  bool ends_factor(std::size_t t) const {
    return (tokens_[t].kind != Kind::mark && !keywords.contains(tokens_[t].text)) || is(t, ")") || is(t, "]");
  }
  bool multiplied(std::size_t t) const {
    if (t + 1 >= tokens_.size() || !ends_factor(t)) return false;
    const bool begins =
        (tokens_[t + 1].kind != Kind::mark && !keywords.contains(tokens_[t + 1].text)) || is(t + 1, "(");
    return begins && tokens_[t + 1].begin > tokens_[t].end;
  }
  void operators(std::size_t t) {
    static const std::map<std::string, std::vector<std::string>> turned{
        {"+", {"-"}}, {"-", {"+"}}, {"*", {"", "+"}}, {"/", {"*"}}};
    if (const auto found = turned.find(tokens_[t].text); found != turned.end()) {
      for (const std::string& by : found->second) replace(t, by);
      drop(t, tokens_[t].text == "+" || tokens_[t].text == "-");
    }
    if (is(t, "^") && t + 1 < tokens_.size()) replace(tokens_[t].begin, tokens_[t + 1].end, "", "a power is dropped");
    if (!multiplied(t)) return;
    replace(tokens_[t].end, tokens_[t + 1].begin, " + ", "a product becomes a sum");
    drop(t, false);
  }
  // The operand behind an operator, with it: a term, or a factor.
  void drop(std::size_t t, bool term) {
    const bool written = tokens_[t].kind == Kind::mark && !is(t, ")") && !is(t, "]");
    std::size_t last = factor_end(t + 1);
    while (term && last + 1 < tokens_.size() && (is(last + 1, "*") || is(last + 1, "/") || multiplied(last)))
      last = factor_end(last + (multiplied(last) ? 1 : 2));
    if (last >= tokens_.size()) return;
    const std::size_t from = written ? tokens_[t].begin : tokens_[t].end;
    replace(from, tokens_[last].end, "", "an operand is dropped");
  }
  // The last token of the factor that begins with token t.
  std::size_t factor_end(std::size_t t) const {
    std::size_t at = t;
    if (is(at, "(") || is(at, "[") || is(at, "|")) at = closing(at);
    else if (is(at + 1, "_")) at += 2;
    else if (is(at + 1, "(") && tokens_[at + 1].begin == tokens_[at].end) at = closing(at + 1);
    if (is(at + 1, "^")) at += 2;
    return at;
  }
  std::size_t closing(std::size_t t) const {
    if (is(t, "|")) {
      for (++t; t < tokens_.size() && !is(t, "|");) ++t;
      return t;
    }
    int depth = 0;
    for (; t < tokens_.size(); ++t) {
      depth += is(t, "(") || is(t, "[") ? 1 : is(t, ")") || is(t, "]") ? -1 : 0;
      if (depth == 0) return t;
    }
    return t;
  }

  void relations(std::size_t t) {
    static const std::map<std::string, std::vector<std::string>> turned{
        {"<=", {">=", "<"}}, {">=", {"<=", ">"}}, {"<", {">", "<="}}, {">", {"<", ">="}}, {"=", {"<", ">"}}};
    if (const auto found = turned.find(tokens_[t].text); found != turned.end())
      for (const std::string& by : found->second) replace(t, by);
  }

  void sets(std::size_t t) {
    if (is(t, "not") && is(t + 1, "in")) {
      replace(tokens_[t].begin, tokens_[t + 1].begin, "", "not in becomes in");
      replace(tokens_[t - 1].end, tokens_[t + 2].end, "", "a set is dropped");
    } else if (is(t, "in") && !is(t - 1, "not")) {
      replace(t, "not in");
      replace(tokens_[t - 1].end, tokens_[t + 1].end, "", "a set is dropped");
    }
    if (is(t, "!=")) replace(tokens_[t - 1].end, tokens_[t + 1].end, "", "an exception is dropped");
  }

  void calls(std::size_t t) {
    static const std::map<std::string, std::vector<std::string>> other{
        {"max", {"min"}}, {"min", {"max"}}, {"sum", {"product", "max"}}, {"product", {"sum"}}, {"exp", {"log"}},
        {"log", {"exp"}}, {"sqrt", {"exp"}}};
    const bool called = tokens_[t].kind == Kind::name && is(t + 1, "(") && tokens_[t + 1].begin == tokens_[t].end;
    if (const auto found = other.find(tokens_[t].text); called && found != other.end())
      for (const std::string& by : found->second) replace(t, by);
    if (called && (is(t, "sqrt") || is(t, "exp") || is(t, "log"))) replace(t, "");
    if (is(t, "|") && closing(t) < tokens_.size() && !is(closing(t) + 1, "^")) {  // a norm: the number itself
      const std::size_t to = closing(t);
      replace(tokens_[t].begin, tokens_[to].end,
              "(" + sentence_.substr(tokens_[t].end, tokens_[to].begin - tokens_[t].end) + ")", "bars are dropped");
    }
    if (called) arguments(t + 1);
  }
  // Two arguments side by side change places.
  void arguments(std::size_t open) {
    const std::size_t close = closing(open);
    std::vector<std::size_t> ends{open};  // of what stands before an argument
    int depth = 0;
    for (std::size_t t = open; t < close && t < tokens_.size(); ++t) {
      if (is(t, ":") && depth == 1) return;
      depth += is(t, "(") ? 1 : is(t, ")") ? -1 : 0;
      if (is(t, ",") && depth == 1) ends.push_back(t);
    }
    ends.push_back(close);
    const auto argument = [&](std::size_t k) {
      const std::size_t from = tokens_[ends[k] + 1].begin;
      return sentence_.substr(from, tokens_[ends[k + 1] - 1].end - from);
    };
    for (std::size_t k = 0; k + 2 < ends.size(); ++k)
      replace(tokens_[ends[k] + 1].begin, tokens_[ends[k + 2] - 1].end, argument(k + 1) + ", " + argument(k),
              "arguments are exchanged");
  }

  // A name, or a token's index, becomes the next other one of the sentence.
  bool is_name(std::size_t t) const {
    const bool called = is(t + 1, "(") && tokens_[t + 1].begin == tokens_[t].end;
    return tokens_[t].kind == Kind::name && !called && !keywords.contains(tokens_[t].text) &&
           !functions.contains(tokens_[t].text);
  }
  std::string sort(std::size_t t) const {
    return is(t + 1, "_") ? "of a token" : places.contains(tokens_[t].text) ? "a token" : "a number";
  }
  void names(std::size_t t) {
    if (!is_name(t)) return;
    for (std::size_t step = 1; step < tokens_.size(); ++step) {
      const std::size_t other = (t + step) % tokens_.size();
      if (!is_name(other) || sort(other) != sort(t) || is(other, tokens_[t].text)) continue;
      return replace(t, tokens_[other].text);
    }
  }

  void whole() {
    const std::size_t when = std::min(sentence_.find(" if "), sentence_.size());
    if (when < sentence_.size()) replace(when, sentence_.size(), "", "a condition is dropped");
    int depth = 0;
    for (std::size_t t = first_; t < tokens_.size() && tokens_[t].begin < when; ++t) {
      depth += is(t, "(") ? 1 : is(t, ")") ? -1 : 0;
      if (depth > 0 || !(is(t, "<=") || is(t, ">="))) continue;  // the sides of an equality may stand either way
      if (sentence_.find(" and ", begin_) != std::string::npos) continue;
      const std::string left = sentence_.substr(begin_, tokens_[t - 1].end - begin_),
                        right = sentence_.substr(tokens_[t + 1].begin, when - tokens_[t + 1].begin);
      replace(begin_, when, right + " " + tokens_[t].text + " " + left, "sides are exchanged");
    }
  }

  const std::string& sentence_;
  std::vector<Token> tokens_;
  std::size_t first_ = 0, begin_ = 0;  // of what is edited: the token, the byte
  std::vector<SentenceEdit> edits_;
};

}  // namespace

std::vector<SentenceEdit> sentence_edits(const std::string& sentence, bool defines) {
  return Editor(sentence, defines).all();
}

}  // namespace attncert
