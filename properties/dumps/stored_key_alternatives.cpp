// What a kernel gets wrong of keys and values that are a scale times what is stored, or of eight bits.
#include <functional>

#include "properties/dumps/alternatives.hpp"
#include "src/core/float8.hpp"

namespace attncert {
namespace {

// The number that the kernel has in place of scale times stored.
using Read = std::function<double(double stored, double scale)>;

void read_again(std::vector<double>& numbers, double scale, const Read& read) {
  for (double& number : numbers) number = read(number / scale, scale);  // the quotient is exact: so was the product
}

Alternative read_otherwise(
    std::string name, bool keys, bool values, const std::string& where_there_is,
    std::function<Read(const AttentionDump& dump, const std::string& scale, std::size_t head)> as) {
  return {std::move(name), [=](const AttentionDump& dump, const Place& place, EditedRow& edited) {
            if (!where_there_is.empty() && !dump.has(where_there_is)) return false;
            const std::size_t head = dump.kv_head(place.head);
            KeysAndValues shared = dump.keys_and_values(place.batch, head);
            for (const auto& [scale, taken, numbers] :
                 {std::tuple{"k_scale", keys, &shared.keys}, {"v_scale", values, &shared.values}}) {
              const Read read = taken ? as(dump, scale, head) : Read();
              if (taken && !read) return false;
              if (taken) read_again(*numbers, dump.scale_of(scale, head), read);
            }
            take_keys(edited, std::move(shared));
            return true;
          }};
}

Read without_scale(const AttentionDump&, const std::string&, std::size_t) {
  return [](double stored, double) { return stored; };
}

Read next_heads_scale(const AttentionDump& dump, const std::string& scale, std::size_t head) {
  const double other = dump.scale_of(scale, (head + 1) % dump.shape().kv_heads);
  return [other](double stored, double) { return stored * other; };
}

Read other_float8(const AttentionDump& dump, const std::string& scale, std::size_t) {
  const std::string& dtype = dump.dtype(scale.substr(0, 1));
  if (!dtype.starts_with("F8")) return {};
  const Float8 own = dtype == "F8_E4M3" ? e4m3 : e5m2, other = dtype == "F8_E4M3" ? e5m2 : e4m3;
  return [own, other](double stored, double factor) { return factor * widened(other, narrowed(own, stored)); };
}

}  // namespace

std::vector<Alternative> stored_key_alternatives() {
  return {read_otherwise("k_scale is not read", true, false, "k_scale", without_scale),
          read_otherwise("v_scale is not read", false, true, "v_scale", without_scale),
          read_otherwise("k_scale is that of the next KV head", true, false, "k_scale", next_heads_scale),
          read_otherwise("v_scale is that of the next KV head", false, true, "v_scale", next_heads_scale),
          read_otherwise("k and v are read as the other type of eight bits", true, true, "", other_float8)};
}

}  // namespace attncert
