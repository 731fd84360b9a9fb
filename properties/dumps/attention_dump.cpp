#include "properties/dumps/attention_dump.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "src/files/quoted_name.hpp"

namespace attncert {
namespace {

// Which axes a tensor has, the last ones first where it has fewer.
enum class Axes { rows, keys, per_row, pairs, per_head, per_kv_head, per_batch };

struct Known {
  std::string_view name;
  Axes axes;
  bool required;
};

constexpr std::array known{Known{"q", Axes::rows, true},
                           Known{"k", Axes::keys, true},
                           Known{"v", Axes::keys, true},
                           Known{"o", Axes::rows, true},
                           Known{"lse", Axes::per_row, false},
                           Known{"mask", Axes::pairs, false},
                           Known{"bias", Axes::pairs, false},
                           Known{"sinks", Axes::per_head, false},
                           Known{"slopes", Axes::per_head, false},
                           Known{"lengths", Axes::per_batch, false},
                           Known{"do", Axes::rows, false},
                           Known{"dq", Axes::rows, false},
                           Known{"dk", Axes::keys, false},
                           Known{"dv", Axes::keys, false},
                           Known{"dsinks", Axes::per_head, false},
                           Known{"k_scale", Axes::per_kv_head, false},
                           Known{"v_scale", Axes::per_kv_head, false}};

const Known* known_as(const std::string& name) {
  const auto found = std::find_if(known.begin(), known.end(), [&](const Known& k) { return k.name == name; });
  return found == known.end() ? nullptr : &*found;
}

// How many axes a tensor may have, and which of the four a tensor's first to last one is when it has `rank` of them.
struct Places {
  std::size_t least, most;
  std::vector<std::size_t> (*of)(std::size_t rank, bool heads_first);
};

std::vector<std::size_t> last_of(std::vector<std::size_t> all, std::size_t rank) {
  return {all.end() - static_cast<std::ptrdiff_t>(rank), all.end()};
}

Places places_of(Axes axes) {
  switch (axes) {
    case Axes::rows:
    case Axes::keys:
      return {2, 4, [](std::size_t rank, bool heads_first) {
                if (rank == 2) return std::vector<std::size_t>{2, 3};
                return last_of(
                    heads_first ? std::vector<std::size_t>{0, 1, 2, 3} : std::vector<std::size_t>{0, 2, 1, 3}, rank);
              }};
    case Axes::per_row:
      return {1, 4, [](std::size_t rank, bool) {  // of four, the last is 1
                return rank == 4 ? std::vector<std::size_t>{0, 1, 2, 3} : last_of({0, 1, 2}, rank);
              }};
    case Axes::pairs:
      return {1, 4, [](std::size_t rank, bool) { return last_of({0, 1, 2, 3}, rank); }};
    case Axes::per_head:
    case Axes::per_kv_head:
      return {1, 1, [](std::size_t, bool) { return std::vector<std::size_t>{1}; }};
    case Axes::per_batch:
      break;
  }
  return {1, 1, [](std::size_t, bool) { return std::vector<std::size_t>{0}; }};
}

}  // namespace

Result<AttentionDump> AttentionDump::open(const std::filesystem::path& file,
                                          const std::map<std::string, std::string>& options,
                                          const std::optional<std::filesystem::path>& outputs) {
  auto tensors = TensorFile::open(file);
  if (!tensors) return tensors.error();
  return open(std::move(*tensors), options, outputs);
}

Result<AttentionDump> AttentionDump::open(TensorFile file, const std::map<std::string, std::string>& options,
                                          const std::optional<std::filesystem::path>& outputs) {
  if (outputs) {
    auto computed = TensorFile::open(*outputs);
    if (!computed) return computed.error();
    return open(std::move(file), options, std::move(*computed));
  }
  AttentionDump dump(std::move(file));
  if (const auto done = dump.read(options); !done) return done.error();
  return dump;
}

Result<AttentionDump> AttentionDump::open(TensorFile file, const std::map<std::string, std::string>& options,
                                          TensorFile outputs) {
  AttentionDump dump(std::move(file));
  dump.files_.push_back(std::move(outputs));
  if (const auto done = dump.read(options); !done) return done.error();
  return dump;
}

Error AttentionDump::wrong(const std::string& name, const std::string& what) const {
  const bool apart = files_.size() > 1 && files_[1].find(name) != nullptr;
  return Error{fmt::format("{}: tensor {} {}", files_[apart ? 1 : 0].where(), quoted_name(name), what)};
}

Result<Done> AttentionDump::read(const std::map<std::string, std::string>& options) {
  const std::string& where = files_[0].where();
  auto texts = files_[0].settings();
  for (const auto& [name, text] : options) texts.insert_or_assign(name, text);
  const auto settings = settings_of(dump_settings(), texts, where);
  if (!settings) return settings.error();
  settings_ = *settings;
  for (const TensorFile& file : files_)
    for (const auto& [name, tensor] : file.tensors()) {
      if (is_setting(dump_settings(), name, tensor)) continue;
      if (has(name)) return wrong(name, "is in both files; only one of them may have it");
      if (const auto done = view(name, tensor, file.where()); !done) return done;
    }
  for (const Known& tensor : known)
    if (tensor.required && !has(std::string(tensor.name)))
      return Error{fmt::format("{}: tensor {} is missing; a dump of attention has q, k, v and o",
                               files_[tensor.name == "o" ? files_.size() - 1 : 0].where(),
                               quoted_name(std::string(tensor.name)))};
  if (has_gradients() && !has("do"))
    return wrong("do", "is missing; dq, dk, dv and dsinks are gradients by that of o, do");
  if (has("do") && !has_gradients() && files_.size() == 1)
    return wrong("do", "is there, and none of dq, dk, dv and dsinks; leave it out");
  if (has("dsinks") && !has("sinks")) return wrong("dsinks", "is the gradient of sinks, which are missing");
  if (const auto done = check_types(); !done) return done;
  return measure();
}

Result<Done> AttentionDump::view(const std::string& name, const Tensor& tensor, const std::string& where) {
  const Known* const kind = known_as(name);
  if (kind == nullptr) {
    std::vector<std::string_view> names;
    for (const Known& k : known) names.push_back(k.name);
    return wrong(name, fmt::format("is none of {}; rename it, or leave it out", fmt::join(names, ", ")));
  }
  const auto numbers = StoredNumbers::of(tensor, name, where);
  if (!numbers) return numbers.error();
  if (name == "mask" && (tensor.dtype[0] == 'F' || tensor.dtype[0] == 'B') && tensor.dtype != "BOOL")
    return wrong(name, fmt::format("is {}; a mask is BOOL or U8, not 0 where a key is kept; one that is added to the "
                                   "scores is called bias",
                                   tensor.dtype));
  const Places places = places_of(kind->axes);
  const std::size_t rank = tensor.shape.size();
  if (rank < places.least || rank > places.most)
    return wrong(name, fmt::format("has the shape [{}]; it is to have {} to {} axes", fmt::join(tensor.shape, ", "),
                                   places.least, places.most));
  View view{tensor.dtype, *numbers, {1, 1, 1, 1}, {0, 0, 0, 0}};
  const auto order = places.of(rank, settings_.heads_first);
  std::size_t stride = 1;
  for (std::size_t n = rank; n-- > 0;) {
    const std::size_t extent = tensor.shape[n];
    if (extent == 0) return wrong(name, "is empty; a dump has at least one entry of each tensor");
    view.extent[order[n]] = extent;
    view.stride[order[n]] = extent == 1 ? 0 : stride;
    stride *= extent;
  }
  views_.emplace(name, view);
  return Done{};
}

Result<Done> AttentionDump::measure() {
  const auto &q = views_.at("q").extent, &k = views_.at("k").extent, &v = views_.at("v").extent;
  shape_ = {q[0], q[1], k[1], q[2], k[2], q[3], v[3]};
  if (const auto done = check_extents(); !done) return done;
  if (shape_.heads % shape_.kv_heads != 0)
    return wrong("k", fmt::format("has {} heads, of which the {} of q are no multiple; heads share keys evenly",
                                  shape_.kv_heads, shape_.heads));
  for (std::size_t b = 0; has("lengths") && b < shape_.batches; ++b) {
    const double length = views_.at("lengths").at(b, 0, 0, 0);
    if (!(length >= 0 && length <= static_cast<double>(shape_.keys) && length == std::floor(length)))
      return wrong("lengths",
                   fmt::format("has {} at batch {}; it is a count of keys, at most {}", length, b, shape_.keys));
  }
  for (const std::string name : {"sinks", "slopes"})
    for (std::size_t h = 0; has(name) && h < shape_.heads; ++h) {
      const double number = views_.at(name).at(0, h, 0, 0);
      if (!std::isfinite(number) && !(name == "sinks" && number == no_sink))
        return wrong(name, fmt::format("has no finite number at head {}; leave the tensor out where there is none", h));
    }
  for (const std::string name : {"k_scale", "v_scale"})
    for (std::size_t h = 0; has(name) && h < shape_.kv_heads; ++h)
      if (const double scale = scale_of(name, h); !(std::isfinite(scale) && scale > 0))
        return wrong(name, fmt::format("has {} at KV head {}; a scale is finite and above 0", scale, h));
  return Done{};
}

// Products with scales are exact in doubles.
Result<Done> AttentionDump::check_types() const {
  for (const auto& [name, view] : views_)
    if (name != "mask" && name != "lengths" && view.dtype[0] != 'F' && view.dtype != "BF16")
      return wrong(name, fmt::format("is {}; save it as F32, F16 or BF16: only mask and lengths may be whole numbers",
                                     view.dtype));
  for (const auto& [name, view] : views_)
    if (view.dtype.starts_with("F8") && name != "k" && name != "v")
      return wrong(name, fmt::format("is {}; only k and v may be of eight bits", view.dtype));
  for (const auto& [scale, scaled] : {std::pair{"k_scale", "k"}, {"v_scale", "v"}}) {
    if (!has(scale)) continue;
    for (const char* const name : {scale, scaled})
      if (dtype(name) == "F64") return wrong(name, "is F64; a scale and what it multiplies are F32 or narrower");
    if (has("do")) return wrong(scale, "is there with do; the backward pass of scaled keys and values is not judged");
  }
  if (has("v_scale") && settings_.rounding.starts_with("of16"))
    return wrong("v_scale", "is there; class of16 says nothing of values with a scale");
  return Done{};
}

double AttentionDump::scale_of(const std::string& tensor, std::size_t kv_head) const {
  return has(tensor) ? views_.at(tensor).at(0, kv_head, 0, 0) : 1;
}

reference::ScaleRange AttentionDump::scale_range(const std::string& tensor) const {
  reference::ScaleRange range{scale_of(tensor, 0), scale_of(tensor, 0)};
  for (std::size_t h = 1; h < shape_.kv_heads; ++h) {
    range.least = std::min(range.least, scale_of(tensor, h));
    range.most = std::max(range.most, scale_of(tensor, h));
  }
  return range;
}

Result<Done> AttentionDump::check_extents() const {
  const auto [B, H, KV, Lq, Lk, d, dv] = shape_;
  using Extents = std::array<std::size_t, 4>;
  const std::vector<std::pair<std::string, Extents>> wanted = {
      {"k", {B, KV, Lk, d}},     {"v", {B, KV, Lk, dv}},   {"o", {B, H, Lq, dv}},      {"lse", {B, H, Lq, 1}},
      {"mask", {B, H, Lq, Lk}},  {"bias", {B, H, Lq, Lk}}, {"sinks", {1, H, 1, 1}},    {"slopes", {1, H, 1, 1}},
      {"lengths", {B, 1, 1, 1}}, {"do", {B, H, Lq, dv}},   {"dq", {B, H, Lq, d}},      {"dk", {B, KV, Lk, d}},
      {"dv", {B, KV, Lk, dv}},   {"dsinks", {1, H, 1, 1}}, {"k_scale", {1, KV, 1, 1}}, {"v_scale", {1, KV, 1, 1}}};
  for (const auto& [name, extents] : wanted) {
    if (!has(name)) continue;
    const Axes axes = known_as(name)->axes;
    const bool spreads = axes == Axes::pairs || axes == Axes::per_kv_head;  // an extent of 1 serves all
    for (std::size_t n = 0; n < 4; ++n) {
      const std::size_t extent = views_.at(name).extent[n];
      if (extent == extents[n] || (spreads && extent == 1)) continue;
      return wrong(name,
                   fmt::format("has {} where {} are due, by q, k and v; as batch, heads, length, size it is to be "
                               "[{}] (layout {})",
                               extent, extents[n], fmt::join(extents, ", "), settings_.heads_first ? "bhld" : "blhd"));
    }
  }
  return Done{};
}

double AttentionDump::scale() const {
  return settings_.scale ? *settings_.scale : 1 / std::sqrt(static_cast<double>(shape_.size));
}

std::int64_t AttentionDump::offset() const {
  if (settings_.causal == Corner::top_left || settings_.diagonal == Corner::top_left) return 0;
  return static_cast<std::int64_t>(shape_.keys) - static_cast<std::int64_t>(shape_.queries);
}

std::string AttentionDump::description() const {
  const auto [B, H, KV, Lq, Lk, d, dv] = shape_;
  std::string text = fmt::format("batch {}, heads {} (of keys {}), queries {}, keys {}, head size {} (of values {})", B,
                                 H, KV, Lq, Lk, d, dv);
  text += fmt::format("; {}", dtype("q"));
  if (dtype("k") != dtype("q") || dtype("v") != dtype("q")) text += fmt::format(", k {}, v {}", dtype("k"), dtype("v"));
  text += fmt::format("; scale {}", scale());
  if (settings_.causal != Corner::none)
    text += settings_.causal == Corner::top_left ? "; causal from the top left" : "; causal to the bottom right";
  if (settings_.window) text += fmt::format("; window {}", *settings_.window);
  if (settings_.window_after) text += fmt::format("; window after {}", *settings_.window_after);
  if (settings_.softcap > 0) text += fmt::format("; softcap {}", settings_.softcap);
  for (const char* name : {"k_scale", "v_scale", "mask", "bias", "slopes", "sinks", "lengths"})
    if (has(name)) text += fmt::format("; {}", name);
  const bool has_diagonal = settings_.window || settings_.window_after || has("slopes");
  if (settings_.causal == Corner::none && has_diagonal && Lq != Lk)
    text += offset() == 0 ? "; diagonal from the top left" : "; diagonal to the bottom right";
  if (has("lse") && settings_.lse_base_2) text += "; lse in base 2";
  return text;
}

Place AttentionDump::place(std::size_t row) const {
  const std::size_t head = row / shape_.queries;
  return {head / shape_.heads, head % shape_.heads, row % shape_.queries};
}

std::size_t AttentionDump::row_of(const Place& place) const {
  return (place.batch * shape_.heads + place.head) * shape_.queries + place.query;
}

KeysAndValues AttentionDump::keys_and_values(std::size_t batch, std::size_t kv_head) const {
  KeysAndValues shared;
  shared.key_scale = scale_of("k_scale", kv_head), shared.value_scale = scale_of("v_scale", kv_head);
  const auto read = [&](const View& view, double scale, std::size_t size, std::vector<double>& into,
                        std::vector<double>& largest) {
    into.reserve(shape_.keys * size);
    largest.assign(shape_.keys, 0);
    for (std::size_t j = 0; j < shape_.keys; ++j)
      for (std::size_t c = 0; c < size; ++c) {
        const double value = scale * view.at(batch, kv_head, j, c);
        into.push_back(value);
        largest[j] = std::max(largest[j], std::isfinite(value) ? std::abs(value) : infinity);
      }
  };
  read(views_.at("k"), shared.key_scale, shape_.size, shared.keys, shared.largest_key);
  read(views_.at("v"), shared.value_scale, shape_.value_size, shared.values, shared.largest_value);
  // Scores may be summed of what is stored, and multiplied with the scale then.
  const double larger = std::max(1.0, 1 / shared.key_scale);
  for (double& largest : shared.largest_key) largest *= larger;
  return shared;
}

std::vector<double> AttentionDump::numbers(const std::string& tensor, const Place& place) const {
  const View& view = views_.at(tensor);
  std::vector<double> values;
  for (std::size_t c = 0; c < view.extent[3]; ++c) values.push_back(view.at(place.batch, place.head, place.query, c));
  return values;
}

DumpedRow AttentionDump::row(const Place& place, const KeysAndValues& shared) const {
  const auto [b, h, i] = place;
  DumpedRow result;
  const auto pairs = [&](const std::string& name) {  // one for all keys, or one a key
    std::vector<double> values;
    for (std::size_t j = 0; has(name) && j < shape_.keys; ++j) values.push_back(views_.at(name).at(b, h, i, j));
    return values;
  };
  result.query = numbers("q", place);
  result.output = numbers("o", place);
  if (has("do")) result.output_gradient = numbers("do", place);
  result.bias = pairs("bias");
  const auto is_lowest = [](double bias) { return bias <= -0x1p126 && std::isfinite(bias); };
  if (std::ranges::any_of(result.bias, is_lowest)) {
    result.lowered_bias = result.bias;
    std::ranges::replace_if(result.lowered_bias, is_lowest, DumpedRow::lowered);
  }
  for (const double kept : pairs("mask")) result.mask.push_back(kept != 0);
  if (has("lse")) result.lse = views_.at("lse").at(b, h, i, 0);

  result.shared = &shared;
  reference::AttentionRow& row = result.row;
  row.query = result.query;
  row.keys = shared.keys;
  row.values = shared.values;
  row.value_size = shape_.value_size;
  row.scale = scale();
  row.softcap = settings_.softcap;
  row.bias = result.lowered_bias.empty() ? result.bias : result.lowered_bias;
  row.mask = result.mask;
  if (has("slopes")) row.slope = views_.at("slopes").at(0, h, 0, 0);
  if (const auto sinks = views_.find("sinks"); sinks != views_.end())
    if (const double sink = sinks->second.at(0, h, 0, 0); sink != no_sink) row.sink = sink;
  row.position = static_cast<std::int64_t>(i);
  row.offset = offset();
  row.causal = settings_.causal != Corner::none;
  row.window = settings_.window;
  row.window_after = settings_.window_after;
  if (has("lengths")) row.length = static_cast<std::size_t>(views_.at("lengths").at(b, 0, 0, 0));
  return result;
}

}  // namespace attncert
