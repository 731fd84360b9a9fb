#include "properties/conformance/external/foreign_library.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "properties/conformance/external/doors.hpp"
#include "properties/conformance/external/finding_text.hpp"
#include "properties/conformance/external/rules.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/core/hash.hpp"
#include "src/core/threads.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {

using namespace foreign;

namespace {

constexpr std::size_t alignment = 64;

// Without a parent, or with a clock that cheats, a run ends after so many seconds of its own.
std::uint64_t cpu_seconds(const ForeignLimits& limits) {
  const auto seconds = static_cast<std::uint64_t>(limits.host.run.count() / 1000) + 1;
  return seconds * all_cores() + 10;
}

// Rows between a strided buffer and a dense one.
void gather(std::byte* dense, const void* strided, std::size_t rows, std::size_t row_bytes, std::size_t stride_bytes) {
  for (std::size_t r = 0; r < rows; ++r)
    std::memcpy(dense + r * row_bytes, static_cast<const std::byte*>(strided) + r * stride_bytes, row_bytes);
}

bool can_be_laid_out(const attncert_arguments* a) {
  if (a == nullptr || a->size < sizeof *a) return false;
  if (a->rows == 0 || a->length == 0) return true;
  if (a->input == nullptr || a->output == nullptr) return false;
  const auto short_stride = [&](std::size_t stride) { return a->rows > 1 && stride < a->length; };
  return !short_stride(a->input_stride) && !short_stride(a->output_stride) &&
         !(a->mask != nullptr && short_stride(a->mask_stride)) &&
         !(a->upstream != nullptr && short_stride(a->upstream_stride));
}

// What a null pointer means, and what the caller's shorter structure leaves out.
attncert_parameters parameters_of(const attncert_arguments& a) {
  attncert_parameters parameters{};
  const auto& given = *static_cast<const attncert_parameters*>(a.parameters);
  std::memcpy(&parameters, &given, std::min<std::size_t>(given.size, sizeof parameters));
  return parameters;
}

// A right call for the rules: two short rows, a mask that keeps all where the rule is about masks.
class RightCall {
 public:
  RightCall(const attncert_kernel& kernel, Rule rule, Reads reads) {
    for (std::size_t i = 0; i < rows * length; ++i) {
      constexpr double logits[] = {0.5, -1, 2, 0.25, -3, 1, 0};
      store_element(kernel.dtype_in, input_.data(), i, logits[i % std::size(logits)]);
      store_element(kernel.dtype_in, upstream_.data(), i, i % 3 == 0 ? 1 : -0.5);
    }
    arguments_.size = sizeof arguments_;
    arguments_.rows = rule == Rule::strides_of_one_row ? 1 : rows;
    arguments_.length = arguments_.input_stride = arguments_.output_stride = length;
    arguments_.input = input_.data();
    arguments_.output = output_.data();
    arguments_.temperature = 1;
    if (rule == Rule::short_mask_stride) arguments_.mask = keep_all_.data(), arguments_.mask_stride = length;
    if (reads.upstream) arguments_.upstream = upstream_.data(), arguments_.upstream_stride = length;
  }
  RightCall(const RightCall&) = delete;
  RightCall& operator=(const RightCall&) = delete;
  const attncert_arguments& arguments() const { return arguments_; }

 private:
  static constexpr std::size_t rows = 2, length = 5, widest = sizeof(double);
  alignas(widest) std::array<std::byte, rows * length * widest> input_{}, output_{}, upstream_{};
  std::array<std::uint8_t, rows* length> keep_all_ = filled();
  static constexpr std::array<std::uint8_t, rows * length> filled() {
    std::array<std::uint8_t, rows * length> ones{};
    for (std::uint8_t& one : ones) one = 1;
    return ones;
  }
  attncert_arguments arguments_{};
};

std::string shape_text(const attncert_arguments& a, attncert_dtype dtype) {
  char temperature[64];
  std::snprintf(temperature, sizeof temperature, "%g", a.temperature);
  return std::string(format(dtype).name) + ", " + std::to_string(a.rows) + " x " + std::to_string(a.length) +
         ", T = " + temperature + (a.mask != nullptr ? ", masked" : "");
}

}  // namespace

struct ForeignLibrary::State {
  // What a kernel has cost. Calls that are bent on purpose count by themselves: a kernel that hangs there may be right
  // everywhere else, and the campaign is not lost for it.
  struct Losses {
    unsigned hangs = 0, all = 0;  // hangs are losses too
  };
  struct Account {
    Losses calls, bent;
    unsigned left_out = 0;  // rules that were not asked for that
  };

