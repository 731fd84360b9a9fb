// The kernels of src/bounds that need no tokens, as functions of a row.
#include <span>

#include "properties/conformance/accuracy/guarded_call.hpp"
#include "properties/conformance/bounds/narrowed.hpp"
#include "properties/conformance/bounds/subjects.hpp"
#include "src/bounds/finite_difference.hpp"
#include "src/bounds/head_statistics.hpp"
#include "src/bounds/jacobian.hpp"
#include "src/bounds/operator_norm.hpp"

namespace attncert::bound_subject {

std::vector<Said> softmax_jacobian(const BoundRow& row) {
  return with_type(row, [&]<class T>(T) {
    const std::vector<T> weights = narrowed<T>(row.weights);
    const bounds::SoftmaxJacobian norms = bounds::softmax_jacobian<T>(weights, row.temperature, row.relative_error);
    return std::vector<Said>{said_of("spectral", 0, norms.spectral),
                             said_of("frobenius", 0, norms.frobenius),
                             said_of("entry", 0, norms.entry),
                             said_of("row sum", 0, norms.row_sum),
                             said_of("lower", 0, norms.lower),
                             said_of("upper", 0, norms.upper),
                             said_of("root bound", 0, norms.root_bound),
                             said_of("quarter", 0, norms.quarter),
                             said_of("half", 0, norms.half)};
  });
}

std::vector<Said> operator_norm(const BoundRow& row) {
  const attncert_parameters parameters = parameters_of(row.parameters);
  return with_type(row, [&]<class T>(T) {
    const std::vector<T> weights = narrowed<T>(row.weights), slopes = narrowed<T>(row.slopes),
                         logits = narrowed<T>(row.logits);
    const bounds::OperatorNorm norm =
        row.normalizer.empty() ? bounds::separable_jacobian<T>(weights, slopes)
                               : bounds::operator_norm<T>(row.normalizer, logits, row.temperature, &parameters);
    return std::vector<Said>{said_of("spectral", 0, norm.spectral), said_of("frobenius", 0, norm.frobenius)};
  });
}

std::vector<Said> head_statistics(const BoundRow& row) {
  return with_type(row, [&]<class T>(T) {
    const std::vector<T> weights = narrowed<T>(row.weights);
    const bounds::HeadStatistics head = bounds::head_statistics<T>(weights, row.k, row.relative_error);
    return std::vector<Said>{said_of("entropy", 0, head.entropy),
                             said_of("n_eff", 0, head.n_eff),
                             said_of("participation", 0, head.participation),
                             said_of("support", 0, head.support, head.support),
                             said_of("top mass", 0, head.top_mass),
                             said_of("largest", 0, head.largest),
                             said_of("sink", 0, head.sink),
                             said_of("margin", 0, head.margin)};
  });
}

std::vector<Said> difference_quotient(const BoundRow& row) {
  return with_type(row, [&]<class T>(T) {
    const std::vector<T> logits = narrowed<T>(row.logits);
    return std::vector<Said>{
        said_of("quotient", 0, bounds::difference_quotient<T>(logits, row.direction, row.eps, row.temperature))};
  });
}

}  // namespace attncert::bound_subject
