// A certificate: the claim says what the checker proves, the pieces of the proof are nonnegative, and on every row that
// the certificate brings both sides are what the suite encloses and the links hold.
#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "check/judge.hpp"

namespace attncert::check {
namespace {

using Box = std::vector<std::pair<Rational, Rational>>;
constexpr std::size_t most_leaves = 64;     // of all pieces together; eight at most have been needed
constexpr std::size_t fewest_rows = 24;     // that satisfy the hypotheses, no two alike, no side 0 against 0
constexpr std::size_t fewest_of_link = 12;  // of them are such that a link says something
constexpr std::size_t long_row = 4096;      // one of them is as long, or as long as the domain goes
// From here to the longest each octave has a row of even length and one of odd length. Shorter rows are many.
constexpr std::size_t first_octave = 8;
constexpr slong compared_bits = 256, most_compared_bits = 4096;
constexpr long one_of_places = 1L << 40;  // sides agree to 2^-40 of their size

// The coefficients after x_k = (low + high y_k)/(1 + y_k), which takes all y >= 0 to the box, are nowhere negative.
bool nonnegative(Polynomial polynomial, const Box& box) {
  for (std::size_t k = 0; k < box.size(); ++k) {
    const Polynomial y = Polynomial::variable(k), side = Polynomial(box[k].first) + Polynomial(box[k].second) * y,
                     whole = Polynomial(1) + y;
    const unsigned most = degree(polynomial, k);
    Polynomial image;
    for (const auto& [exponents, coefficient] : polynomial.terms) {
      Exponents others = exponents;
      const unsigned power = std::exchange(others[k], 0);
      Polynomial term(others, coefficient);
      for (unsigned factor = 0; factor < most; ++factor) term = term * (factor < power ? side : whole);
      image += term;
    }
    polynomial = image;
  }
  return std::all_of(polynomial.terms.begin(), polynomial.terms.end(),
                     [](const auto& term) { return term.second > 0; });
}

// The boxes that a proof was seen on. Each is named by the cuts that lead to it, a digit each: 0 the lower half, 1 the
// upper one; what was not cut is "all".
struct Cover {
  std::size_t leaves = 0;
  std::string boxes = {};  // ", room(x) 0 1, half(x, y) all": of each piece
};

// Halves the box, across its coordinates in turn, until every leaf shows the sign. Leaves leave nothing out.
void require_nonnegative(const Quotient& slack, const Box& box, const std::string& cuts, const std::string& piece,
                         Cover& cover) {
  if (nonnegative(slack.below, box) && nonnegative(slack.above, box)) {
    ++cover.leaves;
    cover.boxes += " " + (cuts.empty() ? "all" : cuts);
    return;
  }
  require(cover.leaves + cuts.size() < most_leaves, "the sign of " + piece + " is not seen");
  Box lower = box, upper = box;
  const std::size_t k = cuts.size() % box.size();
  lower[k].second = upper[k].first = (box[k].first + box[k].second) / 2;
  require_nonnegative(slack, lower, cuts + "0", piece, cover);
  require_nonnegative(slack, upper, cuts + "1", piece, cover);
}

// L tokens, of which the first N are selected.
Scope tokens(std::size_t L, std::size_t N) {
  Scope scope;
  scope.count.assign(L, 1);
  scope.selected.assign(L, 0);
  std::fill_n(scope.selected.begin(), N, 1);
  scope.numbers = {{"L", Rational(L)}, {"N", Rational(N)}};
  return scope;
}

// p_1 >= ... >= p_L >= 0 of sum 1: any such p mixes the L rows (1, 0, ..), (1/2, 1/2, 0, ..), ..., (1/L, .., 1/L).
Scope ordered_weights(std::size_t L) {
  Scope scope = tokens(L, 0);
  std::vector<Vector>& p = scope.rows["p"];
  p.assign(L, {0});
  Number rest = 1;
  for (std::size_t k = 1; k <= L; ++k) {
    const Number share = k < L ? rest * variable(k - 1) : rest;
    for (std::size_t i = 0; i < k; ++i) p[i][0] = p[i][0] + share / Number(Rational(k));
    rest = rest - share;
  }
  scope.index = {{"top", 0}, {"next", 1}};
  return scope;
}

void require_piece(const std::string& text, const Definition& piece, std::size_t longest, Cover& cover) {
  const bool ordered = piece.arguments == Texts{"t"};
  for (std::size_t L = 2; L <= (ordered ? longest : 2); ++L) {
    Scope scope = ordered ? ordered_weights(L) : Scope();
    for (std::size_t k = 0; k < piece.arguments.size(); ++k)
      scope.numbers.insert_or_assign(piece.arguments[k], variable(ordered ? L - 1 : k));
    const Number slack = scalar(piece.body(scope));
    if (slack.rational() != nullptr) {
      require(*slack.rational() >= 0, text + " is negative");
      continue;
    }
    cover.boxes += ", " + text + "(";
    for (std::size_t k = 0; ordered && k + 1 < L; ++k) cover.boxes += "s" + std::to_string(k + 1) + ", ";
    for (const std::string& name : piece.arguments) cover.boxes += (&name == &piece.arguments[0] ? "" : ", ") + name;
    cover.boxes += ")";
    require_nonnegative(*slack.quotient(), Box(ordered ? L : piece.arguments.size(), {0, 1}), "", text, cover);
  }
}

// L of the domain; 0 for every L.
std::size_t longest_of(const Statement& proof) {
  return proof.lines.contains("longest") ? std::stoul(proof.only("longest")) : 0;
}

void require_identity(const Statement& proof, Language language) {
  const Relation identity = language.relation(proof.only("identity"));
  const bool of_tokens = identity.text.find("_i") != std::string::npos;
  for (std::size_t L = 2; L <= (of_tokens ? longest_of(proof) : 2); ++L)
    for (std::size_t N = 1; N <= (of_tokens ? L : 1); ++N) {
      Scope scope = tokens(L, N);
      for (std::size_t i = 0; i < L; ++i) scope.rows["y"].push_back({variable(i)});
      if (!of_tokens) scope.numbers = {{"a", variable(0)}, {"e", variable(1)}};
      const Number slack = difference(identity, scope);
      require(slack.rational() != nullptr && *slack.rational() == 0,
              "the identity does not hold for L = " + std::to_string(L));
    }
}

// As far as balls can tell, to the places that are compared.
bool agree(const Number& a, const Number& b, const Number& size) {
  return !sign(size * Rational(1, one_of_places) - absolute(a - b)).negative;
}

bool agree(const Number& a, const Number& b) {
  const Number apart = a - b;
  return apart.rational() != nullptr ? *apart.rational() == 0 : agree(a, b, absolute(a) + absolute(b));
}

// How the statement follows, where `when` holds; each part of it is one too.
struct Link {
  std::vector<Relation> when;
  Relation says;
  std::size_t rows = 0;  // on which it has come out

