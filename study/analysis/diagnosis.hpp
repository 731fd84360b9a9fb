// The paper's design guidelines as a tool: what is the matter with each head, by stated criteria, what would change it,
// and by how much. Means over windows at the longest planned row unless said otherwise.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/analysis/measured_rows.hpp"
#include "study/attention_lines.hpp"

namespace attncert::report {

enum class Flag { saturated, broad, sink, stiff, no_scale };
inline constexpr std::array<Flag, 5> flags = {Flag::saturated, Flag::broad, Flag::sink, Flag::stiff, Flag::no_scale};

struct HeadDiagnosis;
struct Criterion {
  const char* name;
  const char* meaning;      // in one short sentence
  const char* text;         // with the threshold in words
  const char* source;       // of the threshold
  double threshold, worst;  // raised beyond the threshold, towards `worst`, the value that cannot be passed
  double (*value)(const HeadDiagnosis& head);  // what is judged; NaN where it was not measured or does not apply
};
const Criterion& criterion(Flag flag);

struct Alternative {  // means over windows
  std::string normalizer;
  double parameter = 0, share = 0, support = 0, n_eff = 0, spectral = 0, N = 0;
  // With one token, and where all that has weight is selected, N_s / N is large whatever the tokens are.
  bool share_tells() const { return N >= 2 && support > N; }
};

struct Remedy {
  std::string words;                       // empty where nothing measured helps
  std::optional<Alternative> alternative;  // where it is another normalizer
};

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct HeadDiagnosis {
  std::size_t layer = 0, head = 0, length = 0;
  std::string normalizer = "softmax";  // of the pass
  std::uint64_t rows = 0;
  double entropy = unknown, n_eff = unknown, sink = unknown, top5 = unknown;
  double growth = unknown;  // exponent of n_eff against L
  std::size_t N = 0;        // nearest to n_eff, at which `share` is N_s / N (block input, unit)
  double share = unknown;
  double temperature = unknown, quarter = unknown;  // T of the pass; 1 / (4T), of softmax only
  double norm = unknown, mean_norm = unknown;       // the Jacobian's spectral norm at that T: the largest, the mean
  double stable_temperature = unknown;        // the smallest T of the list at which no longest row's norm exceeds 1
  std::optional<Alternative> now, suggested;  // the pass's own normalizer, and the one that the suggestion names
  // By flag: how much of the way from the criterion's threshold to its worst value the head has gone, 0 (not raised) to
  // 1.
  std::array<double, 5> severities{};
  double severity = 0;             // their sum
  std::array<Remedy, 5> remedies;  // by flag; no raised flag gets worse by it
  std::string suggestion;

  bool raised(Flag flag) const { return severities[static_cast<std::size_t>(flag)] > 0; }
  const char* name_of(Flag flag) const;  // "indistinct" for saturated below 70%
  std::string raised_flags() const;      // "saturated, broad", or "none"
  double value(Flag flag) const { return criterion(flag).value(*this); }
};

class Diagnosis {
 public:
  explicit Diagnosis(std::string normalizer = "softmax") : normalizer_(std::move(normalizer)) {}  // of the pass
  void add(const HeadLine& line);
  void add(const SelectionLine& line);
  void add(const JacobianLine& line);
  void add(const AlternativeLine& line);

  std::vector<HeadDiagnosis> heads() const;  // largest severity first, then by layer and head

 private:
  struct Mean {
    double sum = 0;
    std::uint64_t count = 0;
    void add(double value) { sum += value, ++count; }
    double value() const { return count == 0 ? unknown : sum / static_cast<double>(count); }
  };
  struct Sums {  // of one head
    LongestQuery longest;
    Mean entropy, sink, top5;
    std::map<std::size_t, Mean> n_eff;  // by L
    LongestQuery longest_selection;
    std::map<std::size_t, Mean> shares;  // by N
    LongestQuery longest_norms;
    double temperature = unknown, quarter = unknown;  // of the pass
    struct Norm {
      Mean mean;
      double largest = 0;
    };
    std::map<double, Norm> norms;  // by T
    struct Through {
      Mean parameter, share, support, n_eff, spectral, N;
    };
    std::map<std::string, Through> alternatives;
  };
  static HeadDiagnosis of(const HeadKey& key, const Sums& sums);
  static std::vector<Alternative> alternatives(const Sums& sums);

  std::string normalizer_;
  std::map<HeadKey, Sums> heads_;
};

// What the numbers of one head come to: flags raised, severity, one suggestion. `alternatives` has head.normalizer too;
// `norms` are means by T at the longest row.
void judge(const std::vector<Alternative>& alternatives, const std::map<double, double>& norms, HeadDiagnosis& head);

struct DiagnosisLine {  // diagnosis.csv
  static constexpr const char* table = "diagnosis";
  HeadDiagnosis head;
  std::string flags, normalizer;

  explicit DiagnosisLine(HeadDiagnosis one);
  DiagnosisLine() = default;

  template <class Self, class Column>
  static void columns(Self& line, Column column) {
    auto& head = line.head;
    column("layer", head.layer, "block, from 0");
    column("head", head.head, "head of the block, from 0");
    column("severity", head.severity, "sum over the flags of the way from threshold to worst value");
    column("flags", line.flags, "those raised, with semicolons between");
    column("L", head.length, "keys of the longest row");
    column("rows", head.rows, "longest rows, one a window");
    column("entropy", head.entropy, "mean, in nats");
    column("n_eff", head.n_eff, "mean of exp(entropy)");
    column("growth", head.growth, "exponent of mean n_eff against L");
    column("sink", head.sink, "mean weight of token 0");
    column("top5", head.top5, "mean mass of the five largest weights");
    column("N", head.N, "the measured N nearest to n_eff");
    column("share", head.share, "mean N_s / N there, at most; block input, unit");
    column("mean_norm", head.mean_norm, "mean spectral norm of the Jacobian at the pass's own T");
    column("largest_norm", head.norm, "the largest of them");
    column("stable_T", head.stable_temperature, "smallest T of the list with no norm above 1; nan: none");
    column("normalizer", line.normalizer, "the one suggested, - if none is");
    column("suggestion", head.suggestion, "what to do, in words");
  }
};

}  // namespace attncert::report
