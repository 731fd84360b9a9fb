/* Right kernels whose rows are Fortran's (fortran_rows.f90). */
#include "tests/properties/conformance/external/packed_rows.h"

Row fortran_softmax, fortran_log_softmax, fortran_sparsemax;

#define KERNELS(X)                                                                \
  X(fortran_softmax_f32, "softmax", fortran_softmax, "plain+running")             \
  X(fortran_log_softmax_f32, "log-softmax", fortran_log_softmax, "plain+running") \
  X(fortran_sparsemax_f32, "sparsemax", fortran_sparsemax, "plain+running")

#include "tests/properties/conformance/exam/listed.h"
