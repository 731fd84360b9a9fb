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

std::vector<Reported> softmax_jacobian(const BoundRow& row) {
  return with_type(row, [&]<class T>(T) {
    const std::vector<T> weights = narrowed<T>(row.weights);
    const bounds::SoftmaxJacobian norms = bounds::softmax_jacobian<T>(weights, row.temperature, row.relative_error);
    return std::vector<Reported>{reported("spectral", 0, norms.spectral),
                                 reported("frobenius", 0, norms.frobenius),
                                 reported("entry", 0, norms.entry),
                                 reported("row sum", 0, norms.row_sum),
                                 reported("lower", 0, norms.lower),
                                 reported("upper", 0, norms.upper),
                                 reported("root bound", 0, norms.root_bound),
                                 reported("quarter", 0, norms.quarter),
                                 reported("half", 0, norms.half)};
  });
}

std::vector<Reported> operator_norm(const BoundRow& row) {
  const attncert_parameters parameters = parameters_of(row.parameters);
  return with_type(row, [&]<class T>(T) {
    const std::vector<T> weights = narrowed<T>(row.weights), slopes = narrowed<T>(row.slopes),
                         logits = narrowed<T>(row.logits);
    const bounds::OperatorNorm norm =
        row.normalizer.empty() ? bounds::separable_jacobian<T>(weights, slopes)
                               : bounds::operator_norm<T>(row.normalizer, logits, row.temperature, &parameters);
    return std::vector<Reported>{reported("spectral", 0, norm.spectral), reported("frobenius", 0, norm.frobenius)};
  });
}

std::vector<Reported> head_statistics(const BoundRow& row) {
  return with_type(row, [&]<class T>(T) {
    const std::vector<T> weights = narrowed<T>(row.weights);
    const bounds::HeadStatistics head = bounds::head_statistics<T>(weights, row.k, row.relative_error);
    return std::vector<Reported>{reported("entropy", 0, head.entropy),
                                 reported("n_eff", 0, head.n_eff),
                                 reported("participation", 0, head.participation),
                                 reported("support", 0, head.support, head.support),
                                 reported("top mass", 0, head.top_mass),
                                 reported("largest", 0, head.largest),
                                 reported("sink", 0, head.sink),
                                 reported("margin", 0, head.margin)};
  });
}

std::vector<Reported> difference_quotient(const BoundRow& row) {
  return with_type(row, [&]<class T>(T) {
    const std::vector<T> logits = narrowed<T>(row.logits);
    return std::vector<Reported>{
        reported("quotient", 0, bounds::difference_quotient<T>(logits, row.direction, row.eps, row.temperature))};
  });
}

}  // namespace attncert::bound_subject
