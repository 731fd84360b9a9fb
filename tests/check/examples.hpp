// Witnesses for the tests of the checker: the public counterexamples of the paper's claims and the families, in exact
// numbers; the judge and the program run on them.
#pragma once

#include <string>
#include <vector>

#include "src/core/witness.hpp"

namespace attncert::examples {

Witness witness(const std::string& claim, const ExactInstance& instance);

ExactInstance two_halves();   // a = (3/4, 1/4), x = (1/2, 1/2), N = 1: d-tilde 1/4, printed bound 1/8, plain bound 1/4
ExactInstance antipodal();    // a = (3/4, 1/4), x = (1, -1), N = 1: N_s/N = 1, xi = 0, r = M = 1
ExactInstance orthonormal();  // x = e_1, e_2, e_3, a = (1/2, 1/4, 1/4), N = 2: both selected tokens are separable
ExactInstance tetrahedron();  // four of the cube's corners, a = (8, 8, 8, 1)/25, N = 3: splits the two readings of xi
ExactInstance kite();         // a = (7, 7, 6)/20 on the unit circle, N = 2: no selected token is separable
ExactInstance steep();        // F = (1, 1), F' = (4, 4): J = [[1, -1], [-1, 1]]
ExactInstance flat_logits();  // logits (0, 0), T = 1: p = (1/2, 1/2)

Witness families(const std::string& claim, std::vector<FormFamily> all);
Witness collapse();        // theorem1-collapse: x_i = 1, a_i = 1/L, N = L/2, L = 2 n
Witness linear();          // distance-linear-in-length: x_i = 1, a_i = 1/L, N = 5, L = n
Witness any_normalizer();  // lemma1-any-normalizer: its three families
Witness tradeoff();        // selectivity-stability-tradeoff: sparsemax of (1, 0, .., 0)
Witness sink();            // distance-linear-with-sink: x_i = 1, a_1 = 1/2, the others equal, N = 5

struct Outcome {
  int exit = -1;  // -1: it did not exit by itself
  std::vector<std::string> lines;
};
Outcome run_checker(const std::vector<std::string>& arguments);

// A folder of files that go when it goes.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string put(const std::string& text);  // the path of a new file that holds the text
  std::string put(const Witness& witness) { return put(to_json(witness)); }

 private:
  std::filesystem::path path_;
  std::size_t files_ = 0;
};

// Judged in this process: with this status, and a line that has the word in it.
void expect_verdict(const Witness& witness, int status, const std::string& word, const std::string& edit = "");

}  // namespace attncert::examples
