// Writes what the proofs take from attncert's own files, as Coq text:
//   attncert_proof_inputs witnesses    the instances of properties/claims/witnesses, which the refutations speak of
//   attncert_proof_inputs values       instances with the enclosures that attncert has of both sides of a claim
//   attncert_proof_inputs reduction    ln2 as the f32 kernels split it at T = 1, head and tail
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proofs/coq_text.hpp"
#include "proofs/values.hpp"
#include "src/core/rational.hpp"
#include "src/core/witness.hpp"
#include "src/normalizers/scale.hpp"

namespace attncert {
namespace {

constexpr const char* head =
    "(* Written by attncert_proof_inputs (docs/proofs.md); not edited by hand. *)\n"
    "From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.\n"
    "From Attncert Require Import definitions.\n"
    "Local Open Scope R_scope.\n";

void define(const std::string& name, const std::string& type, const std::string& value) {
  std::cout << "Definition " << name << " : " << type << " := " << value << ".\n";
}

void define_row(const std::string& name, std::size_t length, const Runs<Rational>& runs) {
  if (!runs.empty()) define(name, "'I_" + std::to_string(length) + " -> R", "row " + coq_numbers(expanded(runs)));
}

void write_instance(const std::string& name, const ExactInstance& instance) {
  const std::string tokens = "'I_" + std::to_string(instance.length);
  if (instance.temperature) define(name + "_temperature", "R", to_text(*instance.temperature));
  define_row(name + "_logits", instance.length, instance.logits);
  define_row(name + "_weights", instance.length, instance.weights);
  define_row(name + "_F", instance.length, instance.F);
  define_row(name + "_slopes", instance.length, instance.dF);
  if (!instance.tokens.empty()) {
    std::vector<std::string> rows;
    for (const std::vector<Rational>& token : expanded(instance.tokens)) rows.push_back(coq_numbers(token));
    define(name + "_tokens", tokens + " -> 'I_" + std::to_string(instance.dimension) + " -> R",
           "rows " + coq_list(rows));
  }
  if (!instance.selected.empty()) {
    std::vector<std::string> places;
    for (const std::size_t i : instance.selected) places.push_back(std::to_string(i) + "%nat");
    define(name + "_selected", "{set " + tokens + "}", "chosen " + coq_list(places));
  }
}

// In the order of their names. False where a file cannot be read.
bool write_witnesses() {
  std::set<std::filesystem::path> files;
  const std::filesystem::path store = std::filesystem::path(ATTNCERT_SOURCE_DIR) / "properties/claims/witnesses";
  for (const auto& folder : std::filesystem::directory_iterator(store)) files.insert(folder.path() / "witness.json");
  std::cout << head;
  for (const std::filesystem::path& file : files) {
    const Result<Witness> witness = read_witness(file);
    if (!witness) {
      std::cerr << witness.error().message << '\n';
      return false;
    }
    if (!witness->instance) continue;  // along a family
    std::cout << "\n(* " << witness->claim << " *)\n";
    write_instance(coq_name(witness->claim), *witness->instance);
  }
  return true;
}

int write_reduction() {
  const Scale<float> scale = make_scale<float>(1, FormatLimits<float>::temperature_limit);
  return std::printf("%a %a\n", static_cast<double>(scale.head), static_cast<double>(scale.tail)) > 0 ? 0 : 2;
}

}  // namespace
}  // namespace attncert

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "witnesses") return attncert::write_witnesses() ? 0 : 2;
  if (argc == 2 && std::string_view(argv[1]) == "reduction") return attncert::write_reduction();
  if (argc == 2 && std::string_view(argv[1]) == "values") return attncert::write_values() ? 0 : 2;
  std::cerr << "attncert_proof_inputs: say what to write: witnesses, values or reduction\n";
  return 2;
}
