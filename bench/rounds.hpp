// Interleaved rounds: every subject runs once per round, and a figure is the median over rounds of its thread-CPU time
// or of its ratio to another subject in the same round. What the machine does to one it does to all.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace attncert::bench {

struct Subject {
  std::string name;
  std::function<void()> run;  // one pass over all elements
};

struct Measured {
  std::string name;
  std::vector<double> nanoseconds;  // per element, by round
};

// At least `rounds` rounds; passes are repeated within a round until it lasts `seconds`.
std::vector<Measured> interleave(const std::vector<Subject>& subjects, std::size_t elements, std::size_t rounds,
                                 double seconds);

double thread_seconds();  // processor time of this thread
double wall_seconds();

double median(std::vector<double> values);
std::vector<double> ratios_of(const Measured& numerator, const Measured& denominator);  // by round
double median_ratio(const Measured& numerator, const Measured& denominator);

// The exponent of time against L: slope of the least-squares line of log time against log L.
double fitted_exponent(const std::vector<double>& lengths, const std::vector<double>& times);

// Page-aligned floats on huge pages where the system grants them; filled with N(0, 3^2), the same everywhere.
class Floats {
 public:
  explicit Floats(std::size_t count, bool random);
  ~Floats();
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  float* data() { return data_; }

 private:
  float* data_;
};

}  // namespace attncert::bench
