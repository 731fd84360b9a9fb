// A witness in words: what its instance or its families are, in readable numbers.
#include <fmt/format.h>

#include <algorithm>

#include "reports/wording.hpp"
#include "src/core/number_text.hpp"

namespace attncert::report {
namespace {

constexpr std::size_t most_items = 12;  // of a list; the file holds all of them

template <class Items, class Text>
std::string listed(const Items& items, Text text) {
  std::string line;
  for (std::size_t i = 0; i < std::min(items.size(), most_items); ++i) line += (i ? ", " : "") + text(items[i]);
  if (items.size() > most_items) line += fmt::format(", ... {} more", items.size() - most_items);
  return line;
}

std::string text_of(const Rational& value) { return readable(value); }

std::string text_of(const std::vector<Rational>& vector) {
  return "(" + listed(vector, [](const Rational& value) { return readable(value); }) + ")";
}

template <class T>
std::string text_of(const Runs<T>& runs) {
  return listed(runs, [](const Run<T>& run) {
    return text_of(run.value) + (run.count > 1 ? fmt::format(" ({} times)", grouped(run.count)) : "");
  });
}

std::string polynomial(const std::vector<Rational>& coefficients) {
  std::string text;
  for (std::size_t power = coefficients.size(); power-- > 0;) {
    if (coefficients[power] == 0) continue;
    if (!text.empty()) text += " + ";
    text += readable(coefficients[power]);
    if (power > 0) text += power == 1 ? " n" : fmt::format(" n^{}", power);
  }
  return text.empty() ? "0" : text;
}

using Parts = std::vector<std::pair<std::string, std::string>>;

void add_instance(const ExactInstance& instance, Parts& parts) {
  const auto add = [&](const char* label, std::string text) {
    if (!text.empty()) parts.emplace_back(label, std::move(text));
  };
  add("length L", grouped(instance.length));
  if (instance.dimension > 0) add("dimension d", grouped(instance.dimension));
  if (instance.count > 0) add("selected N", grouped(instance.count));
  if (instance.temperature) add("temperature T", readable(*instance.temperature));
  add("logits", text_of(instance.logits));
  add("weights", text_of(instance.weights));
  add("tokens", text_of(instance.tokens));
  add("F at the logits", text_of(instance.F));
  add("F' at the logits", text_of(instance.dF));
  add("other logits", text_of(instance.other_logits));
  add("other weights", text_of(instance.other_weights));
  add("F at the other logits", text_of(instance.other_F));
  if (!instance.parameters.empty()) add("parameters of the rule", text_of(instance.parameters));
  add("selected (from 0)", listed(instance.selected, [](std::size_t i) { return std::to_string(i); }));
}

std::string text_of(const Form& form) {
  if (form.below.empty()) return polynomial(form.above);
  return fmt::format("({}) / ({})", polynomial(form.above), polynomial(form.below));
}

void add_family(const FormFamily& family, Parts& parts) {
  parts.emplace_back("family", fmt::format("{}, n >= {}", family.name, family.first));
  for (const FormFamily::Tokens& run : family.tokens) {
    std::string line;
    for (const auto& [row, form] : run.rows)
      line += fmt::format("{}{} = {}", line.empty() ? "" : ", ", row, text_of(form));
    parts.emplace_back(fmt::format("{} {}tokens with", polynomial(run.count), run.selected ? "selected " : ""), line);
  }
  for (const auto& [name, form] : family.numbers) parts.emplace_back(name, text_of(form));
  parts.emplace_back("the quantity", text_of(family.value));
}

}  // namespace

std::string witness_text(const LedgerClaim& claim) {
  if (!claim.witness || claim.witness_lhs.empty()) return witness_size(claim);
  return witness_size(claim) + ": " + side_text(claim.witness_lhs) + " against " + side_text(claim.witness_rhs);
}

std::string instance_text(const Witness& witness) {
  std::string text;
  Parts parts;
  if (witness.instance) add_instance(*witness.instance, parts);
  for (const FormFamily& family : witness.families) parts.emplace_back("the family", family.name);
  for (const auto& [label, value] : parts) {
    const std::size_t symbol = label.rfind(' ');  // of "length L"
    const bool has_symbol = symbol != std::string::npos && label.size() == symbol + 2;
    text += (text.empty() ? "" : "; ") + (has_symbol ? label.substr(symbol + 1) + " = " : label + " ") + value;
  }
  return text;
}

Parts readable(const Witness& witness) {
  Parts parts;
  if (witness.instance) add_instance(*witness.instance, parts);
  for (const FormFamily& family : witness.families) add_family(family, parts);
  parts.emplace_back("found by", fmt::format("{} (seed {})", witness.found.replay, witness.found.seed));
  if (!witness.shrunk_from.empty()) parts.emplace_back("shrunk from", witness.shrunk_from);
  return parts;
}

}  // namespace attncert::report
