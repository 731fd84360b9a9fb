// The grammar of sentences. A sentence that cannot be read is a fault of the checker itself, and says where.
#include <algorithm>
#include <cctype>

#include "check/language.hpp"

namespace attncert::check {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_index(const std::string& name) { return name == "i" || name == "j" || name == "k"; }

class Parser {
 public:
  Parser(Language& language, const std::string& text) : language_(language), text_(text) {}

  Relation relation() {
    Relation result{text_, expression(), {}, "", false};
    for (const char* how : {"<=", ">=", "<", ">", "="})
      if (result.how.empty() && take(how)) result.how = how;
    expect(!result.how.empty());
    result.right = expression();
    result.of_tokens = free_index_;
    return result;
  }
  Relation whole_relation() {
    const Relation result = relation();
    expect(next() == '\0');
    return result;
  }
  void definition(bool boxed) {
    const std::string name = word();
    Definition made{.boxed = boxed};
    made.of_tokens = take("_i");
    if (!made.of_tokens && take("(")) {
      do made.arguments.push_back(word());
      while (take(","));
      expect(take(")"));
    }
    expect(take("="));
    arguments_ = made.arguments;
    made.body = expression();
    expect(next() == '\0' && free_index_ == made.of_tokens);
    expect(language_.definitions.emplace(name, std::make_shared<const Definition>(made)).second);
  }

 private:
  void expect(bool condition) const {
    require(condition, "not a sentence at byte " + std::to_string(at_) + ": " + text_);
  }
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(const std::string& token) {
    next();
    const std::size_t end = at_ + token.size();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    if (in_word(token.back()) && end < text_.size() && in_word(text_[end])) return false;  // a longer word begins so
    at_ = end;
    return true;
  }
  std::string word() {
    next();
    const std::size_t from = at_;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    while (at_ < text_.size() && text_[at_] == '\'') ++at_;
    expect(at_ > from);
    return text_.substr(from, at_ - from);
  }

  static Term operation(char sign, const Term& a, const Term& b) {
    return [=](Scope& scope) { return combined(sign, a(scope), b(scope)); };
  }
  Term expression() {
    Term result = next() == '-' ? [](Scope&) { return Vector{0}; } : product();
    for (char sign = next(); sign == '+' || sign == '-'; sign = next()) {
      ++at_;
      result = operation(sign, result, product());
    }
    return result;
  }
  Term product() {  // factors that stand side by side are multiplied
    Term result = power();
    for (char sign = next(); sign == '*' || sign == '/' || sign == '(' || in_word(sign); sign = next()) {
      if (sign == '*' || sign == '/') ++at_;
      result = operation(sign == '/' ? '/' : '*', result, power());
    }
    return result;
  }
  Term power() {
    const bool bars = take("|");
    const Term inside = bars ? expression() : primary();
    expect(!bars || take("|"));
    if (take("^2")) return [inside](Scope& scope) { return Vector{square(inside(scope))}; };  // exact, of a vector too
    if (bars) return [inside](Scope& scope) { return norm(inside(scope), scope.bits); };
    return inside;
  }
  Term primary() {
    if (take("(")) return closed(expression(), ")");
    if (take("[")) {  // 1 where the relation holds, else 0
      const Relation inside = relation();
      expect(take("]"));
      return [inside](Scope& scope) {
        const Answer answer = holds(inside, scope);
        require(answer != Answer::unknown, "it is not certain whether " + inside.text);
        return Vector{answer == Answer::yes ? 1 : 0};
      };
    }
    const std::string name = word();
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0)
      return [value = Vector{Rational(name)}](Scope&) { return value; };
    const char then = at_ < text_.size() ? text_[at_] : '\0';  // without a blank between
    if (then != '_' && then != '(') return named(name, "");
    ++at_;
    return then == '_' ? named(name, index()) : closed(call(name), ")");
  }
  Term closed(Term term, const char* by) {
    expect(take(by));
    return term;
  }

