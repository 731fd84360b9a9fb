#include "properties/dumps/host/called_case.hpp"

#include "properties/dumps/host/conduct.hpp"

namespace attncert::attention_host {
namespace {

// What a further call with other numbers in removed keys shows: misconduct, or a status or outputs that depend on them.
void call_again(PlacedCase& changed, attncert_attention_status due, const PlacedCase::Outputs& first, Called& result) {
  if (!changed.has_removed_keys()) return;
  const attncert_attention_status status = changed.call();
  result.misconduct = changed.misconduct();
  if (!result.misconduct.empty()) result.misconduct += ", with other numbers in keys that no row keeps";
  else if (status != due)
    result.removed = "other numbers in keys that no row keeps change the status to " + std::to_string(status);
  else if (!changed.same_where_judged(first, changed.written()))
    result.removed = "other numbers in keys that no row keeps change the outputs";
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
  Called result{placed.call(), false, placed.misconduct(), "", ""};
  const attncert_attention_status first_status = result.status;
  if (result.misconduct.empty()) result.misconduct = changed_process();
  if (result.status != ATTNCERT_ATTENTION_OK) {
    if (placed.touched()) result.misconduct = "wrote into an output, and did not return ATTNCERT_ATTENTION_OK";
    result.backward_declined = result.status == ATTNCERT_ATTENTION_DECLINED && placed.has_forward();
    if (!result.backward_declined) return result;
    result.status = ATTNCERT_ATTENTION_OK;
  }
  const auto first = placed.written(result.backward_declined);
  result.outputs = placed.file_of(first);
  if (!result.misconduct.empty() || (kernel.flags & ATTNCERT_ATTENTION_VARIES) != 0) return result;
  if (placed.call() != first_status || placed.written(result.backward_declined) != first)
    result.misconduct = "two calls with the same arguments differ; ATTNCERT_ATTENTION_VARIES declares that";
  else call_again(changed, first_status, first, result);
  if (result.misconduct.empty() && result.removed.empty() && !result.backward_declined)
    result.misconduct = depends_on_other_calls({kernel, *file, *settings, apart}, placed, {first_status, first});
  if (result.misconduct.empty()) result.misconduct = changed_process();  // of the later calls
  return result;
}

}  // namespace attncert::attention_host
