#include "properties/dumps/gradients/gradient_diagnosis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

#include "properties/dumps/gradients/approximate_gradients.hpp"
#include "properties/dumps/gradients/group.hpp"
#include "src/core/assert.hpp"

namespace attncert {
namespace {

// One KV head tells conventions apart: the first with an element outside.
struct Looked {
  const AttentionDump& dump;
  DumpedGroup group;
  std::size_t heads;  // query heads of the group
};

// A convention edits the pass; false where it changes nothing.
struct Convention {
  std::string_view name;  // said of the kernel
  bool (*edit)(BackwardPass& pass, const Looked& looked);
};

bool each(BackwardPass& pass, const std::function<bool(reference::AttentionRow&)>& edit) {
  bool changed = false;
  for (reference::GradientRow& row : pass.rows) changed = edit(row.row) || changed;
  return changed;
}

bool factors(BackwardPass& pass, double dq, double dk, double dv) {
  pass.dq = dq, pass.dk = dk, pass.dv = dv;
  return true;
}

double scale_of(const BackwardPass& pass) { return pass.rows[0].row.scale; }

// Rows of which `counts` says so count in dk and dv.
bool only(BackwardPass& pass, const Looked& looked, bool (*counts)(const Place& place, const Looked& looked)) {
  bool changed = false;
  for (const Place& place : looked.group.places()) {
    pass.in_keys.push_back(counts(place, looked));
    changed = changed || !pass.in_keys.back();
  }
  return changed;
}

std::size_t first_head(const Looked& looked) { return looked.group.kv_head() * looked.heads; }

// D of the row before, of the same head; or of the head's first row.
bool D_of(BackwardPass& pass, const Looked& looked, bool of_first) {
  const std::vector<double> D = fused_D(pass.rows);
  pass.D = D;
  const auto& places = looked.group.places();
  std::size_t first = 0;
  for (std::size_t i = 0; i < D.size(); ++i) {
    if (i == 0 || places[i].head != places[i - 1].head) first = i;
    (*pass.D)[i] = D[of_first ? first : std::max(first, i == 0 ? 0 : i - 1)];
  }
  return D != *pass.D;
}

bool lse_of(BackwardPass& pass, const std::function<double(const reference::GradientRow&)>& lse) {
  for (reference::GradientRow& row : pass.rows) row.lse = lse(row);
  return !pass.unfused;
}

constexpr std::array conventions{
    Convention{"D, the row's sum of dO O, is left out",
               [](BackwardPass& p, const Looked&) {
                 p.D = std::vector<double>(p.rows.size(), 0);
                 return true;
               }},
    Convention{"D is added, not subtracted",
               [](BackwardPass& p, const Looked&) {
                 p.D = fused_D(p.rows);
                 for (double& D : *p.D) D = -D;
                 return true;
               }},
    Convention{"D is multiplied by the scale",
               [](BackwardPass& p, const Looked&) {
                 p.D = fused_D(p.rows);
                 for (double& D : *p.D) D *= scale_of(p);
                 return scale_of(p) != 1;
               }},
    Convention{"D is that of the row before", [](BackwardPass& p, const Looked& l) { return D_of(p, l, false); }},
    Convention{"D is that of the head's first row", [](BackwardPass& p, const Looked& l) { return D_of(p, l, true); }},
    Convention{"the slope of the softcap is left out",
               [](BackwardPass& p, const Looked&) {
                 p.slope = false;
                 return p.rows[0].row.softcap > 0;
               }},
    Convention{"dq is not scaled", [](BackwardPass& p, const Looked&) { return factors(p, 1 / scale_of(p), 1, 1); }},
    Convention{"dk is not scaled", [](BackwardPass& p, const Looked&) { return factors(p, 1, 1 / scale_of(p), 1); }},
    Convention{"neither dq nor dk is scaled",
               [](BackwardPass& p, const Looked&) { return factors(p, 1 / scale_of(p), 1 / scale_of(p), 1); }},
    Convention{"dq is scaled twice", [](BackwardPass& p, const Looked&) { return factors(p, scale_of(p), 1, 1); }},
    Convention{"dk is scaled twice", [](BackwardPass& p, const Looked&) { return factors(p, 1, scale_of(p), 1); }},
    Convention{"dq and dk are scaled twice",
               [](BackwardPass& p, const Looked&) { return factors(p, scale_of(p), scale_of(p), 1); }},
    Convention{"dq and dk have the opposite sign",
               [](BackwardPass& p, const Looked&) { return factors(p, -1, -1, 1); }},
    Convention{"dsinks has the opposite sign",
               [](BackwardPass& p, const Looked& l) {
                 p.dsink = -1;
                 return l.dump.has("dsinks");
               }},
    Convention{"dsinks is multiplied by the scale",
               [](BackwardPass& p, const Looked& l) {
                 p.dsink = scale_of(p);
                 return l.dump.has("dsinks") && p.dsink != 1;
               }},
    Convention{"dq and dk are off by log2 e",
               [](BackwardPass& p, const Looked&) { return factors(p, 1 / std::log(2.0), 1 / std::log(2.0), 1); }},
    Convention{"dq and dk are off by ln 2",
               [](BackwardPass& p, const Looked&) { return factors(p, std::log(2.0), std::log(2.0), 1); }},
    Convention{"the last query is left out of dk and dv",
               [](BackwardPass& p, const Looked& l) {
                 return only(p, l, [](const Place& place, const Looked& of) {
                   return place.query + 1 < of.dump.shape().queries;
                 });
               }},
    Convention{"the first query is left out of dk and dv",
               [](BackwardPass& p, const Looked& l) {
                 return only(p, l, [](const Place& place, const Looked&) { return place.query > 0; });
               }},
    Convention{"only the first query head of a KV head counts in dk and dv",
               [](BackwardPass& p, const Looked& l) {
                 return only(p, l, [](const Place& place, const Looked& of) { return place.head == first_head(of); });
               }},
    Convention{"only the last query head of a KV head counts in dk and dv",
               [](BackwardPass& p, const Looked& l) {
                 return only(p, l, [](const Place& place, const Looked& of) {
                   return place.head == first_head(of) + of.heads - 1;
                 });
               }},
    Convention{"dk and dv are means over the query heads of a KV head",
               [](BackwardPass& p, const Looked& l) {
                 const double share = 1 / static_cast<double>(l.heads);
                 return factors(p, 1, share, share) && l.heads > 1;
               }},
    Convention{"the causal mask is not applied",
               [](BackwardPass& p, const Looked&) {
                 return each(p, [](auto& row) { return std::exchange(row.causal, false); });
               }},
    Convention{"the causal diagonal begins at the other corner",
               [](BackwardPass& p, const Looked& l) {
                 const DumpShape& shape = l.dump.shape();
                 const auto bottom = static_cast<std::int64_t>(shape.keys) - static_cast<std::int64_t>(shape.queries);
                 return each(p, [&](auto& row) {
                   const std::int64_t other = bottom - row.offset;
                   return std::exchange(row.offset, other) != other && row.causal;
                 });
               }},
    Convention{"the window is not applied",
               [](BackwardPass& p, const Looked&) {
                 return each(p, [](auto& row) {
                   const bool had = row.window || row.window_after;
                   row.window = row.window_after = std::nullopt;
                   return had;
                 });
               }},
    Convention{"the mask is not applied",
               [](BackwardPass& p, const Looked&) {
                 return each(p, [](auto& row) { return !std::exchange(row.mask, {}).empty(); });
               }},
    Convention{"padding is not left out",
               [](BackwardPass& p, const Looked&) {
                 return each(p, [](auto& row) { return std::exchange(row.length, std::nullopt).has_value(); });
               }},
    Convention{"the bias is left out of the weights",
               [](BackwardPass& p, const Looked&) {
                 return each(p, [](auto& row) { return !std::exchange(row.bias, {}).empty(); });
               }},
    Convention{"the slopes are left out of the weights",
               [](BackwardPass& p, const Looked&) {
                 return each(p, [](auto& row) { return std::exchange(row.slope, std::nullopt).has_value(); });
               }},
    Convention{"the softcap is left out of the weights",
               [](BackwardPass& p, const Looked&) {
                 return each(p, [](auto& row) { return std::exchange(row.softcap, 0) > 0; });
               }},
    Convention{"the sink is left out",
               [](BackwardPass& p, const Looked&) {
                 p.unfused = true;  // its own softmax, without the sink
                 return each(p, [](auto& row) { return std::exchange(row.sink, std::nullopt).has_value(); });
               }},
    Convention{"lse is read as if it were of base 2",
               [](BackwardPass& p, const Looked&) {
                 return lse_of(p, [](const auto& row) { return row.lse * std::log(2.0); });
               }},
    Convention{"lse of base 2 is read as if it were natural",
               [](BackwardPass& p, const Looked&) {
                 return lse_of(p, [](const auto& row) { return row.lse / std::log(2.0); });
               }},
    Convention{"lse is that of the first row", [](BackwardPass& p, const Looked&) {
                 const double first = p.rows[0].lse;
                 return lse_of(p, [&](const auto&) { return first; });
               }}};

// How much of the sum of magnitudes an element may be off: far more than any bound of the formats, far less than what
// another convention changes.
double near_enough(const std::string& dtype) { return dtype == "F16" || dtype == "BF16" ? 0x1p-5 : 0x1p-14; }

// Four roundings of the tensor's format: weights, dP, dS and the gradient are rounded once each, where they are.
double rounded_near(const std::string& dtype) {
  return dtype == "F16" ? 0x1p-9 : dtype == "BF16" ? 0x1p-7 : near_enough(dtype);
}

class Comparison {
 public:
  Comparison(const Looked& looked, bool within_class) : looked_(looked), within_class_(within_class) {
    for (const char* const tensor : {"dq", "dk", "dv", "dsinks"})
      if (looked.dump.has(tensor)) tensors_.emplace_back(tensor);
    // The gradient of a sink is a sum over all batches, and one is looked at.
    if (looked.dump.shape().batches > 1) std::erase(tensors_, "dsinks");
  }

