#include "src/bounds/device/equations.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "src/bounds/inertia_sums.hpp"
#include "src/bounds/secular_sums.hpp"
#include "src/device/kernel_texts.hpp"

namespace attncert::bounds {
namespace {

constexpr double u = 0x1p-53;

// Rows laid out for a kernel that adds up sums over a row at one x.
class SumsAt {
 public:
  SumsAt(const device::Device& device, TileShape shape, std::string_view text, const char* kernel,
         std::size_t quantities)
      : work_(device, shape), text_(text), kernel_(kernel), quantities_(quantities) {}

  // The kernel's next arguments: one number a place, or a row, or the lengths.
  void places(const std::vector<std::span<const double>>& rows) {
    const LaidRows laid(rows);
    stride_ = laid.stride;
    bits_ = tile_bits(stride_);
    lengths_.clear();
    for (const std::span<const double> row : rows) lengths_.push_back(static_cast<std::uint32_t>(row.size()));
    rows_.emplace_back(work_.in(laid.values));
  }
  void numbers(const std::vector<double>& of_rows) { rows_.emplace_back(work_.in(of_rows)); }
  void lengths() { rows_.emplace_back(work_.in(lengths_)); }

  // Asks for the sums of all searches that are not done, until all are.
  template <class Search>
  Result<Done> solve(std::vector<Search>& searches) {
    while (work_.done()) {
      std::vector<std::uint32_t> active;
      std::vector<double> at;
      for (std::size_t r = 0; r < searches.size(); ++r)
        if (!searches[r].done()) active.push_back(static_cast<std::uint32_t>(r)), at.push_back(searches[r].at());
      if (active.empty()) break;
      const std::vector<double> sums = ask(active, at);
      for (std::size_t n = 0; work_.done() && n < active.size(); ++n)
        searches[active[n]].take(std::span(sums).subspan(n * quantities_, quantities_));
    }
    return work_.done();
  }

 private:
  std::vector<double> ask(const std::vector<std::uint32_t>& active, const std::vector<double>& at) {
    const std::size_t groups = active.size() << bits_;
    const auto answered = work_.room<double>(groups * quantities_);
    std::vector<device::Argument> arguments = rows_;
    arguments.insert(arguments.end(), {work_.in(active), work_.in(at), answered, std::uint64_t{stride_}, bits_});
    work_.launch(text_, kernel_, groups, std::move(arguments));
    const std::vector<double> found = work_.out(answered, groups * quantities_);
    std::vector<double> sums;
    for (std::size_t n = 0; n < active.size(); ++n)
      for (std::size_t q = 0; q < quantities_; ++q)
        sums.push_back(sum_of_tiles(found, n << bits_, tiles_of(lengths_[active[n]]), q, quantities_));
    return sums;
  }

  TileWork work_;
  std::string_view text_;
  const char* kernel_;
  std::size_t quantities_, stride_ = 0;
  std::uint32_t bits_ = 0;
  std::vector<std::uint32_t> lengths_;
  std::vector<device::Argument> rows_;
};

class PoleSearch {
 public:
  // A term: the difference, the quotient, a little more.
  explicit PoleSearch(const Spectrum& spectrum)
      : spectrum_(&spectrum), search_(spectrum, (additions_of(spectrum.rest.size()) + 3) * u) {
    come_near();
  }
  bool done() const { return search_.done(); }
  double at() const { return search_.at(); }
  void take(std::span<const double> sums) {
    search_.take({sums[0], sums[1]});
    come_near();
  }
  const SecularRoot& best() const { return search_.best(); }

 private:
  // The quotient of poles.cl is proved to 2^1000: with room.
  void come_near() {
    constexpr double farthest = 0x1p900;
    while (!done() && at() > farthest) search_.take(pole_sums(spectrum_->rest, at()));
  }
  const Spectrum* spectrum_;
  SecularSearch search_;
};

class InertiaSearch {
 public:
  // Terms err by 6 u, which the search counts; 4 more for second order, as on the processor.
  explicit InertiaSearch(const SeparableRow& row) : search_(row, (additions_of(row.weights().size()) + 4) * u) {}
  bool done() const { return search_.done(); }
  double at() const { return search_.at(); }
  void take(std::span<const double> s) { search_.take({s[0], s[1], s[2], s[3], s[4], s[5]}); }
  Scaled spectral() const { return search_.spectral(); }

 private:
  SeparableSearch search_;
};

// Of rows that are laid out at once.
Result<Done> add_roots(const device::Device& device, std::span<const Spectrum> spectra, TileShape shape,
                       std::vector<SecularRoot>& roots) {
  std::vector<PoleSearch> searches;
  std::vector<std::span<const double>> rests;
  for (const Spectrum& spectrum : spectra) searches.emplace_back(spectrum), rests.push_back(spectrum.rest);
  SumsAt sums(device, shape, device::poles_text, "poles", 2);
  sums.places(rests);
  sums.lengths();
  const Result<Done> done = sums.solve(searches);
  for (const PoleSearch& search : searches) roots.push_back(search.best());
  return done;
}
Result<Done> add_values(const device::Device& device, std::span<const SeparableRow> rows, TileShape shape,
                        std::vector<Scaled>& values) {
  std::vector<InertiaSearch> searches;
  std::vector<std::span<const double>> weights, squares;
  std::vector<double> shifts;
  for (const SeparableRow& row : rows) {
    searches.emplace_back(row);
    weights.push_back(row.weights()), squares.push_back(row.squared_slopes()), shifts.push_back(row.shift());
  }
  SumsAt sums(device, shape, device::inertia_text, "inertia", 6);
  sums.places(weights);
  sums.places(squares);
  sums.numbers(shifts);
  sums.lengths();
  const Result<Done> done = sums.solve(searches);
  for (const InertiaSearch& search : searches) values.push_back(search.spectral());
  return done;
}

}  // namespace

Result<std::vector<SecularRoot>> device_largest_roots(const device::Device& device, std::span<const Spectrum> spectra,
                                                      TileShape shape) {
  return in_parts<Spectrum, SecularRoot>(
      device, spectra, [](const Spectrum& spectrum) { return spectrum.rest.size(); },
      [&](auto some, auto& roots) { return add_roots(device, some, shape, roots); });
}

Result<std::vector<Scaled>> device_largest_singular_values(const device::Device& device,
                                                           std::span<const SeparableRow> rows, TileShape shape) {
  return in_parts<SeparableRow, Scaled>(
      device, rows, [](const SeparableRow& row) { return row.weights().size(); },
      [&](auto some, auto& values) { return add_values(device, some, shape, values); });
}

}  // namespace attncert::bounds
