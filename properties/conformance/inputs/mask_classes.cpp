// Shapes of masks, at every class of lengths, and what stands where they mask.
#include <iterator>

#include "properties/conformance/inputs/class_lists.hpp"

namespace attncert {
namespace {

using Facts = RowFacts;

bool contiguous(const Facts& f) { return f.last_kept - f.first_kept + 1 == f.kept; }
bool partly(const Facts& f) { return f.kept > 1 && f.kept < f.length; }

constexpr struct {
  const char* name;
  bool (*has)(const Facts&);
  std::size_t from = 1;
} shapes[] = {
    {"no mask", [](const Facts& f) { return f.row.mask.empty(); }},
    {"all kept", [](const Facts& f) { return !f.row.mask.empty() && f.kept == f.length; }},
    {"one kept", [](const Facts& f) { return f.kept == 1 && f.length > 1; }},
    {"the beginning kept", [](const Facts& f) { return partly(f) && contiguous(f) && f.first_kept == 0; }},
    {"the end kept", [](const Facts& f) { return partly(f) && contiguous(f) && f.last_kept == f.length - 1; }},
    {"a window kept",
     [](const Facts& f) { return partly(f) && contiguous(f) && f.first_kept > 0 && f.last_kept < f.length - 1; }},
    {"scattered", [](const Facts& f) { return partly(f) && !contiguous(f) && f.kept > f.length / 4; }},
    {"sparse", [](const Facts& f) { return partly(f) && !contiguous(f) && f.kept <= f.length / 8; }},
    {"whole vectors masked", [](const Facts& f) { return partly(f) && !contiguous(f) && f.masked_vector; },
     2 * vector_entries + 1},
    {"tail masked",
     [](const Facts& f) {
       return f.has_tail() && contiguous(f) && f.kept > 1 && f.first_kept == 0 && f.last_kept + 1 == f.tail;
     },
     vector_entries + 1},
    {"nothing but the tail kept",
     [](const Facts& f) { return f.has_tail() && f.kept > 0 && contiguous(f) && f.first_kept >= f.tail; },
     vector_entries + 1}};

constexpr struct {
  const char* name;
  std::size_t from, to;  // lengths
} lengths[] = {{"to 64", 1, 64}, {"to 1024", 65, 1024}, {"to 16384", 1025, 16384}, {"beyond", 16385, SIZE_MAX}};

}  // namespace

std::vector<InputClass> mask_classes() {
  std::vector<InputClass> list{
      {"mask", "a masked logit on top", [](const Facts& f) { return ordinary(f) && f.masked_on_top; }},
      {"mask", "NaN or infinity masked", [](const Facts& f) { return ordinary(f) && f.masked_nan; }}};
  for (const auto& shape : shapes)
    for (const auto& [text, from, to] : lengths) {
      if (to < shape.from) continue;
      list.push_back({"mask",
                      std::string(shape.name) + ", L " + text,
                      [has = shape.has, from = from, to = to](const Facts& f) {
                        return ordinary(f) && f.length >= from && f.length <= to && has(f);
                      },
                      {},
                      std::max(from, shape.from)});
    }
  return list;
}

}  // namespace attncert
