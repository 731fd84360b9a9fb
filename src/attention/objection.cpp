#include "src/attention/objection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "src/core/position.hpp"

namespace attncert {
namespace {

struct Extents {
  std::size_t batches, heads, rows, entries;
};

// A written tensor has entries of its own for each row: an axis steps over all that the axes of smaller steps reach.
// What is read may be seen by several rows.
bool overlaps(const attncert_tensor& t, const Extents& of) {
  struct Axis {
    std::size_t stride, extent;
  };
  std::array axes{Axis{t.batch_stride, of.batches}, Axis{t.head_stride, of.heads}, Axis{t.row_stride, of.rows}};
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  std::size_t reached = of.entries;
  for (const auto& [stride, extent] : axes) {
    if (extent == 1) continue;  // its stride is not read
    if (stride < reached) return true;
    if (stride > (std::numeric_limits<std::size_t>::max() - reached) / (extent - 1)) return true;  // beyond all memory
    reached += (extent - 1) * stride;
  }
  return false;
}

std::string_view of_extents(const attncert_attention_arguments& a) {
  for (const auto& [name, extent] :
       {std::pair("batches", a.batches), std::pair("heads", a.heads), std::pair("kv_heads", a.kv_heads),
        std::pair("queries", a.queries), std::pair("keys", a.keys), std::pair("head_size", a.head_size),
        std::pair("value_size", a.value_size)})
    if (extent == 0) return name;
  return a.heads % a.kv_heads == 0 ? "" : "kv_heads";
}

std::string_view of_numbers(const attncert_attention_arguments& a) {
  if (!std::isfinite(a.scale) || a.scale == 0) return "scale";
  if (!(a.softcap >= 0) || !std::isfinite(a.softcap)) return "softcap";
  // Diagonals farther away are on the same side of all keys, but slopes take the distance itself.
  const bool far = a.causal_offset < -farthest_offset || a.causal_offset > farthest_offset;
  if (a.slopes != nullptr && far) return "causal_offset";
  for (std::size_t h = 0; h < a.heads; ++h) {
    if (a.sinks != nullptr && !(a.sinks[h] < INFINITY)) return "sinks";
    if (a.slopes != nullptr && !std::isfinite(a.slopes[h])) return "slopes";
  }
  for (const auto& [name, scales] : {std::pair("k_scale", a.k_scale), std::pair("v_scale", a.v_scale)})
    for (std::size_t h = 0; scales != nullptr && h < a.kv_heads; ++h)
      if (!(scales[h] > 0) || !std::isfinite(scales[h])) return name;
  for (std::size_t b = 0; a.lengths != nullptr && b < a.batches; ++b)
    if (a.lengths[b] > a.keys) return "lengths";
  return "";
}

}  // namespace

std::string_view objection(const attncert_attention_arguments& a) {
  if (a.size < sizeof a) return "size";
  if ((a.flags & ~ATTNCERT_CAUSAL) != 0) return "flags";
  if (const std::string_view name = of_extents(a); !name.empty()) return name;
  for (const auto& [name, tensor] :
       {std::pair("q", a.q), std::pair("k", a.k), std::pair("v", a.v), std::pair("o", a.o)})
    if (tensor.data == nullptr) return name;
  if (overlaps(a.o, {a.batches, a.heads, a.queries, a.value_size})) return "o";
  return of_numbers(a);
}

std::string_view objection(const attncert_attention_arguments& a, const attncert_attention_gradients& g) {
  if (const std::string_view name = objection(a); !name.empty()) return name;
  if (a.lse == nullptr) return "lse";
  if (g.size < sizeof g) return "size";
  for (const auto& [name, tensor] :
       {std::pair("d_o", g.d_o), std::pair("dq", g.dq), std::pair("dk", g.dk), std::pair("dv", g.dv)})
    if (tensor.data == nullptr) return name;
  if (overlaps(g.dq, {a.batches, a.heads, a.queries, a.head_size})) return "dq";
  if (overlaps(g.dk, {a.batches, a.kv_heads, a.keys, a.head_size})) return "dk";
  return overlaps(g.dv, {a.batches, a.kv_heads, a.keys, a.value_size}) ? "dv" : "";
}

}  // namespace attncert
