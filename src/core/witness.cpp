// Witness files, "attncert-witness/1" and "attncert-families/2" (docs/witness.md): the writer, and the strict reader of
// src/core/witness.hpp. The reader trusts nothing: it never expands a run, so that its memory is linear in the size of
// the file, and it refuses whatever it does not know, so that no two programs can read two different instances out of
// one file.
#include "src/core/witness.hpp"

#include <nlohmann/json.hpp>

#include "src/core/files.hpp"
#include "src/core/strict_json.hpp"
#include "src/core/witness_json.hpp"

namespace attncert {
namespace {

using namespace strict_json;

constexpr const char *format_name = "attncert-witness/1", *families_format = "attncert-families/2";

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

}  // namespace

ExactInstance instance_from(const Json& object, const std::string& path) {
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

namespace {

Form form_of(const Json& value, const std::string& path) {
  if (value.is_array()) return {numbers(value, path)};
  require_keys(value, path, {"above", "below"});
  return {numbers(value["above"], path + ".above"), numbers(value["below"], path + ".below")};
}

std::vector<std::pair<std::string, Form>> forms_of(const Json& object, const std::string& path) {
  if (!object.is_object()) throw Fault{path + " is not an object", "write { ... }"};
  std::vector<std::pair<std::string, Form>> forms;
  for (const auto& [name, value] : object.items()) forms.emplace_back(name, form_of(value, path));
  return forms;
}

FormFamily family_of(const Json& object, const std::string& path) {
  require_keys(object, path, {"name", "given", "constant", "says", "first", "tokens", "numbers", "value"});
  FormFamily family;
  family.name = text_of(object["name"], path + ".name");
  family.first = static_cast<std::size_t>(whole(object["first"], path + ".first", 1, largest_witness_length));
  for (const Json& run : array(object["tokens"], path + ".tokens")) {
    require_keys(run, path + ".tokens", {"count", "selected", "rows"});
    family.tokens.push_back({numbers(run["count"], path + ".count"),
                             whole(run["selected"], path + ".selected", 0, 1) == 1,
                             forms_of(run["rows"], path + ".rows")});
  }
  family.numbers = forms_of(object["numbers"], path + ".numbers");
  family.value = form_of(object["value"], path + ".value");
  family.given = texts(object["given"], path + ".given");
  family.constant = texts(object["constant"], path + ".constant");
  family.says = texts(object["says"], path + ".says");
  return family;
}

Witness::Found found_of(const Json& found) {
  require_keys(found, "found", {"seed", "replay", "commit"});
  return {whole(found["seed"], "found.seed", 0, UINT64_MAX), text_of(found["replay"], "found.replay"),
          text_of(found["commit"], "found.commit")};
}

}  // namespace

Witness witness_from(const Json& root) {
  Witness witness;
  if (root.is_object() && root.contains("format") && root["format"] == families_format) {
    require_keys(root, "the document", {"format", "claim", "text", "families", "found"});
    witness.text = text_of(root["text"], "text");
    for (const Json& family : array(root["families"], "families"))
      witness.families.push_back(family_of(family, "families"));
    if (witness.families.empty()) throw Fault{"families is empty", "give at least one family"};
  } else {
    require_format(root, format_name);
    require_keys(root, "the witness", {"format", "claim", "relation", "instance", "found", "shrunk_from"});
    witness.relation = text_of(root["relation"], "relation");
    witness.instance = instance_from(root["instance"], "instance");
    witness.shrunk_from = text_of(root["shrunk_from"], "shrunk_from");
  }
  witness.claim = text_of(root["claim"], "claim");
  witness.found = found_of(root["found"]);
  return witness;
}

namespace {

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

}  // namespace

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

namespace {

OrderedJson json_of(const Form& form) {
  if (form.below.empty()) return json_of(form.above);
  return {{"above", json_of(form.above)}, {"below", json_of(form.below)}};
}

OrderedJson json_of(const std::vector<std::pair<std::string, Form>>& forms) {
  OrderedJson object = OrderedJson::object();
  for (const auto& [name, form] : forms) object[name] = json_of(form);
  return object;
}

OrderedJson json_of(const FormFamily& family) {
  OrderedJson tokens = OrderedJson::array();
  for (const FormFamily::Tokens& run : family.tokens)
    tokens.push_back({{"count", json_of(run.count)}, {"selected", run.selected ? 1 : 0}, {"rows", json_of(run.rows)}});
  return {{"name", family.name},
          {"given", family.given},
          {"constant", family.constant},
          {"says", family.says},
          {"first", family.first},
          {"tokens", std::move(tokens)},
          {"numbers", json_of(family.numbers)},
          {"value", json_of(family.value)}};
}

}  // namespace

std::string to_json(const Witness& witness) {
  OrderedJson root;
  root["format"] = witness.instance ? format_name : families_format;
  root["claim"] = witness.claim;
  if (witness.instance) {
    root["relation"] = witness.relation;
    root["instance"] = json_of(*witness.instance);
  } else {
    root["text"] = witness.text;
    root["families"] = OrderedJson::array();
    for (const FormFamily& family : witness.families) root["families"].push_back(json_of(family));
  }
  root["found"] = {{"seed", witness.found.seed}, {"replay", witness.found.replay}, {"commit", witness.found.commit}};
  if (witness.instance) root["shrunk_from"] = witness.shrunk_from;
  return layout(root);
}

Result<Witness> witness_from_json(const std::string& text, const std::string& where) {
  try {
    return witness_from(parsed(text, exact_file));
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
