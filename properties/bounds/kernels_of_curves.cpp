// The kernels of src/bounds for curves over N, as functions of a row: with a Gram matrix where the row says so, else from the
// vectors. Tokens stand at a stride of their own, with numbers beside them that must not be read.
#include "properties/bounds/plain.hpp"
#include "properties/bounds/subjects.hpp"

namespace attncert::bound_subject {

std::vector<Said> distance(const BoundRow& row) { return plain_distance(row); }
std::vector<Said> separability(const BoundRow& row) { return plain_separability(row); }

}  // namespace attncert::bound_subject
