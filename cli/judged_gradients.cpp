// What is said of the gradients of a dump.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/judged_dump.hpp"

namespace attncert::cli {
namespace {

std::string what_was_judged(const GradientVerdict& v) {
  std::vector<std::string> parts;
  const auto of = [&](std::size_t judged, std::size_t all, const char* what) {
    if (all > 0)
      parts.push_back(judged == all ? fmt::format("all {} {}", all, what)
                                    : fmt::format("{} of {} {}", judged, all, what));
  };
  of(v.rows, v.of_rows, "rows of dq");
  of(v.keys, v.of_keys, "keys of dk and dv");
  of(v.sinks, v.of_sinks, "sinks");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

int status_of(const GradientVerdict& verdict) {
  if (verdict.failing > 0) return differs;
  const bool nothing = verdict.elements == 0 || verdict.vacuous == verdict.elements;
  const bool open = nothing || verdict.left_out || !verdict.explained_within_narrowest.empty();
  return open ? undecided : all_as_expected;
}

void print(const GradientVerdict& v, const GradientDiagnosis& diagnosis) {
  const std::string judged = what_was_judged(v), named = fmt::format("class {}, {}", v.rounding,
                                                                     v.unfused ? "weights and D of its own softmax"
                                                                               : "at the o and lse of the file");
  if (v.failing > 0)
    fmt::print("  gradients differ: {} of {} elements ({}) are outside the bound of {}: {}\n", v.failing, v.elements,
               judged, named, fmt::join(v.failing_tensors, ", "));
  else if (!v.explained_within_narrowest.empty())
    fmt::print("  gradients undecided: {} elements ({}) are within the bound of {}, and near class {} if {}\n",
               v.elements, judged, named, v.narrowest[0].rounding, v.explained_within_narrowest[0]);
  else if (status_of(v) == undecided)
    fmt::print("  gradients undecided: {} elements ({}), {}\n", v.elements, judged, named);
  else fmt::print("  gradients hold: {} elements ({}) are within the bound of {}\n", v.elements, judged, named);
  if (v.explained_within_narrowest.empty() && !v.narrowest.empty())
    fmt::print("  wider than {}, which they are not within\n", v.narrowest[0].rounding);
  for (const std::string& left : v.not_judged) fmt::print("  not judged: {}\n", left);
  if (v.vacuous > 0) fmt::print("  {} elements have a bound that allows any gradient\n", v.vacuous);
  const auto& worst = v.worst.list();
  if (!worst.empty())
    fmt::print("  {:<22} {:>16} {:>16} {:>10} {:>9}\n", "worst gradients", "got", "exact", "bound", "of bound");
  for (std::size_t n = 0; n < std::min(most_shown, worst.size()); ++n)
    fmt::print("  {:<22} {:>16.9g} {:>16.9g} {:>10.2e} {:>9.3g}\n", place_of(worst[n]), worst[n].got, worst[n].exact,
               worst[n].bound, worst[n].fraction);
  if (v.failing == 0) return;
  if (diagnosis.explain.empty()) {
    fmt::print("  no known convention explains the gradients");
    if (!diagnosis.tensors.empty()) fmt::print("; only {} differ widely", fmt::join(diagnosis.tensors, " and "));
    fmt::print("\n");
  } else {
    fmt::print("  {} what was computed:\n", diagnosis.explain.size() == 1
                                                ? "this explains"
                                                : "each of these explains, and the gradients cannot tell them apart,");
    for (const std::string& name : diagnosis.explain) fmt::print("    - {}\n", name);
  }
}

nlohmann::ordered_json as_json(const GradientVerdict& v, const GradientDiagnosis& diagnosis) {
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(fmt::format("{}", value));
  };
  nlohmann::ordered_json json{{"verdict", verdict_of_status(status_of(v))},
                              {"class", v.rounding},
                              {"form", v.unfused ? "unfused" : "fused"},
                              {"rows", v.of_rows},
                              {"judged_rows", v.rows},
                              {"keys", v.of_keys},
                              {"judged_keys", v.keys},
                              {"sinks", v.of_sinks},
                              {"judged_sinks", v.sinks},
                              {"elements", v.elements},
                              {"outside", v.failing},
                              {"vacuous", v.vacuous},
                              {"not_judged", v.not_judged},
                              {"worst", nlohmann::json::array()}};
  for (const Element& e : v.worst.list()) {
    nlohmann::ordered_json item{{"tensor", e.tensor}};
    if (e.channel) item["batch"] = e.place.batch;
    item["head"] = e.place.head;
    if (e.channel) {
      item[e.tensor == "dq" ? "query" : "key"] = e.place.query;
      item["channel"] = *e.channel;
    }
    item.update({{"got", number(e.got)},
                 {"exact", number(e.exact)},
                 {"bound", number(e.bound)},
                 {"of_bound", number(e.fraction)}});
    json["worst"].push_back(item);
  }
  if (v.failing > 0) json["explained_by"] = diagnosis.explain;
  if (!v.narrowest.empty()) json["too_narrow"] = v.narrowest[0].rounding;
  if (!v.explained_within_narrowest.empty()) json["explained_within_narrowest"] = v.explained_within_narrowest;
  return json;
}

}  // namespace attncert::cli
