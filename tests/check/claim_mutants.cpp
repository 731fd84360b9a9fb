#include "tests/check/claim_mutants.hpp"

#include <algorithm>
#include <functional>

#include "tests/check/sentence_edits.hpp"

namespace attncert {
namespace {

using Change = std::function<Interval(const Interval& side, const Instance&)>;

Interval number(double value, const Interval& like) { return {value, like.precision()}; }

struct SideEdit {
  std::string what;
  Change change;
};

// The audit's, and slips of constants, exponents and signs. A side is never far below the other: 1e-6 is seen.
const std::vector<SideEdit>& side_edits() {
  static const std::vector<SideEdit> edits{
      {"is 0", [](const Interval& x, const Instance&) { return number(0, x); }},
      {"is 1", [](const Interval& x, const Instance&) { return number(1, x); }},
      {"is 1 from L = 25 on", [](const Interval& x, const Instance& at) { return at.length < 25 ? x : number(1, x); }},
      {"is 1 from L = 5 on", [](const Interval& x, const Instance& at) { return at.length < 5 ? x : number(1, x); }},
      {"is doubled from L = 4096 on",
       [](const Interval& x, const Instance& at) { return at.length < 4096 ? x : x + x; }},
      {"is halved", [](const Interval& x, const Instance&) { return x * number(0.5, x); }},
      {"is doubled", [](const Interval& x, const Instance&) { return x + x; }},
      {"is four times as large", [](const Interval& x, const Instance&) { return number(4, x) * x; }},
      {"is larger by 1e-6", [](const Interval& x, const Instance&) { return x * number(1 + 1e-6, x); }},
      {"is smaller by 1e-6", [](const Interval& x, const Instance&) { return x * number(1 - 1e-6, x); }},
      {"is larger by 1e-9", [](const Interval& x, const Instance&) { return x * number(1 + 1e-9, x); }},
      {"is smaller by 1e-11", [](const Interval& x, const Instance&) { return x * number(1 - 1e-11, x); }},
      {"is one more", [](const Interval& x, const Instance&) { return x + number(1, x); }},
      {"has the other sign", [](const Interval& x, const Instance&) { return -x; }},
      {"has the exponent 2/3", [](const Interval& x, const Instance&) { return pow(abs(x), 2, 3); }},
      {"is a root", [](const Interval& x, const Instance&) { return sqrt(abs(x)); }},
      {"is inverted", [](const Interval& x, const Instance&) { return number(1, x) / x; }},
      {"is divided by T",
       [](const Interval& x, const Instance& at) {
         return at.temperature ? x / Interval(*at.temperature, x.precision()) : x / number(3, x);
       }},
      {"is times L", [](const Interval& x, const Instance& at) { return x * number(double(at.length), x); }},
      {"is divided by L", [](const Interval& x, const Instance& at) { return x / number(double(at.length), x); }},
      {"is divided by L - 1",
       [](const Interval& x, const Instance& at) { return x / number(std::max(double(at.length) - 1, 3.0), x); }}};
  return edits;
}

// What was known of the sides is known no more.
void forget(Part& part) {
  part.slack = {};
  part.attained = {};
  if (part.relation == Relation::equal) part.attained = [](const Instance&) { return false; };
}

Side changed(const Side& side, const Change& change) {
  return [side, change](const Instance& at, Precision precision) { return change(side(at, precision), at); };
}

ClaimMutant mutant(const Statement& genuine, const std::string& what, const std::function<void(Sided&)>& edit) {
  ClaimMutant result{std::string(genuine.id) + ": " + what, genuine};
  edit(*result.statement.sided());
  return result;
}

ClaimMutant part_mutant(const Statement& genuine, std::size_t p, const std::string& what,
                        const std::function<void(Part&)>& edit) {
  return mutant(genuine, what + " in part " + std::to_string(p + 1), [&](Sided& sided) { edit(sided.parts[p]); });
}

// Without its hypotheses a side may divide by 0, which ends the process: there it is any number.
Side where_it_exists(const Statement& genuine, const Side& side) {
  return [&genuine, side](const Instance& at, Precision precision) {
    for (const Hypothesis& hypothesis : genuine.sided()->hypotheses)
      if (hypothesis.holds(at) != Truth::yes) return Interval::whole_line(precision);
    return side(at, precision);
  };
}

constexpr std::string_view other_words = "all L, whatever is given";

}  // namespace

std::vector<ClaimMutant> mutants_of_sides(const Statement& genuine) {
  std::vector<ClaimMutant> all;
  for (std::size_t p = 0; p < genuine.sided()->parts.size(); ++p) {
    const auto add = [&](const std::string& what, const std::function<void(Part&)>& edit) {
      all.push_back(part_mutant(genuine, p, what, [&](Part& part) {
        forget(part);
        edit(part);
      }));
    };
    for (const SideEdit& edit : side_edits()) {
      add("the left side " + edit.what, [&](Part& part) { part.lhs = changed(part.lhs, edit.change); });
      add("the right side " + edit.what, [&](Part& part) { part.rhs = changed(part.rhs, edit.change); });
    }
    add("both sides are the left one", [](Part& part) { part.rhs = part.lhs; });
    add("both sides are the right one", [](Part& part) { part.lhs = part.rhs; });
    add("the sides are exchanged", [](Part& part) { std::swap(part.lhs, part.rhs); });
    add("both sides are doubled", [](Part& part) {
      const Change twice = [](const Interval& x, const Instance&) { return x + x; };
      part.lhs = changed(part.lhs, twice);
      part.rhs = changed(part.rhs, twice);
    });
  }
  return all;
}

std::vector<ClaimMutant> mutants_of_hypotheses(const Statement& genuine) {
  std::vector<ClaimMutant> all;
  const auto add = [&](const std::string& what, const std::function<void(Hypotheses&)>& edit) {
    all.push_back(mutant(genuine, what, [&](Sided& sided) {
      edit(sided.hypotheses);
      for (Part& part : sided.parts) {
        forget(part);
        for (Side* const side : {&part.lhs, &part.rhs}) *side = where_it_exists(genuine, *side);
      }
    }));
  };
  const Hypothesis never{"L >= 0", [](const Instance&) { return Truth::no; }},
      always{"L >= 0", [](const Instance&) { return Truth::yes; }};
  add("one more, which is never true", [&](Hypotheses& all_of) { all_of.push_back(never); });
  add("one more, which is always true", [&](Hypotheses& all_of) { all_of.push_back(always); });
  add("all of them are dropped", [](Hypotheses& all_of) { all_of.clear(); });
  for (std::size_t h = 0; h < genuine.sided()->hypotheses.size(); ++h) {
    const std::string which = "hypothesis " + std::to_string(h + 1);
    add(which + " is dropped",
        [h](Hypotheses& all_of) { all_of.erase(all_of.begin() + static_cast<std::ptrdiff_t>(h)); });
    add(which + " is never true", [&, h](Hypotheses& all_of) { all_of[h].holds = never.holds; });
    add(which + " is true of short rows only", [h](Hypotheses& all_of) {
      all_of[h].holds = [](const Instance& at) { return at.length <= 6 ? Truth::yes : Truth::no; };
    });
    add(which + " is true of even L only", [h](Hypotheses& all_of) {
      all_of[h].holds = [](const Instance& at) { return at.length % 2 == 0 ? Truth::yes : Truth::no; };
    });
    add(which + " reads otherwise", [h](Hypotheses& all_of) { all_of[h].text = other_words; });
    if (h > 0) add(which + " comes first", [h](Hypotheses& all_of) { std::swap(all_of[0], all_of[h]); });
  }
  return all;
}

std::vector<ClaimMutant> mutants_of_words(const Statement& genuine) {
  std::vector<ClaimMutant> all;
  const auto add = [&](const std::string& what, const std::function<void(Sided&)>& edit) {
    all.push_back(mutant(genuine, what, edit));
  };
  add("the domain is wider", [](Sided& sided) { sided.proved->domain = other_words; });
  add("the domain is empty", [](Sided& sided) { sided.proved->domain = ""; });
  add("other reductions", [](Sided& sided) { sided.proved->by = "clipping"; });
  add("no reductions", [](Sided& sided) { sided.proved->by = ""; });
  add("a part twice", [](Sided& sided) { sided.parts.push_back(sided.parts[0]); });
  if (genuine.sided()->parts.size() > 1) {
    add("the last part is dropped", [](Sided& sided) { sided.parts.pop_back(); });
    add("parts are exchanged", [](Sided& sided) { std::swap(sided.parts[0], sided.parts[1]); });
  }
  for (const std::string_view text : {"Two rows of weights differ by at most sqrt2 in every l_p norm.", ""}) {
    all.push_back(mutant(genuine, "another text", [](Sided&) {}));
    all.back().statement.text = text;
  }
  for (std::size_t p = 0; p < genuine.sided()->parts.size(); ++p) {
    const Part& part = genuine.sided()->parts[p];
    all.push_back(part_mutant(genuine, p, "another name", [](Part& named) { named.name = "every"; }));
    all.push_back(part_mutant(genuine, p, "another relation", [](Part& related) {
      related.relation = related.relation == Relation::equal ? Relation::at_most : Relation::equal;
      forget(related);
    }));
    for (const bool right : {false, true})
      for (const SentenceEdit& edit : sentence_edits(std::string(right ? part.right : part.left), false)) {
        all.push_back(part_mutant(genuine, p, edit.what, [](Part&) {}));
        *all.back().words = edit.text;
        Part& written = all.back().statement.sided()->parts[p];
        (right ? written.right : written.left) = *all.back().words;
      }
  }
  return all;
}

}  // namespace attncert
