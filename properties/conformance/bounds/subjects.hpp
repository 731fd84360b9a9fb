// The parts of the subjects: rows and truths per family of bounds, and the kernels of src/bounds as functions of a row.
#pragma once

#include "properties/conformance/bounds/subject.hpp"

namespace attncert::bound_subject {

BoundRow distance_row(std::uint64_t seed, std::uint64_t number, attncert_dtype dtype, RowSize size);
BoundRow jacobian_row(std::uint64_t seed, std::uint64_t number, attncert_dtype dtype, RowSize size);
BoundRow operator_row(std::uint64_t seed, std::uint64_t number, attncert_dtype dtype, RowSize size);
BoundRow head_row(std::uint64_t seed, std::uint64_t number, attncert_dtype dtype, RowSize size);
BoundRow quotient_row(std::uint64_t seed, std::uint64_t number, attncert_dtype dtype, RowSize size);

std::vector<Enclosed> distance_truth(const BoundRow& row, Precision precision);
std::vector<Enclosed> separability_truth(const BoundRow& row, Precision precision);
std::vector<Enclosed> jacobian_truth(const BoundRow& row, Precision precision);
std::vector<Enclosed> operator_truth(const BoundRow& row, Precision precision);
std::vector<Enclosed> head_truth(const BoundRow& row, Precision precision);
std::vector<Enclosed> quotient_truth(const BoundRow& row, Precision precision);

std::vector<Said> distance(const BoundRow& row);
std::vector<Said> separability(const BoundRow& row);
std::vector<Said> softmax_jacobian(const BoundRow& row);
std::vector<Said> operator_norm(const BoundRow& row);
std::vector<Said> head_statistics(const BoundRow& row);
std::vector<Said> difference_quotient(const BoundRow& row);

// Of outputs of distance and separability.
UsefulBar curve_bar(std::string_view output, const BoundRow& row);

// N at which xi_i and eta_i themselves are asked for: the middle one of the points.
std::size_t radii_point(const BoundRow& row);

}  // namespace attncert::bound_subject