  State(const std::filesystem::path& library, const std::filesystem::path& program, const ForeignLimits& given)
      : limits(given), host(program, library, given.host) {}

  attncert_status run(std::size_t kernel, const attncert_arguments& a, Rule rule = Rule::none);
  Request placed(std::size_t kernel, const attncert_arguments& a, Rule rule);
  void collect(std::size_t kernel, const Message& message, const attncert_arguments& a);
  void record(std::size_t kernel, Conduct conduct, const std::string& first);
  bool too_many(const Losses& lost) const { return lost.hangs >= limits.hangs || lost.all >= limits.losses; }
  bool given_up(std::size_t kernel) const { return too_many(accounts[kernel].calls); }

  ForeignLimits limits;
  HostProcess host;
  std::vector<Descriptor> descriptors;
  std::vector<attncert_kernel> kernels;
  std::vector<const attncert_kernel*> pointers;
  std::vector<Account> accounts;  // by kernel
  std::map<std::pair<std::size_t, Conduct>, ConductRow> seen;
  std::string case_name;
  std::uint64_t calls = 0;
  std::mutex mutex;
};

// Writes the request and the dense rows into the shared memory; bytes = 0 when there is none.
Request ForeignLibrary::State::placed(std::size_t kernel, const attncert_arguments& a, Rule rule) {
  const std::size_t in = format(descriptors[kernel].dtype_in).bytes, out = format(descriptors[kernel].dtype_out).bytes;
  const std::size_t elements = a.rows * a.length, rows = elements == 0 ? 0 : a.rows;
  Request request{};
  std::uint64_t end = rounded_up(sizeof request, alignment);
  const auto place = [&](std::size_t bytes) { return std::exchange(end, rounded_up(end + bytes, alignment)); };
  request.kernel = kernel;
  request.rows = a.rows;
  request.length = a.length;
  request.temperature = a.temperature;
  request.rule = rule;
  request.cpu_seconds = cpu_seconds(limits);
  request.has_parameters = a.parameters != nullptr;
  if (request.has_parameters) request.parameters = parameters_of(a);
  request.input_at = place(elements * in);
  if (a.mask != nullptr) request.mask_at = place(elements);
  if (a.upstream != nullptr) request.upstream_at = place(elements * in);
  const std::uint64_t input_end = end;
  constexpr std::uint64_t page = 64 * 1024;  // the largest that Linux has: what is mapped by itself starts at one
  request.output_at = end = rounded_up(end, page);
  place(elements * out);
  if (!host.memory().reserve(end)) return request;
  request.bytes = end;
  std::byte* const memory = host.memory().data();
  gather(memory + request.input_at, a.input, rows, a.length * in, a.input_stride * in);
  if (a.mask != nullptr) gather(memory + request.mask_at, a.mask, rows, a.length, a.mask_stride);
  if (a.upstream != nullptr)
    gather(memory + request.upstream_at, a.upstream, rows, a.length * in, a.upstream_stride * in);
  // Strides and alignment follow from what is asked: the same case has the same ones whatever ran before it.
  const auto* inputs = reinterpret_cast<const char*>(memory + request.input_at);
  request.seed = fnv1a({inputs, input_end - request.input_at}) ^ a.length;
  std::memcpy(memory, &request, sizeof request);
  return request;
}

attncert_status ForeignLibrary::State::run(std::size_t kernel, const attncert_arguments& a, Rule rule) {
  const std::lock_guard lock(mutex);
  constexpr auto silent = static_cast<attncert_status>(no_answer);
  if (given_up(kernel)) return silent;
  if (rule != Rule::none && too_many(accounts[kernel].bent)) {
    ++accounts[kernel].left_out;
    return silent;
  }
  if (!host.start()) {
    record(kernel, Conduct::crashed, "the library cannot be loaded again");
    accounts[kernel].calls.all = limits.losses;
    return silent;
  }
  const Request request = placed(kernel, a, rule);
  if (request.bytes == 0) return silent;
  ++calls;
  const Message message = host.ask(request.bytes);
  collect(kernel, message, a);
  const bool answered =
      message.kind == Kind::finished && message.status >= ATTNCERT_OK && message.status <= ATTNCERT_BAD_PARAMETER;
  if (!answered) return silent;
  if (message.status != ATTNCERT_OK || a.rows * a.length == 0) return static_cast<attncert_status>(message.status);
  const std::size_t out = format(descriptors[kernel].dtype_out).bytes;
  for (std::size_t r = 0; r < a.rows; ++r)
    std::memcpy(static_cast<std::byte*>(a.output) + r * a.output_stride * out,
                host.memory().data() + request.output_at + r * a.length * out, a.length * out);
  return ATTNCERT_OK;
}

