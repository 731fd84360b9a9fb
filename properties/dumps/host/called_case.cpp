#include "properties/dumps/host/called_case.hpp"

#include "properties/dumps/host/conduct.hpp"

namespace attncert::attention_host {
namespace {

// What a call with other numbers in removed keys shows: "", or a status or outputs that depend on them, and more.
std::string minds_removed_keys(PlacedCase& changed, const FirstCall& first) {
  const std::string with = "other numbers in keys that no row keeps";
  announce("in a call with " + with);
  const attncert_attention_status status = changed.call();
  if (const std::string misconduct = changed.misconduct(); !misconduct.empty()) return misconduct + ", with " + with;
  if (status != first.status) return with + " change the status to " + std::to_string(status);
  return changed.same_where_judged(first.outputs, changed.written()) ? "" : with + " change the outputs";
}

// "" or what the calls after the first one show.
std::string misconduct_later(const CalledKernel& called, PlacedCase& placed, PlacedCase& changed,
                             const FirstCall& first) {
  announce("in a second call with the same arguments");
  if (placed.call() != first.status || placed.written() != first.outputs)
    return "two calls with the same arguments differ; ATTNCERT_ATTENTION_VARIES declares that";
  std::string misconduct = changed.has_removed_keys() ? minds_removed_keys(changed, first) : "";
  if (misconduct.empty()) misconduct = depends_on_other_calls(called, placed, first);
  return misconduct.empty() ? changed_process() : misconduct;
}

}  // namespace

Result<Called> called(const attncert_attention_kernel& kernel, const std::filesystem::path& path, bool apart) {
  const auto file = Safetensors::open(path);
  if (!file) return file.error();
  const auto settings = metadata_of(file->text(), file->where());
  if (!settings) return settings.error();
  PlacedCase placed(kernel, *file, *settings, apart, Contents::of_file),
      changed(kernel, *file, *settings, apart, Contents::other_removed);
  for (PlacedCase* each : {&placed, &changed})
    if (const auto done = each->place(); !done) return done.error();
  watch_process();  // reading a file may set a signal handler
  announce("in the first call");
  const attncert_attention_status status = placed.call();
  Called result{status, false, "", placed.misconduct()};
  if (result.misconduct.empty()) result.misconduct = changed_process();
  if (status != ATTNCERT_ATTENTION_OK) {
    if (placed.touched()) result.misconduct = "wrote into an output, and did not return ATTNCERT_ATTENTION_OK";
    result.backward_declined = status == ATTNCERT_ATTENTION_DECLINED && placed.has_forward();
    if (!result.backward_declined) return result;
    result.status = ATTNCERT_ATTENTION_OK;
  }
  const FirstCall first{status, placed.written()};
  result.outputs = placed.file_of(first.outputs);
  if (result.misconduct.empty() && (kernel.flags & ATTNCERT_ATTENTION_VARIES) == 0)
    result.misconduct = misconduct_later({kernel, *file, *settings, apart}, placed, changed, first);
  return result;
}

}  // namespace attncert::attention_host
