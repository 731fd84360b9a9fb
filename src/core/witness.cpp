// Witness files, "attncert-witness/1" (docs/witness.md): the writer, and the strict reader of src/core/witness.hpp.
// The reader trusts nothing: it never expands a run, so that its memory is linear in the size of the file, and it
// refuses whatever it does not know, so that no two programs can read two different instances out of one file.
#include "src/core/witness.hpp"

#include <nlohmann/json.hpp>

#include "src/core/files.hpp"
#include "src/core/strict_json.hpp"

namespace attncert {
namespace {

using namespace strict_json;

constexpr const char* format_name = "attncert-witness/1";

template <class ReadItem>
auto runs(const Json& object, const char* key, std::size_t length, const std::string& parent, ReadItem read_item) {
  Runs<decltype(read_item(object, parent))> items;
  if (!object.contains(key)) return items;
  const std::string path = parent + "." + key;
  for (const Json& item : array(object[key], path)) {
    if (item.is_object()) {
      require_keys(item, path, {"value", "count"});
      const auto count = static_cast<std::size_t>(whole(item["count"], path + ".count", 1, largest_witness_length));
      items.push_back({read_item(item["value"], path), count});
    } else {
      items.push_back({read_item(item, path), 1});
    }
  }
  if (!items.empty() && total(items) != length)
    throw Fault{path + " has " + std::to_string(total(items)) + " items, L is " + std::to_string(length),
                "give L items, counts included"};
  return items;
}

std::vector<std::size_t> selection(const Json& value, const ExactInstance& instance, const std::string& path) {
  std::vector<std::size_t> indices;
  for (const Json& item : array(value, path)) {
    indices.push_back(static_cast<std::size_t>(whole(item, path, 0, instance.length - 1)));
    if (indices.size() > 1 && indices[indices.size() - 2] >= indices.back())
      throw Fault{path + " does not increase", "sort the indices and name each once"};
  }
  if (!indices.empty() && indices.size() != instance.count)
    throw Fault{path + " has " + std::to_string(indices.size()) + " indices, N is " + std::to_string(instance.count),
                "give N indices, or none for the top N by weight"};
  return indices;
}

ExactInstance instance_of(const Json& object, const std::string& path) {
  require_keys(object, path, {"L", "d", "N"},
               {"T", "logits", "weights", "tokens", "F", "dF", "other_logits", "other_weights", "other_F", "parameters",
                "selected"});
  ExactInstance instance;
  instance.length = static_cast<std::size_t>(whole(object["L"], path + ".L", 1, largest_witness_length));
  instance.dimension = static_cast<std::size_t>(whole(object["d"], path + ".d", 0, largest_witness_length));
  instance.count = static_cast<std::size_t>(whole(object["N"], path + ".N", 0, instance.length));
  if (object.contains("T")) instance.temperature = number(object["T"], path + ".T");
  const auto token = [&instance](const Json& value, const std::string& where) {
    auto coordinates = numbers(value, where);
    if (coordinates.size() != instance.dimension)
      throw Fault{where + " has a token of width " + std::to_string(coordinates.size()) + ", d is " +
                      std::to_string(instance.dimension),
                  "give every token d coordinates"};
    return coordinates;
  };
  instance.logits = runs(object, "logits", instance.length, path, number);
  instance.weights = runs(object, "weights", instance.length, path, number);
  instance.tokens = runs(object, "tokens", instance.length, path, token);
  instance.F = runs(object, "F", instance.length, path, number);
  instance.dF = runs(object, "dF", instance.length, path, number);
  instance.other_logits = runs(object, "other_logits", instance.length, path, number);
  instance.other_weights = runs(object, "other_weights", instance.length, path, number);
  instance.other_F = runs(object, "other_F", instance.length, path, number);
  if (object.contains("parameters")) instance.parameters = numbers(object["parameters"], path + ".parameters");
  if (object.contains("selected")) instance.selected = selection(object["selected"], instance, path + ".selected");
  return instance;
}

WitnessFamily family_of(const Json& object, const std::string& path) {
  require_keys(object, path,
               {"name", "text", "rule", "quantity", "numerator", "denominator", "why_all_lengths", "members"});
  WitnessFamily family;
  family.name = text_of(object["name"], path + ".name");
  family.text = text_of(object["text"], path + ".text");
  family.rule = text_of(object["rule"], path + ".rule");
  family.quantity = text_of(object["quantity"], path + ".quantity");
  family.numerator = numbers(object["numerator"], path + ".numerator");
  family.denominator = numbers(object["denominator"], path + ".denominator");
  family.why_all_lengths = text_of(object["why_all_lengths"], path + ".why_all_lengths");
  for (const Json& member : array(object["members"], path + ".members"))
    family.members.push_back(instance_of(member, path + ".members"));
  return family;
}

Witness witness_of(const Json& root) {
  require_format(root, format_name);
  require_keys(root, "the witness", {"format", "claim", "relation", "found", "shrunk_from"}, {"instance", "families"});
  if (root.contains("instance") == root.contains("families"))
    throw Fault{"the witness needs exactly one of \"instance\" and \"families\"", "remove or add one"};
  Witness witness;
  witness.claim = text_of(root["claim"], "claim");
  witness.relation = text_of(root["relation"], "relation");
  if (root.contains("instance")) witness.instance = instance_of(root["instance"], "instance");
  if (root.contains("families")) {
    for (const Json& family : array(root["families"], "families"))
      witness.families.push_back(family_of(family, "families"));
    if (witness.families.empty()) throw Fault{"families is empty", "give at least one family"};
  }
  const Json& found = root["found"];
  require_keys(found, "found", {"seed", "replay", "commit"});
  witness.found = {whole(found["seed"], "found.seed", 0, UINT64_MAX), text_of(found["replay"], "found.replay"),
                   text_of(found["commit"], "found.commit")};
  witness.shrunk_from = text_of(root["shrunk_from"], "shrunk_from");
  return witness;
}

OrderedJson json_of(const Rational& value) { return to_text(value); }

OrderedJson json_of(const std::vector<Rational>& values) {
  OrderedJson list = OrderedJson::array();
  for (const Rational& value : values) list.push_back(to_text(value));
  return list;
}

template <class T>
void put_runs(OrderedJson& object, const char* key, const Runs<T>& items) {
  if (items.empty()) return;
  OrderedJson list = OrderedJson::array();
  for (const auto& run : items) {
    if (run.count == 1) list.push_back(json_of(run.value));
    else list.push_back({{"value", json_of(run.value)}, {"count", run.count}});
  }
  object[key] = std::move(list);
}

OrderedJson json_of(const ExactInstance& instance) {
  OrderedJson object = {{"L", instance.length}, {"d", instance.dimension}, {"N", instance.count}};
  if (instance.temperature) object["T"] = to_text(*instance.temperature);
  put_runs(object, "logits", instance.logits);
  put_runs(object, "weights", instance.weights);
  put_runs(object, "tokens", instance.tokens);
  put_runs(object, "F", instance.F);
  put_runs(object, "dF", instance.dF);
  put_runs(object, "other_logits", instance.other_logits);
  put_runs(object, "other_weights", instance.other_weights);
  put_runs(object, "other_F", instance.other_F);
  if (!instance.parameters.empty()) object["parameters"] = json_of(instance.parameters);
  if (!instance.selected.empty()) object["selected"] = instance.selected;
  return object;
}

OrderedJson json_of(const WitnessFamily& family) {
  OrderedJson members = OrderedJson::array();
  for (const auto& member : family.members) members.push_back(json_of(member));
  OrderedJson object;
  object["name"] = family.name;
  object["text"] = family.text;
  object["rule"] = family.rule;
  object["quantity"] = family.quantity;
  object["numerator"] = json_of(family.numerator);
  object["denominator"] = json_of(family.denominator);
  object["why_all_lengths"] = family.why_all_lengths;
  object["members"] = std::move(members);
  return object;
}

}  // namespace

std::string to_json(const Witness& witness) {
  OrderedJson root;
  root["format"] = format_name;
  root["claim"] = witness.claim;
  root["relation"] = witness.relation;
  if (witness.instance) root["instance"] = json_of(*witness.instance);
  if (!witness.families.empty()) {
    root["families"] = OrderedJson::array();
    for (const auto& family : witness.families) root["families"].push_back(json_of(family));
  }
  root["found"] = {{"seed", witness.found.seed}, {"replay", witness.found.replay}, {"commit", witness.found.commit}};
  root["shrunk_from"] = witness.shrunk_from;
  return layout(root);
}

Result<Witness> witness_from_json(const std::string& text, const std::string& where) {
  try {
    return witness_of(parsed(text, exact_file));
  } catch (const Fault& fault) {
    return Error{where + ": " + fault.what + "; " + fault.mend};
  }
}

Result<Witness> read_witness(const std::filesystem::path& file) {
  const Result<std::string> text = read_text(file, exact_file.bytes);
  if (!text) return text.error();
  return witness_from_json(*text, file.string());
}

Result<Done> write_witness(const Witness& witness, const std::filesystem::path& file) {
  return write_text(file, to_json(witness));
}

}  // namespace attncert