  std::size_t tensors() const { return tensors_.size(); }

  // The tensors that are not what the pass has.
  std::vector<std::string> off(const BackwardPass& pass) const {
    const ApproximateGradients near = approximate_gradients(pass);
    std::vector<std::string> result;
    for (const std::string& tensor : tensors_) {
      if (tensor == "dsinks") {
        if (!sinks_fit(near)) result.push_back(tensor);
        continue;
      }
      const bool dq = tensor == "dq", dk = tensor == "dk";
      if (!fits(tensor, dq ? near.dq : dk ? near.dk : near.dv, dq ? near.dq_size : dk ? near.dk_size : near.dv_size))
        result.push_back(tensor);
    }
    return result;
  }

 private:
  bool fits(const std::string& tensor, const std::vector<std::vector<double>>& near,
            const std::vector<std::vector<double>>& sizes) const {
    const std::string dtype = looked_.dump.dtype(tensor);
    const double share = within_class_ ? rounded_near(dtype) : near_enough(dtype);
    for (std::size_t n = 0; n < near.size(); ++n) {
      const Place key{looked_.group.batch(), looked_.group.kv_head(), n};
      const auto got = looked_.dump.numbers(tensor, tensor == "dq" ? looked_.group.places()[n] : key);
      for (std::size_t c = 0; c < got.size(); ++c)
        if (!(std::abs(got[c] - near[n][c]) <= share * sizes[n][c] + 0x1p-100)) return false;
    }
    return true;
  }

