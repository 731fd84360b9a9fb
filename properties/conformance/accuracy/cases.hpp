// The rows of the accuracy campaign, each a name that rebuilds it ("normal:s=3:T=0.7:L=4097", "regime:17"):
// the rows of the campaign tolerances (logits N(0, 3^2) and N(0, 20^2), T in {1, 0.1, 0.7, 3}, a ladder of lengths),
// then rows of every regime at every temperature with every mask, for total behaviour, rows whose every exponential is
// about to vanish in its format ("vanishing:T=1:L=9"), rows of one peak and many equal small exponentials whose sum is
// near the peak's ("peak:T=0.7:L=65535"), rows of two with a small weight of every magnitude, for normalizers that cut
// ("edge:gap=1:k=20"), long rows without repetition for the double-double tier alone
// ("unrepeated:s=3:T=1:L=1048576"), rows that are degenerate in one way each ("degenerate:+inf:3"), and rows as wide as
// the contract ("wide:17", inputs/wide_row.hpp). Parameters and upstream gradients are added for the normalizers that
// read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/accuracy/contract.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert {

enum class Effort : std::uint8_t { quick, normal, full };

struct EffortLimits {
  std::string_view name;  // as --effort has it
  std::size_t longest;    // of the ladder
  std::size_t pool;       // rows longer than this draw their logits, with replacement, from so many
  std::size_t sample;     // about so many entries of a row are judged, the suspicious ones among them
  std::uint64_t regime_rows;
  std::size_t longest_unrepeated;  // of the rows that the double-double tier judges alone
  std::size_t longest_wide;        // power of two that the lengths of wide rows go up to, and around
  std::uint64_t wide_passes;       // how often they go through all lengths
  std::uint64_t bound_rows;        // of each bound
  // Cases of each law that are not vacuous. One costs all kernels together about a second of processor time, of which
  // quick effort takes 45 for everything. ctest tries each law on 300 tapes besides
  // (tests/properties/conformance/laws/laws_test.cpp).
  std::uint64_t law_cases;
  std::uint64_t searched;         // executions that look for what is wrong with each kernel of an external library
  std::uint64_t degenerate_rows;  // of each choice of a contract
};
// The one table of the efforts, in the order of Effort.
inline constexpr EffortLimits efforts[] = {
    {"quick", 1025, 0, 64, 100, 0, 1024, 1, 40, 3, 1000, 8},
    {"normal", 262147, 4096, 128, 300, 65536, 131072, 1, 150, 10, 10'000, 24},
    {"full", 1048576, 4096, 512, 1500, 1048576, 131072, 4, 1500, 10, 100'000, 100}};
inline const EffortLimits& limits(Effort effort) { return efforts[static_cast<std::size_t>(effort)]; }
std::optional<Effort> effort_named(std::string_view name);

struct AccuracyCase {
  std::string name;
  enum class Source : std::uint8_t {
    normal,
    vanishing,
    peak,
    edge,
    regime,
    long_unrepeated,
    degenerate,
    wide,
    drawn
  } source;
  double spread = 0;         // normal, long_unrepeated; edge: the gap
  double temperature = 0;    // these, vanishing and peak
  std::size_t length = 0;    // all but regime and drawn
  std::uint64_t number = 0;  // its place in the list; degenerate: among the rows of its situation; edge: k
  Situation situation{};     // degenerate
};
std::vector<AccuracyCase> accuracy_cases(Effort effort);
// False for the longest of the double-double tier's rows at the temperatures that not every kernel needs them at.
bool runs_at_every_length(const AccuracyCase& which);
// The case of that name, whether or not the effort has it in its list ("regime:5628"); empty when there is none.
std::vector<AccuracyCase> accuracy_case(Effort effort, std::string_view name);

// Logits, temperature and mask, the same for every normalizer; then the rest.
LogitRow case_row(const AccuracyCase& which, std::uint64_t seed, Effort effort, attncert_dtype dtype);
// Doubles that rows may take at a time: 512 MiB, a dozen of the longest, so that threads end about together.
inline constexpr std::size_t elements_in_memory = std::size_t{1} << 26;

// The same for several threads and campaigns of one seed and effort, each row drawn once while there is room: a million
// random logits take longer than a kernel.
class SharedRows {
 public:
  LogitRow row(const AccuracyCase& which, std::uint64_t seed, Effort effort, attncert_dtype dtype);

 private:
  struct Entry {
    std::once_flag drawn;
    LogitRow row;
  };
  std::shared_ptr<Entry> entry_of(const AccuracyCase& which, attncert_dtype dtype);

  std::mutex mutex_;
  std::size_t elements_ = 0;
  std::map<std::pair<std::string, attncert_dtype>, std::shared_ptr<Entry>> entries_;
};
void add_parameters(LogitRow& row, const AccuracyCase& which, std::uint64_t seed, attncert_dtype dtype,
                    const Normalizer& normalizer);

}  // namespace attncert
