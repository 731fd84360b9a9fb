#include "properties/dumps/host/case_arguments.hpp"

#include "src/core/number_in.hpp"
#include "src/core/position.hpp"

namespace attncert {

void read_case(const CaseFileView& file, const Placement& placement, const StoreTensor& store,
               attncert_attention_arguments& a, attncert_attention_gradients& g, std::vector<std::size_t>& lengths) {
  const auto stored = [&](const std::string& name) {
    const Tensor* const tensor = file.find(name);
    return tensor == nullptr ? nullptr : store(name, *tensor);
  };
  const auto rows = [&](const std::string& name) -> attncert_tensor {  // an axis of extent 1 serves all
    void* const data = stored(name);
    if (data == nullptr) return {};
    const TensorLayout to = TensorLayout::of(file.find(name)->shape, placement);
    return {data, to.batches == 1 ? 0 : to.batch_stride(), to.heads == 1 ? 0 : to.head_stride(),
            to.rows == 1 ? 0 : to.row_stride()};
  };
  const auto setting = [&](const std::string& name, float otherwise) {
    const auto found = file.settings.find(name);
    return found == file.settings.end() ? otherwise : number_in<float>(found->second).value_or(otherwise);
  };
  const auto &q = file.find("q")->shape, &k = file.find("k")->shape, &v = file.find("v")->shape;
  a.size = sizeof a;
  a.batches = q[0], a.heads = q[1], a.queries = q[2], a.head_size = q[3];
  a.kv_heads = k[1], a.keys = k[2], a.value_size = v[3];
  a.q = rows("q"), a.bias = rows("bias"), a.mask = rows("mask");
  a.sinks = static_cast<const float*>(stored("sinks")), a.slopes = static_cast<const float*>(stored("slopes"));
  a.k_scale = static_cast<const float*>(stored("k_scale")), a.v_scale = static_cast<const float*>(stored("v_scale"));
  if (const auto* counts = static_cast<const float*>(stored("lengths"))) {
    lengths.assign(counts, counts + a.batches);
    a.lengths = lengths.data();
  }
  a.scale = setting("scale", 1), a.softcap = setting("softcap", 0);
  a.window = static_cast<std::size_t>(setting("window", 0));
  a.window_after = static_cast<std::size_t>(setting("window-after", 0));
  const auto causal = file.settings.find("causal");
  a.flags = causal != file.settings.end() ? ATTNCERT_CAUSAL : 0;
  a.causal_offset = causal != file.settings.end() && causal->second == "top-left"
                        ? 0
                        : static_cast<std::int64_t>(a.keys) - static_cast<std::int64_t>(a.queries);
  g.size = sizeof g;
  g.d_o = rows("do");
  a.k = rows("k"), a.v = rows("v");
}

std::string_view stored_as(attncert_dtype dtype) {
  if (dtype == ATTNCERT_F32) return "F32";
  if (dtype == ATTNCERT_F16) return "F16";
  if (dtype == ATTNCERT_BF16) return "BF16";
  if (dtype == ATTNCERT_E4M3) return "F8_E4M3";
  return dtype == ATTNCERT_E5M2 ? "F8_E5M2" : "";
}

bool in_reach(const attncert_attention_arguments& arguments, std::size_t batch, std::size_t query, std::size_t key,
              std::int64_t causal_offset, std::size_t window) {
  const auto at = static_cast<std::int64_t>(key);
  if (arguments.lengths != nullptr && key >= arguments.lengths[batch]) return false;
  if ((arguments.flags & ATTNCERT_CAUSAL) != 0 && at > position(query, causal_offset, 0)) return false;
  const std::size_t after = arguments.window_after;
  if (after != 0 && at >= position(query, raised(causal_offset, after), 0)) return false;
  return window == 0 || at > position(query, causal_offset, window);
}

}  // namespace attncert
