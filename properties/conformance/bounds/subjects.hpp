// The parts of the subjects: rows and truths per family of bounds, and the kernels of src/bounds as functions of a row.
#pragma once

#include "properties/conformance/bounds/subject.hpp"

namespace attncert::bound_subject {

BoundRow distance_row(Choices& choices, attncert_dtype dtype, RowSize size);
BoundRow jacobian_row(Choices& choices, attncert_dtype dtype, RowSize size);
BoundRow operator_row(Choices& choices, attncert_dtype dtype, RowSize size);
BoundRow head_row(Choices& choices, attncert_dtype dtype, RowSize size);
BoundRow quotient_row(Choices& choices, attncert_dtype dtype, RowSize size);

std::vector<Enclosure> distance_truth(const BoundRow& row, Precision precision);
std::vector<Enclosure> separability_truth(const BoundRow& row, Precision precision);
std::vector<Enclosure> jacobian_truth(const BoundRow& row, Precision precision);
std::vector<Enclosure> operator_truth(const BoundRow& row, Precision precision);
std::vector<Enclosure> head_truth(const BoundRow& row, Precision precision);
std::vector<Enclosure> quotient_truth(const BoundRow& row, Precision precision);

std::vector<Reported> distance(const BoundRow& row);
std::vector<Reported> separability(const BoundRow& row);
std::vector<Reported> softmax_jacobian(const BoundRow& row);
std::vector<Reported> operator_norm(const BoundRow& row);
std::vector<Reported> head_statistics(const BoundRow& row);
std::vector<Reported> difference_quotient(const BoundRow& row);

// Of outputs of distance and separability.
UsefulnessLimit curve_limit(std::string_view output, const BoundRow& row);

// N at which xi_i and eta_i themselves are asked for: the middle one of the points.
std::size_t radii_point(const BoundRow& row);

}  // namespace attncert::bound_subject