  bool speaks_of(Scope& scope) const {
    return std::all_of(when.begin(), when.end(), [&](const Relation& r) { return holds(r, scope) == Answer::yes; });
  }
};

std::vector<Link> links_of(const Statement& proof, Sentences& sentences) {
  Language& language = sentences.language;
  std::vector<Link> links;
  for (std::size_t k = 0; k < sentences.says.size(); ++k) {
    const Relation& part = sentences.says[k];
    links.push_back({{}, part});
    for (const auto& [name, side] : {std::pair("left", part.left), {"right", part.right}})
      language.definitions[name + std::to_string(k + 1)] = std::make_shared<const Definition>(Definition{.body = side});
  }
  for (const std::string& link : proof.texts("link")) {  // "relation", or "relation if relation"
    const std::size_t when = link.find(" if ");
    links.push_back(
        {language.relations(when < link.size() ? link.substr(when + 4) : ""), language.relation(link.substr(0, when))});
  }
  return links;
}

// A row of a certificate: an instance, and the ends of what encloses left and right of each part; no ends where a
// hypothesis fails.
struct Row {
  std::string name;
  Scope scope;
  std::vector<Rationals> sides;

  // The numbers that sentences read, by which rows are told apart.
  std::string written(const Sentences& sentences) const {
    std::vector<std::pair<std::string, Number>> runs;
    for (std::size_t c = 0; c < scope.count.size(); ++c) {
      std::string token = scope.selected[c] != 0 && reads_number(sentences, scope, "N") ? ";I" : ";";
      for (const auto& [row, values] : scope.rows)
        for (const Number& value : values[c])
          if (reads_row(sentences, row)) token += "," + value.rational()->get_str();
      const bool same = !runs.empty() && runs.back().first == token;
      if (same) runs.back().second = runs.back().second + scope.count[c];
      else runs.emplace_back(token, scope.count[c]);
    }
    std::string line;
    for (const auto& [token, many] : runs) line += token + " x" + many.rational()->get_str();
    for (const auto& [number, value] : scope.numbers)
      if (reads_number(sentences, scope, number)) line += ";" + number + "=" + value.rational()->get_str();
    return line;
  }
};

Row row_of(const Json& json, std::size_t number, const Sentences& sentences) {
  Members members(json, "a row");
  Row row{"row " + std::to_string(number), scope_of_instance(members.at("instance"), sentences.apart), {}};
  for (const Json* side : items(members.at("sides"))) {
    row.sides.push_back(numbers(*side));
    expect(row.sides.back().size() == 2, "a side has not two ends");
  }
  members.done();
  require(row.sides.empty() || row.sides.size() == 2 * sentences.says.size(),
          row.name + " has not two sides for each part");
  return row;
}

// What does not come out on a row; "" where all does.
std::string broken_on(Row& row, const Sentences& sentences, const std::vector<Link>& links) {
  for (std::size_t k = 0; k < row.sides.size(); ++k) {
    const Relation& part = sentences.says[k / 2];
    const Number left = scalar(part.left(row.scope)), right = scalar(part.right(row.scope));
    const Ball mine = (k % 2 == 0 ? left : right).ball(row.scope.bits);
    for (const Rational& end : row.sides[k])
      if (const Ball theirs(end, row.scope.bits); !agree(mine, theirs, absolute(left) + absolute(right)))
        return (k % 2 == 0 ? "the left side of " : "the right side of ") + part.text + " is " + mine.text() +
               ", for the suite " + theirs.text();
  }
  std::string broken;
  for (const Link& link : links)
    if (link.speaks_of(row.scope))
      for_every(link.says, row.scope, [&] {
        const Number left = scalar(link.says.left(row.scope)), right = scalar(link.says.right(row.scope));
        Sign slack = sign(right - left);
        slack.zero = agree(left, right);
        if (holds(link.says.how, slack) == Answer::no) broken = link.says.text + " does not hold";
      });
  return broken;
}

void require_same(Row& row, const Sentences& sentences, const std::vector<Link>& links) {
  for (row.scope.bits = compared_bits;; row.scope.bits *= 2) {
    row.scope.known.clear();
    const std::string broken = broken_on(row, sentences, links);
    if (broken.empty()) return;
    require(row.scope.bits < most_compared_bits, row.name + ": " + broken);
  }
}

// What the rows have shown, in words.
std::string require_rows(const Json& array, const Statement& proof, const Sentences& sentences,
                         std::vector<Link> links) {
  const std::size_t wanted = longest_of(proof) == 0 ? long_row : longest_of(proof);
  std::set<std::string> told_apart, skipped;
  std::set<std::pair<int, std::size_t>> lengths;  // octave and parity
  std::size_t number = 0, longest = 0, fewest = SIZE_MAX;
  for (const Json* json : items(array)) {
    Row row = row_of(*json, ++number, sentences);
    for (const std::string& name : unread(sentences, row.scope)) skipped.insert("; " + name + " not looked at");
    if (row.sides.empty()) {
      require(std::any_of(sentences.given.begin(), sentences.given.end(),
                          [&row](const Relation& given) { return holds(given, row.scope) != Answer::yes; }),
              row.name + " satisfies the hypotheses, and the suite says that it does not");
      continue;
    }
    require_given(sentences, row.scope);
    require_same(row, sentences, links);
    const bool says_nothing = std::all_of(row.sides.begin(), row.sides.end(), [](const Rationals& ends) {
      return ends == Rationals{0, 0};
    });
    if (says_nothing || !told_apart.insert(row.written(sentences)).second) continue;
    const std::size_t length = row.scope.numbers.at("L").rational()->get_num().get_ui();
    longest = std::max(longest, length);
    lengths.emplace(std::bit_width(length), length % 2);
    for (Link& link : links) link.rows += link.speaks_of(row.scope) ? 1 : 0;
  }
  require(told_apart.size() >= fewest_rows,
          "fewer than " + std::to_string(fewest_rows) + " rows satisfy the hypotheses, are not alike and not 0 = 0");
  require(longest >= wanted, "no row is as long as " + std::to_string(wanted));
  for (const Link& link : links) {
    require(link.rows >= fewest_of_link,
            "fewer than " + std::to_string(fewest_of_link) + " rows are such that " + link.says.text + " is tried");
    fewest = std::min(fewest, link.rows);
  }
  for (std::size_t first = first_octave; 2 * first <= wanted; first *= 2)
    for (const std::size_t parity : {0, 1})
      require(lengths.contains({std::bit_width(first), parity}),
              std::string("no row of ") + (parity == 0 ? "even" : "odd") + " length from " + std::to_string(first) +
                  " on, before " + std::to_string(2 * first));
  const std::string tried = "rows: " + std::to_string(told_apart.size()) + ", at least " + std::to_string(fewest);
  return std::accumulate(skipped.begin(), skipped.end(), tried + " for each step");
}

}  // namespace

std::string proved(const Statements& believed, const std::string& claim, Members& certificate) {
  const Statements known = of(believed, "proved", claim);
  require(!known.empty(), "this checker knows no proof of the claim (--help lists them)");
  const Statement& proof = known[0];
  for (const char* const word : {"text", "domain", "by"}) require_said({text(certificate.at(word))}, word, proof);
  for (const char* const word : {"given", "says"}) require_said(texts(certificate.at(word)), word, proof);
  Sentences sentences(proof);
  for (const std::string& definition : proof.texts("where")) sentences.language.define(definition);
  std::vector<std::string> pieces;
  for (const std::string& piece : proof.texts("piece")) {
    const std::string name = piece.substr(0, piece.find('('));
    const bool ordered = piece.starts_with(name + "(t)");
    sentences.language.define(piece, !ordered);  // where a link calls a piece, its arguments are coordinates of the box
    if (ordered) sentences.apart = longest_of(proof);
    pieces.push_back(name);
  }
  const std::string rows = require_rows(certificate.at("rows"), proof, sentences, links_of(proof, sentences));
  Cover cover;
  for (const std::string& name : pieces)
    require_piece(name, *sentences.language.definitions.at(name), longest_of(proof), cover);
  if (proof.lines.contains("identity")) require_identity(proof, sentences.language);
  return claim + " is proved: " + proof.only("domain") + ": " + proof.text() +
         " (leaves: " + std::to_string(cover.leaves) + cover.boxes + "; " + rows + ")";
}

}  // namespace attncert::check
