#include "properties/conformance/external/external_library.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "properties/conformance/external/entry_points.hpp"
#include "properties/conformance/external/invalid_calls.hpp"
#include "properties/conformance/external/placed_request.hpp"
#include "properties/conformance/external/valid_call.hpp"
#include "properties/conformance/external/violation_text.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/core/printable.hpp"
#include "src/core/threads.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {

using namespace external;

namespace {

constexpr auto no_status = static_cast<attncert_status>(no_answer);

attncert_status status_of(const Message& message) {
  const bool answered =
      message.kind == Kind::finished && message.status >= ATTNCERT_OK && message.status <= ATTNCERT_NO_RESOURCES;
  return answered ? static_cast<attncert_status>(message.status) : no_status;
}

// Processor time after which the host ends a run by itself, should the parent be gone or the clock be wrong.
std::uint64_t cpu_seconds(const ExternalLimits& limits) {
  const auto seconds = static_cast<std::uint64_t>(limits.host.run.count() / 1000) + 1;
  static const std::uint64_t cores = all_cores();  // asked for once: the answer comes from files
  return seconds * cores + 10;
}

std::string call_text(const attncert_arguments& a, attncert_dtype dtype) {
  char temperature[64];
  std::snprintf(temperature, sizeof temperature, "%g", a.temperature);
  return std::string(format(dtype).name) + ", " + std::to_string(a.rows) + " x " + std::to_string(a.length) +
         ", T = " + temperature + (a.mask != nullptr ? ", masked" : "");
}

}  // namespace

struct ExternalLibrary::State {
  // The calls of a kernel that ended without an answer.
  struct Losses {
    unsigned hangs = 0, all = 0;  // a hang is a loss too
  };
  // The changed calls of invalid-call tests and the conduct checks are counted apart: a kernel that hangs there may be
  // right everywhere else.
  struct Account {
    Losses calls, changed_calls;
    unsigned tests_left_out = 0;
  };

  State(const std::filesystem::path& library, const std::filesystem::path& program, const ExternalLimits& given)
      : limits(given), host(program, library, given.host) {}

  Result<Done> take_entry_points();
  attncert_status run(std::size_t kernel, const attncert_arguments& a, std::size_t test = no_test,
                      Conduct conduct = Conduct::none);
  std::size_t number_of(const attncert_kernel& kernel) const;  // kernels.size(): none of this library's
  // Has the calls made that the requests ask for, with these arguments, and takes their outputs. The answers end with
  // the one of a call that brought the host down.
  std::vector<Message> ask(std::span<Request> requests, std::span<const attncert_arguments* const> arguments);
  void collect(std::size_t kernel, const Message& message, const attncert_arguments& a);
  void record(std::size_t kernel, Violation violation, const std::string& first);
  bool too_many(const Losses& lost) const { return lost.hangs >= limits.hangs || lost.all >= limits.losses; }
  bool given_up(std::size_t kernel) const { return too_many(accounts[kernel].calls); }

  ExternalLimits limits;
  HostProcess host;
  std::vector<Descriptor> descriptors;
  std::vector<attncert_kernel> kernels;
  std::vector<const attncert_kernel*> pointers;
  std::vector<Account> accounts;  // by kernel
  std::map<std::pair<std::size_t, Violation>, ViolationRow> seen;
  std::string case_name, budget;
  std::uint64_t calls = 0;
  std::mutex mutex;
};

ExternalLibrary::ExternalLibrary() = default;

ExternalLibrary::~ExternalLibrary() {
  for (const attncert_kernel& kernel : state_->kernels) give_back(kernel.run);
}

Result<std::unique_ptr<ExternalLibrary>> ExternalLibrary::open(const std::filesystem::path& library,
                                                               const std::filesystem::path& host,
                                                               const ExternalLimits& limits) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(library, error))
    return Error{library.string() + ": no such file; name a shared library of kernels"};
  auto opened = std::unique_ptr<ExternalLibrary>(new ExternalLibrary);
  // dlopen looks for a name without a slash in the system's folders, so it gets the whole path.
  opened->state_ = std::make_unique<State>(std::filesystem::absolute(library), host, limits);
  State& state = *opened->state_;
  if (const Result<Done> started = state.host.start(); !started) return started.error();
  state.descriptors = state.host.descriptors();
  state.accounts.resize(state.descriptors.size());
  if (!state.take_entry_points()) return Error{library.string() + ": too many kernels are open; close another library"};
  return opened;
}