  bool sinks_fit(const ApproximateGradients& near) const {
    std::map<std::size_t, std::pair<double, double>> heads;  // the sum, and that of the magnitudes
    for (std::size_t n = 0; n < near.sinks.size(); ++n) {
      auto& [sum, size] = heads[looked_.group.places()[n].head];
      sum += near.sinks[n], size += near.sinks_size[n];
    }
    return std::ranges::all_of(heads, [&](const auto& head) {
      const double got = looked_.dump.numbers("dsinks", {0, head.first, 0})[0];
      return std::abs(got - head.second.first) <= 0x1p-5 * head.second.second + 0x1p-100;
    });
  }

  const Looked& looked_;
  bool within_class_;
  std::vector<std::string> tensors_;
};

}  // namespace

GradientDiagnosis diagnosis_of_gradients(const AttentionDump& dump, const GradientVerdict& verdict, bool within_class) {
  const auto outside = std::find_if(verdict.worst.list().begin(), verdict.worst.list().end(),
                                    [](const Element& e) { return e.fraction > 1; });
  ATTNCERT_ASSERT(outside != verdict.worst.list().end());
  const std::size_t head = kv_head_of(dump, *outside);
  const Looked looked{dump, {dump, outside->place.batch, head}, dump.shape().heads / dump.shape().kv_heads};
  const Comparison comparison(looked, within_class);
  GradientDiagnosis diagnosis;
  std::vector<std::string> partly;  // conventions of some tensors only, where the others are as they should be
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const bool unfused : {verdict.unfused, !verdict.unfused}) {
    const BackwardPass pass{looked.group.rows(), unfused};
    const auto off = comparison.off(pass);
    if (off.empty()) return {};  // what is outside is too little to tell conventions apart
    if (off.size() < comparison.tensors() && (diagnosis.tensors.empty() || off.size() < diagnosis.tensors.size()))
      diagnosis.tensors = off;
    for (const Convention& convention : conventions) {
      BackwardPass edited = pass;
      if (!convention.edit(edited, looked)) continue;
      const auto still = comparison.off(edited);
      const bool apart = std::none_of(still.begin(), still.end(), [&](const std::string& tensor) {
        return std::find(off.begin(), off.end(), tensor) != off.end();
      });
      if (still.empty()) add(diagnosis.explain, std::string(convention.name));
      else if (apart) add(partly, fmt::format("{}, in {} alone", convention.name, fmt::join(off, " and ")));
    }
  }
  if (diagnosis.explain.empty()) diagnosis.explain = partly;
  const bool apart = dump.shape().batches > 1 && std::ranges::count(verdict.failing_tensors, "dsinks") != 0;
  for (std::string& name : diagnosis.explain)
    if (apart) name += "; not dsinks, a sum over batches, of which one is looked at";
  return diagnosis;
}

}  // namespace attncert