void ForeignLibrary::State::collect(std::size_t kernel, const Message& message, const attncert_arguments& a) {
  for (std::uint32_t i = 0; i < message.findings; ++i) {
    const Finding& finding = message.found[i];
    record(kernel, static_cast<Conduct>(finding.conduct),
           text(finding, a.length) + "; " + shape_text(a, descriptors[kernel].dtype_in));
  }
  if (message.kind != Kind::fault) return;
  Losses& lost = message.run == Run::bent ? accounts[kernel].bent : accounts[kernel].calls;
  ++lost.all;
  if (message.found[0].conduct == static_cast<std::uint32_t>(Conduct::hung)) ++lost.hangs;
}

void ForeignLibrary::State::record(std::size_t kernel, Conduct conduct, const std::string& first) {
  ConductRow& row = seen[{kernel, conduct}];
  if (row.calls++ > 0) return;
  row.kernel = descriptors[kernel].name;
  row.conduct = conduct;
  row.first = first + (case_name.empty() ? "" : "; case " + case_name);
}

ForeignLibrary::ForeignLibrary() = default;

ForeignLibrary::~ForeignLibrary() {
  for (const attncert_kernel& kernel : state_->kernels) give_back(kernel.run);
}

Result<std::unique_ptr<ForeignLibrary>> ForeignLibrary::open(const std::filesystem::path& library,
                                                             const std::filesystem::path& host,
                                                             const ForeignLimits& limits) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(library, error))
    return Error{library.string() + ": no such file; name a shared library of kernels"};
  auto opened = std::unique_ptr<ForeignLibrary>(new ForeignLibrary);
  // A name without a slash would be looked for in the system's folders.
  opened->state_ = std::make_unique<State>(std::filesystem::absolute(library), host, limits);
  State& state = *opened->state_;
  if (const Result<Done> started = state.host.start(); !started) return started.error();
  state.descriptors = state.host.descriptors();
  state.accounts.resize(state.descriptors.size());
  for (std::size_t i = 0; i < state.descriptors.size(); ++i) {
    const Descriptor& d = state.descriptors[i];
    const Door door = take_door([&state, i](const attncert_arguments* a) {
      return can_be_laid_out(a) ? state.run(i, *a) : ATTNCERT_BAD_ARGUMENT;
    });
    if (door == nullptr) return Error{library.string() + ": too many kernels are open; close another library"};
    state.kernels.push_back({ATTNCERT_KERNEL_ABI, sizeof(attncert_kernel), d.name, d.normalizer, d.dtype_in,
                             d.dtype_out, d.isa, d.contract, door, nullptr, d.has_budget ? d.budget : nullptr});
    if (state.host.environment_changed_on_loading())
      state.record(i, Conduct::environment_changed, "as soon as the library is loaded");
  }
  for (const attncert_kernel& kernel : state.kernels) state.pointers.push_back(&kernel);
  return opened;
}

std::span<const attncert_kernel* const> ForeignLibrary::kernels() const { return state_->pointers; }

void ForeignLibrary::judge_rules(const attncert_kernel& kernel, std::string_view only) {
  const auto at = std::find(state_->pointers.begin(), state_->pointers.end(), &kernel);
  const Normalizer* normalizer = find_subject(kernel.normalizer);
  if (at == state_->pointers.end() || normalizer == nullptr) return;
  const Reads reads{normalizer->derivative, normalizer->parameter != ReadsParameter::none};
  for (const RuleOfCall& entry : rules_of_calls) {
    if (!applies(entry.rule, reads) || (!only.empty() && only != entry.name)) continue;
    note(entry.name);
    const RightCall call(kernel, entry.rule, reads);
    std::ignore = state_->run(static_cast<std::size_t>(at - state_->pointers.begin()), call.arguments(), entry.rule);
  }
  note("");
}

void ForeignLibrary::note(std::string_view case_name) {
  const std::lock_guard lock(state_->mutex);
  state_->case_name = case_name;
}

std::vector<ConductRow> ForeignLibrary::conduct() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<ConductRow> rows;
  for (const auto& [key, row] : state_->seen) {
    rows.push_back(row);
    const State::Account& account = state_->accounts[key.first];
    if (state_->given_up(key.first))
      rows.back().first += "; not called again after " + std::to_string(account.calls.all) + " losses";
    else if (account.left_out > 0)
      rows.back().first += "; " + std::to_string(account.left_out) + " rules left out after " +
                           std::to_string(account.bent.all) + " losses";
  }
  return rows;
}

std::uint64_t ForeignLibrary::calls() const {
  const std::lock_guard lock(state_->mutex);
  return state_->calls;
}

}  // namespace attncert