Result<Done> ExternalLibrary::State::take_entry_points() {
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    const Descriptor& d = descriptors[i];
    const EntryPoint entry_point = take_entry_point(
        [this, i](const attncert_arguments* a) { return can_be_placed(a) ? run(i, *a) : ATTNCERT_BAD_ARGUMENT; });
    if (entry_point == nullptr) return Error{"no entry point is left"};
    kernels.push_back({ATTNCERT_KERNEL_ABI, sizeof(attncert_kernel), d.name, d.normalizer, d.dtype_in, d.dtype_out,
                       d.isa, d.contract, entry_point, nullptr, d.has_budget ? d.budget : nullptr, 0});
    if (host.environment_changed_on_loading())
      record(i, Violation::environment_changed, "as soon as the library is loaded");
  }
  for (const attncert_kernel& kernel : kernels) pointers.push_back(&kernel);
  return Done{};
}

attncert_status ExternalLibrary::State::run(std::size_t kernel, const attncert_arguments& a, std::size_t test,
                                            Conduct conduct) {
  const std::lock_guard lock(mutex);
  if (given_up(kernel)) return no_status;
  if (test != no_test && too_many(accounts[kernel].changed_calls)) {
    ++accounts[kernel].tests_left_out;
    return no_status;
  }
  if (conduct != Conduct::none) host.end();
  if (!host.start()) {
    record(kernel, Violation::crashed, "the library cannot be loaded again");
    accounts[kernel].calls.all = limits.losses;
    return no_status;
  }
  Request request{};
  request.kernel = kernel;
  request.invalid_call = test;
  request.conduct = static_cast<std::uint64_t>(conduct);
  const attncert_arguments* const arguments[] = {&a};
  const std::vector<Message> messages = ask({&request, 1}, arguments);
  if (messages.empty()) return no_status;
  collect(kernel, messages.front(), a);
  return status_of(messages.front());
}

std::vector<Message> ExternalLibrary::State::ask(std::span<Request> requests,
                                                 std::span<const attncert_arguments* const> arguments) {
  std::uint64_t end = 0, placed = 0;
  for (; placed < requests.size(); ++placed) {
    Request& request = requests[placed];
    const Descriptor& d = descriptors[request.kernel];
    request.cpu_seconds = cpu_seconds(limits);
    request = place(host.memory(), end, request, *arguments[placed], d.dtype_in, d.dtype_out);
    if (request.end == 0) break;
    end = request.end;
  }
  std::vector<Message> messages;
  if (placed > 0) host.ask({end, placed});
  while (messages.size() < placed && (messages.empty() || messages.back().kind == Kind::finished)) {
    const Request& request = requests[messages.size()];
    const attncert_arguments& a = *arguments[messages.size()];
    const Message& message = messages.emplace_back(host.answer());
    if (status_of(message) == ATTNCERT_OK)
      take_output(host.memory(), request, a, descriptors[request.kernel].dtype_out);
    ++calls;
  }
  return messages;
}

void ExternalLibrary::run_all(std::span<LibraryCall> asked) {
  const std::lock_guard lock(state_->mutex);
  std::vector<Request> requests(asked.size());
  std::vector<const attncert_arguments*> arguments;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    requests[i].kernel = state_->number_of(*asked[i].kernel);
    requests[i].invalid_call = no_test;
    requests[i].only_first = !asked[i].all_runs;
    arguments.push_back(asked[i].arguments);
  }
  for (std::size_t done = 0; done < asked.size();) {
    const std::vector<Message> messages =
        state_->host.start() ? state_->ask(std::span(requests).subspan(done), std::span(arguments).subspan(done))
                             : std::vector<Message>();
    for (const Message& message : messages) {
      LibraryCall& call = asked[done++];
      call.status = status_of(message);
      for (std::uint32_t i = 0; i < message.findings; ++i)
        call.violations.emplace_back(static_cast<Violation>(message.found[i].violation),
                                     text(message, i, call.arguments->length));
    }
    if (!messages.empty()) continue;
    asked[done].status = no_status;
    asked[done++].violations.emplace_back(Violation::crashed, "the library cannot be loaded again");
  }
}

