#include "properties/bounds/plain.hpp"
#include "properties/bounds/subjects.hpp"
namespace attncert::bound_subject {
std::vector<Said> distance(const BoundRow& row) { return plain_distance(row); }
std::vector<Said> separability(const BoundRow& row) { return plain_separability(row); }
std::vector<Said> softmax_jacobian(const BoundRow& row) { return plain_softmax_jacobian(row); }
std::vector<Said> operator_norm(const BoundRow& row) {
  return row.normalizer.empty() ? plain_operator_norm(row) : std::vector<Said>{};
}
std::vector<Said> head_statistics(const BoundRow& row) { return plain_head_statistics(row); }
std::vector<Said> difference_quotient(const BoundRow& row) { return plain_difference_quotient(row); }
}  // namespace attncert::bound_subject
