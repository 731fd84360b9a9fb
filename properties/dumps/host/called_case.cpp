#include "properties/dumps/host/called_case.hpp"

#include <algorithm>

#include "properties/dumps/host/conduct.hpp"

namespace attncert::attention_host {
namespace {

// What a call with other numbers in removed keys shows: "", or a status or outputs that depend on them, and more.
std::string minds_removed_keys(const CalledKernel& called, PlacedCase& changed, const FirstCall& first) {
  const std::string with = "other numbers in keys that no row keeps";
  announce("in a call with " + with);
  const attncert_attention_status status = changed.call();
  if (const std::string misconduct = changed.misconduct(); !misconduct.empty()) return misconduct + ", with " + with;
  if (status != first.status) return with + " change the status to " + std::to_string(status);
  const bool same = called.varies() || changed.same_where_judged(first.outputs, changed.written());
  return same ? "" : with + " change the outputs";
}

// What the kernel is not, of which its outputs say nothing: asked where two equal calls give the same.
std::vector<std::string> lacking_of(PlacedCase& placed, const FirstCall& first) {
  std::vector<std::string> lacking;
  announce("in calls for a batch, a query, or no padding");
  for (const PartOfCase& part : placed.parts())
    if (std::ranges::find(lacking, part.lacking()) == lacking.end() && !placed.same_of(part, first.outputs))
      lacking.push_back(part.lacking());
  return lacking;
}

// "" or what a call without lse does beside computing. Where it gives o other bits, these are what is judged.
std::string without_lse(PlacedCase& placed, const FirstCall& first, std::string& outputs) {
  announce("in a call without lse");
  const attncert_attention_status status = placed.call_without_lse();
  if (const std::string misconduct = placed.misconduct(); !misconduct.empty()) return misconduct + ", without lse";
  if (placed.touched()) return "wrote into o, and did not return ATTNCERT_ATTENTION_OK, without lse";
  if (status != ATTNCERT_ATTENTION_OK && status != ATTNCERT_ATTENTION_DECLINED)
    return "status " + std::to_string(status) + " without lse";
  if (status == ATTNCERT_ATTENTION_OK && placed.written().at("o") != first.outputs.at("o"))
    outputs = placed.file_of(placed.written());
  return "";
}

// "" or what the calls after the first one show; what the kernel lacks, and what is to be judged instead.
std::string misconduct_later(const CalledKernel& called, PlacedCase& placed, PlacedCase& changed,
                             const FirstCall& first, Called& result) {
  announce("in a second call with the same arguments");
  const attncert_attention_status again = placed.call(ordinary);  // in outputs that held another number before
  const std::string unwritten_output = placed.left_unwritten(first.outputs, unwritten);
  if (!unwritten_output.empty()) return "leaves an entry of " + unwritten_output + " unwritten";
  if (again != first.status || placed.written() != first.outputs) {
    if (!called.varies())
      return "not deterministic: two calls with the same arguments differ; ATTNCERT_ATTENTION_VARIES declares that";
    result.lacking = {"deterministic"};
  } else result.lacking = lacking_of(placed, first);
  std::string misconduct;
  if (called.placement.gap > 0 && first.outputs.contains("lse"))
    misconduct = without_lse(placed, first, result.outputs);
  if (misconduct.empty() && changed.has_removed_keys()) misconduct = minds_removed_keys(called, changed, first);
  if (misconduct.empty()) misconduct = depends_on_other_calls(called, placed, first);
  if (misconduct.empty()) misconduct = changed_process();
  return misconduct.empty() && called.on_and_on ? grows(placed) : misconduct;
}

}  // namespace

Result<Called> called(const attncert_attention_kernel& kernel, const std::filesystem::path& path,
                      const Placement& placement, bool on_and_on) {
  const auto file = Safetensors::open(path);
  if (!file) return file.error();
  const auto settings = metadata_of(file->text(), file->where());
  if (!settings) return settings.error();
  PlacedCase placed(kernel, *file, *settings, placement, Contents::of_file),
      changed(kernel, *file, *settings, placement, Contents::other_removed);
  for (PlacedCase* each : {&placed, &changed})
    if (const auto done = each->place(); !done) return done.error();
  watch_process();  // reading a file may set a signal handler
  announce("in the first call");
  const attncert_attention_status status = placed.call();
  Called result{status, false, "", {}, placed.misconduct()};
  if (result.misconduct.empty()) result.misconduct = changed_process();
  if (status != ATTNCERT_ATTENTION_OK) {
    if (placed.touched()) result.misconduct = "wrote into an output, and did not return ATTNCERT_ATTENTION_OK";
    result.backward_declined = status == ATTNCERT_ATTENTION_DECLINED && placed.has_forward();
    if (!result.backward_declined) return result;
    result.status = ATTNCERT_ATTENTION_OK;
  }
  const FirstCall first{status, placed.written()};
  result.outputs = placed.file_of(first.outputs);
  const CalledKernel caller{kernel, *file, *settings, placement, on_and_on};
  if (result.misconduct.empty()) result.misconduct = misconduct_later(caller, placed, changed, first, result);
  // No bits tell whether removed keys matter to a kernel that varies: the call that changed them is the one judged.
  if (result.misconduct.empty() && caller.varies() && changed.has_removed_keys())
    result.outputs = changed.file_of(changed.written());
  return result;
}

}  // namespace attncert::attention_host
