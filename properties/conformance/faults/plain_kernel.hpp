// Kernels in plain arithmetic: a function in long double from one row to its outputs becomes a C descriptor of any
// type. A fault is such a function with one step wrong. The code is written to be read and not to be fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "attncert/kernel.h"
#include "reference/row.hpp"

namespace attncert::plain {

using Real = long double;  // 64 bits on x86: errors of 2^-40 of half an f32 ulp, of 2^-11 of half an f64 ulp
using Reals = std::vector<Real>;

// One row on its way through a kernel. `out` holds the absent value everywhere when the row function is called.
struct Row : LogitRow {
  Reals out;
  attncert_dtype dtype = ATTNCERT_F32;
  std::size_t number = 0, rows = 1;  // the index of the row in a batch of `rows`
  Real absent = 0;

  std::size_t length() const { return logits.size(); }
  Real z(std::size_t i) const { return static_cast<Real>(logits[i]); }
  Real g(std::size_t i) const { return static_cast<Real>(upstream[i]); }
  Real t() const { return static_cast<Real>(temperature); }
};
using RowFunction = std::function<void(Row&)>;

// f(i) at every entry i that is present, 0 elsewhere.
template <class Function>
Reals at_present(const Row& row, Function f) {
  Reals values(row.length(), 0);
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) values[i] = f(i);
  return values;
}

struct PlainKernel {
  std::string name;
  const char* normalizer;
  attncert_dtype dtype;
  RowFunction row;
  // Handles a whole call. The default refuses bad arguments and runs row after row.
  std::function<attncert_status(const attncert_arguments&, const PlainKernel&)> call;
  const char* budget = nullptr;
};

attncert_status refusal(const attncert_arguments& arguments, const PlainKernel& kernel);  // ATTNCERT_OK: none
void run_rows(const attncert_arguments& arguments, const PlainKernel& kernel);
attncert_status plain_call(const attncert_arguments& arguments, const PlainKernel& kernel);

// The descriptor lives as long as the process. A C function carries no data, so each kernel takes one of a fixed number
// of compiled entry points.
const attncert_kernel* descriptor(PlainKernel kernel);

Real narrowed(attncert_dtype dtype, Real value);  // rounded to that type, as a register of the type would

}  // namespace attncert::plain