  // i, j or k, where only i may be free; or a token of its own name.
  std::string index() {
    const std::string name = word();
    const bool bound = std::find(bound_.begin(), bound_.end(), name) != bound_.end();
    expect(!is_index(name) || bound || name == "i");
    free_index_ |= name == "i" && !bound;
    return name;
  }
  std::shared_ptr<const Definition> defined(const std::string& name) const {
    const auto found = language_.definitions.find(name);
    return found == language_.definitions.end() ? nullptr : found->second;
  }
  // A number, or where an index is given what the row has there: of the scope, or else by definition.
  Term named(const std::string& name, const std::string& index) {
    const bool argument = std::find(arguments_.begin(), arguments_.end(), name) != arguments_.end();
    const auto definition = argument ? nullptr : defined(name);
    if (!argument && !definition) language_.names.insert(name);
    expect(!definition || (definition->of_tokens != index.empty() && definition->arguments.empty()));
    return [name, index, definition](Scope& scope) {
      const auto place = scope.index.find(index);
      require(index.empty() || place != scope.index.end(), "there is no token " + index);
      const std::size_t token = index.empty() ? SIZE_MAX : place->second;
      if (const auto row = scope.rows.find(name); !index.empty() && row != scope.rows.end()) return row->second[token];
      if (const auto number = scope.numbers.find(name); index.empty() && number != scope.numbers.end())
        return Vector{number->second};
      require(definition != nullptr,
              "the claim speaks of " + name + (index.empty() ? "" : "_i") + ", which the file does not give");
      return value_of(*definition, token, scope);
    };
  }

  Term call(const std::string& name) {
    if (name == "mean") {
      expect(take("I") && take(":"));
      language_.names.insert("I");
      return [body = expression()](Scope& scope) { return mean_over_sets(scope, body); };
    }
    if (name == "spectral") {
      const Term u = named(word(), "i");
      expect(take(","));
      return [u, g = named(word(), "i")](Scope& scope) { return Vector{spectral(scope, u, g)}; };
    }
    const std::vector<Binder> over = binders();
    std::vector<Term> values;
    do values.push_back(expression());
    while (take(","));
    bound_.resize(bound_.size() - over.size());
    if (over.empty()) return applied(name, values);
    const bool folds = name == "sum" || name == "product" || name == "max" || name == "min";
    expect(folds && values.size() == 1);
    return [=, body = values[0]](Scope& scope) { return folded(name, scope, over, body); };
  }
  std::vector<Binder> binders() {  // "i in I, j not in I != i:", or none
    std::vector<Binder> all;
    do {
      Binder binder{take("i") ? "i" : take("j") ? "j" : take("k") ? "k" : "", 0, {}};
      if (all.empty() && binder.name.empty()) return all;
      expect(!binder.name.empty());
      binder.side = take("not in I") ? -1 : take("in I") ? 1 : 0;
      if (binder.side != 0) language_.names.insert("I");
      while (take("!=")) binder.other_than.push_back(index());
      bound_.push_back(binder.name);
      all.push_back(binder);
    } while (take(","));
    expect(take(":"));
    return all;
  }
  Term applied(const std::string& name, const std::vector<Term>& values) {
    const auto function = defined(name);
    expect(function && function->arguments.size() == values.size());
    return [=](Scope& scope) {
      std::map<std::string, Number> inside = scope.numbers;
      for (std::size_t k = 0; k < values.size(); ++k) {
        const Number value = scalar(values[k](scope));
        if (function->boxed)
          for (const Sign& room : {sign(value), sign(1 - value)})
            require(room.zero || room.positive, name + " is asked beyond its box");
        inside.insert_or_assign(function->arguments[k], value);
      }
      std::swap(inside, scope.numbers);
      const Vector result = function->body(scope);
      std::swap(inside, scope.numbers);
      return result;
    };
  }

  Language& language_;
  const std::string& text_;
  std::size_t at_ = 0;
  std::vector<std::string> bound_, arguments_;
  bool free_index_ = false;
};

}  // namespace

Language::Language() {
  const auto function = [this](const std::string& name, const std::vector<std::string>& arguments,
                               const std::function<Number(const Number&, const Scope&)>& value) {
    const Term body = [value](Scope& scope) { return Vector{value(scope.numbers.at("x"), scope)}; };
    definitions[name] = std::make_shared<const Definition>(Definition{.arguments = arguments, .body = body});
  };
  function("sqrt", {"x"}, [](const Number& x, const Scope& scope) { return root(x, scope.bits); });
  function("exp", {"x"}, [](const Number& x, const Scope& scope) { return exp(x.ball(scope.bits)); });
  function("log", {"x"}, [](const Number& x, const Scope& scope) { return log(x.ball(scope.bits)); });
  function("max", {"x", "y"}, [](const Number& x, const Scope& scope) { return larger(x, scope.numbers.at("y")); });
  function("min", {"x", "y"}, [](const Number& x, const Scope& scope) { return smaller(x, scope.numbers.at("y")); });
}
void Language::define(const std::string& text, bool boxed) { Parser(*this, text).definition(boxed); }
Relation Language::relation(const std::string& text) { return Parser(*this, text).whole_relation(); }
std::vector<Relation> Language::relations(const std::string& text) {
  std::vector<Relation> all;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 5) {
    end = std::min(text.find(" and ", begin), text.size());
    all.push_back(relation(text.substr(begin, end - begin)));
  }
  return all;
}

}  // namespace attncert::check