void ExternalLibrary::State::collect(std::size_t kernel, const Message& message, const attncert_arguments& a) {
  for (std::uint32_t i = 0; i < message.findings; ++i) {
    const Finding& finding = message.found[i];
    record(kernel, static_cast<Violation>(finding.violation),
           text(message, i, a.length) +
               (finding.run == Run::conduct ? "" : "; " + call_text(a, descriptors[kernel].dtype_in)));
  }
  if (message.kind != Kind::fault) return;
  Losses& lost = message.run >= Run::changed ? accounts[kernel].changed_calls : accounts[kernel].calls;
  ++lost.all;
  if (message.found[0].violation == static_cast<std::uint32_t>(Violation::hung)) ++lost.hangs;
}

void ExternalLibrary::State::record(std::size_t kernel, Violation violation, const std::string& first) {
  ViolationRow& row = seen[{kernel, violation}];
  if (row.calls++ > 0) return;
  row.kernel = descriptors[kernel].name;
  row.violation = violation;
  row.first = first + (case_name.empty() ? "" : "; case " + case_name);
}

std::size_t ExternalLibrary::State::number_of(const attncert_kernel& kernel) const {
  return static_cast<std::size_t>(std::find(pointers.begin(), pointers.end(), &kernel) - pointers.begin());
}

void ExternalLibrary::hold_to(const std::string& budget) {
  state_->budget = budget;
  for (attncert_kernel& kernel : state_->kernels) kernel.budget = state_->budget.c_str();
}

std::string ExternalLibrary::version() const { return printable(state_->host.version()); }

std::span<const attncert_kernel* const> ExternalLibrary::kernels() const { return state_->pointers; }

void ExternalLibrary::run_invalid_calls(const attncert_kernel& kernel, std::string_view only_case) {
  const std::size_t number = state_->number_of(kernel);
  const Normalizer* normalizer = find_subject(kernel.normalizer);
  if (number == state_->pointers.size() || normalizer == nullptr) return;
  const Reads reads{normalizer->derivative, normalizer->parameter != ReadsParameter::none};
  for (std::size_t i = 0; i < std::size(invalid_calls); ++i) {
    const InvalidCall& test = invalid_calls[i];
    if (!applies(test, reads) || (!only_case.empty() && only_case != case_name(test))) continue;
    note(case_name(test));
    const ValidCall call(kernel.dtype_in, test.base, reads.upstream);
    std::ignore = state_->run(number, call.arguments(), i);
  }
  note("");
}

void ExternalLibrary::run_conduct(const attncert_kernel& kernel, std::string_view only_case) {
  const std::size_t number = state_->number_of(kernel);
  const Normalizer* normalizer = find_subject(kernel.normalizer);
  if (number == state_->pointers.size() || normalizer == nullptr) return;
  const ValidCall call(kernel.dtype_in, Base::two_rows, normalizer->derivative);
  for (std::size_t i = 0; i < conduct_checks.size(); ++i) {
    if (!only_case.empty() && only_case != conduct_case(i)) continue;
    note(conduct_case(i));
    std::ignore = state_->run(number, call.arguments(), no_test, static_cast<Conduct>(i + 1));
  }
  note("");
}

void ExternalLibrary::note(std::string_view case_name) {
  const std::lock_guard lock(state_->mutex);
  state_->case_name = case_name;
}

std::vector<ViolationRow> ExternalLibrary::violations() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<ViolationRow> rows;
  for (const auto& [key, row] : state_->seen) {
    rows.push_back(row);
    const State::Account& account = state_->accounts[key.first];
    if (state_->given_up(key.first))
      rows.back().first += "; not called again after " + std::to_string(account.calls.all) + " losses";
    else if (account.tests_left_out > 0)
      rows.back().first += "; " + std::to_string(account.tests_left_out) + " invalid-call tests left out after " +
                           std::to_string(account.changed_calls.all) + " losses";
  }
  return rows;
}

bool ExternalLibrary::shows(const attncert_kernel& kernel, Violation violation) const {
  const std::lock_guard lock(state_->mutex);
  return state_->seen.contains({state_->number_of(kernel), violation});
}

bool ExternalLibrary::is_given_up(const attncert_kernel& kernel) const {
  const std::lock_guard lock(state_->mutex);
  return state_->given_up(state_->number_of(kernel));
}

std::uint64_t ExternalLibrary::calls() const {
  const std::lock_guard lock(state_->mutex);
  return state_->calls;
}

}  // namespace attncert
