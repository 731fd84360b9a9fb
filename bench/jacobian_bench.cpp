// softmax_jacobian of one row against LAPACK's dsyevd (OpenBLAS, eigenvalues only, one thread) of the dense Jacobian,
// for spectra of every kind at L = 1024; then its time against L with the fitted exponent, and the separable norm
// beside it.
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bench/rounds.hpp"
#include "src/bounds/jacobian.hpp"
#include "src/bounds/operator_norm.hpp"
#include "src/bounds/secular.hpp"

extern "C" {
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
             const int* lwork, int* iwork, const int* liwork, int* info);
void openblas_set_num_threads(int threads);
}

namespace attncert::bench {
namespace {

using Row = std::vector<double>;

struct Spectrum {
  const char* name;
  std::function<double(std::size_t, double)> weight;  // of token i, given a number from N(0, 1)
};

// Usual spectra and degenerate ones: every one is to take about as long.
const std::vector<Spectrum> spectra{
    {"sigma 3", [](std::size_t, double z) { return std::exp(3 * z); }},
    {"sigma 1", [](std::size_t, double z) { return std::exp(z); }},
    {"sigma 0.01", [](std::size_t, double z) { return std::exp(0.01 * z); }},
    {"flat", [](std::size_t, double) { return 1.0; }},
    {"one-hot", [](std::size_t i, double) { return i == 7 ? 1.0 : 0.0; }},
    {"nearly one-hot", [](std::size_t i, double z) { return i == 7 ? 1.0 : 1e-12 * std::exp(z); }},
    {"tied top", [](std::size_t i, double z) { return i < 2 ? 1.0 : std::exp(z - 6); }},
    {"geometric", [](std::size_t i, double) { return std::ldexp(1.0, -static_cast<int>(i)); }},
    {"p2 = p1 (1 - 2^-40)",
     [](std::size_t i, double z) { return i == 0   ? 1
                                          : i == 1 ? 1 - 0x1p-40
                                                   : std::exp(z - 6); }},
};

Row row_of(const Spectrum& spectrum, std::size_t length) {
  std::mt19937_64 random(42);
  std::normal_distribution<double> normal;
  Row row(length);
  for (std::size_t i = 0; i < length; ++i) row[i] = spectrum.weight(i, normal(random));
  return row;
}

// The largest eigenvalue of the dense diag p - p p^T; the matrix is made anew, for dsyevd overwrites it (1% of its
// time).
class Dense {
 public:
  explicit Dense(const Row& weights) : p_(weights), matrix_(p_.size() * p_.size()), values_(p_.size()) {
    double sum = 0;
    for (const double w : p_) sum += w;
    for (double& w : p_) w /= sum;
    int info = 0, ask = -1, integers = 0;
    double doubles = 0;
    const int n = static_cast<int>(p_.size());
    dsyevd_("N", "U", &n, matrix_.data(), &n, values_.data(), &doubles, &ask, &integers, &ask, &info);
    work_.resize(static_cast<std::size_t>(doubles));
    integers_.resize(static_cast<std::size_t>(integers));
  }
  double run() {
    const std::size_t length = p_.size();
    for (std::size_t i = 0; i < length; ++i)
      for (std::size_t j = 0; j < length; ++j) matrix_[i * length + j] = (i == j ? p_[i] : 0) - p_[i] * p_[j];
    const int n = static_cast<int>(length), doubles = static_cast<int>(work_.size());
    const int integers = static_cast<int>(integers_.size());
    int info = 0;
    dsyevd_("N", "U", &n, matrix_.data(), &n, values_.data(), work_.data(), &doubles, integers_.data(), &integers,
            &info);
    return values_.back();
  }

 private:
  Row p_;
  std::vector<double> matrix_, values_, work_;
  std::vector<int> integers_;
};

void against_lapack() {
  constexpr std::size_t length = 1024, rounds = 3;
  constexpr double seconds = 0.01;
  std::printf("L = 1024, f64, one thread; medians of %zu interleaved rounds\n", rounds);
  std::printf("%-22s %8s %12s %12s %10s %12s %12s\n", "spectrum", "passes", "secular us", "dsyevd us", "ratio",
              "error/value", "difference");
  double worst = HUGE_VAL;
  for (const Spectrum& spectrum : spectra) {
    const Row row = row_of(spectrum, length);
    Dense dense(row);
    bounds::SoftmaxJacobian norms;
    double lapack = 0;
    const std::vector<Measured> measured =
        interleave({{"secular", [&] { norms = bounds::softmax_jacobian<double>(row, 1); }},
                    {"dsyevd", [&] { lapack = dense.run(); }}},
                   1, rounds, seconds);
    bounds::Spectrum of_row;
    bounds::spectrum_of<double>(row, of_row);
    const double ratio = median_ratio(measured[1], measured[0]), value = norms.spectral.value;
    worst = std::min(worst, ratio);
    std::printf("%-22s %8d %12.2f %12.0f %10.0f %12.2g %12.2g\n", spectrum.name, bounds::largest_root(of_row).passes,
                median(measured[0].nanoseconds) / 1e3, median(measured[1].nanoseconds) / 1e3, ratio,
                value > 0 ? norms.spectral.error / value : 0, std::abs(value - lapack));
  }
  std::printf("slowest spectrum: %.0f times faster than dsyevd; target 10000: %s\n", worst,
              worst >= 1e4 ? "held" : "MISSED");
}

void against_length() {
  std::printf("\ntime against L, sigma 3, us a row\n%8s %16s %18s\n", "L", "softmax_jacobian", "separable_jacobian");
  std::vector<double> lengths, softmax, separable;
  for (std::size_t length = 64; length <= 16384; length *= 4) {
    const Row row = row_of(spectra.front(), length);
    Row slopes(row);
    for (std::size_t i = 0; i < length; ++i) slopes[i] *= i % 2 == 0 ? 0.5 : 1;
    const std::vector<Measured> measured =
        interleave({{"softmax", [&] { bounds::softmax_jacobian<double>(row, 1); }},
                    {"separable", [&] { bounds::separable_jacobian<double>(row, slopes); }}},
                   1, 5, 0.005);
    lengths.push_back(static_cast<double>(length));
    softmax.push_back(median(measured[0].nanoseconds) / 1e3);
    separable.push_back(median(measured[1].nanoseconds) / 1e3);
    std::printf("%8zu %16.2f %18.1f\n", length, softmax.back(), separable.back());
  }
  std::printf("exponent %15.2f %18.2f\n", fitted_exponent(lengths, softmax), fitted_exponent(lengths, separable));
}

}  // namespace
}  // namespace attncert::bench

int main() {
  openblas_set_num_threads(1);
  attncert::bench::against_lapack();
  attncert::bench::against_length();
  return 0;
}
