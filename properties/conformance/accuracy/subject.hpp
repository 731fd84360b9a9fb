// The judging machine: whatever has a truth is judged by one campaign, one kill matrix and one way of counting. What is
// judged, a subject, says four things: its name; how a row of its inputs is drawn; how a kernel is called on a row; how
// the answers to a row are judged against one truth. Plans, instruction sets, threads, cases, the worst of all, faults
// and reports are the machine's (accuracy.hpp, kills/kill_matrix.hpp).
//
// A row is drawn from Choices and from nothing else, on a tape that a seed and the name of a case give.
//
// A new kind of subject is a Row, an Answer and one class derived from SubjectOf; what follows has its place already:
// - Fused attention. Row: Q, K, V, a mask and upstream gradients. Answer: O, LSE, dQ, dK, dV. judge() encloses the
//   weights of a query once and walks the outputs with it; one Judgement counts the entries of all of them, and
//   worst_named says which output was the worst ("dK at 17, 3").
// - External libraries in a process of their own. Their descriptors are attncert_kernels whose functions send the call
//   to the process (properties/conformance/external), in_order because the process has one thread. What is no
//   normalizer comes as its own alternative of KernelFunction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/accuracy/cases.hpp"
#include "properties/conformance/accuracy/judgement.hpp"
#include "properties/conformance/accuracy/observed.hpp"
#include "properties/conformance/inputs/input_classes.hpp"
#include "properties/conformance/kernel_function.hpp"

namespace attncert {

struct JudgedKernel {
  std::string name;  // as reports show it: "softmax.f32"
  attncert_dtype dtype_in = ATTNCERT_F64, dtype_out = ATTNCERT_F64;
  KernelFunction function;
  std::string contract;       // for degenerate rows, as declared
  std::string own_isa;        // what reports show of a kernel that chooses for itself
  bool states_error = false;  // with each number, which is its budget; no row is degenerate, and there is no contract
  bool in_order = false;      // one's own or a device's: called on one thread, and under no forced instruction set
};
JudgedKernel judged_kernel(const attncert_kernel& kernel);
JudgedKernel judged_kernel(std::string name, attncert_dtype dtype, BoundKernel function);  // states its errors

// A promise beside the numbers that an answer breaks.
enum class Promise : std::uint8_t {
  writes,   // writes its own entries, all of them, and nothing else
  contract  // serves a valid call, and answers degenerate rows as it declares
};
std::string_view name(Promise promise);
struct Breach {
  Promise promise;
  std::string what;
};

class DeviceTier;  // device_tier.hpp

// What the answer of one kernel to one row came to.
struct RowResult {
  Judgement judgement;
  struct DoubleDouble {  // of the double-double tier, before Interval was asked
    std::uint64_t elements = 0, open = 0;
    double worst_ulp = 0, worst_fraction = 0, budget_ulp = 0;
    std::uint64_t on_device = 0;  // of the elements, those that a device judged
    bool contradicted = false;    // the device and the processor, asked both, say different things
  } double_double;
  std::optional<Observed> degenerate;  // the contract has a say in the row
  std::vector<Breach> breaches;
  std::size_t length = 0;            // of the row; 0 = not answered, or no row of logits
  InputClasses classes{};            // that it is of
  std::vector<EntryError> sample{};  // of its entries' errors
};

// One row with the answers to it.
class Trial {
 public:
  Trial() = default;
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  virtual ~Trial() = default;
  // Answer number n is that of `kernel`, which outlives the trial. Different numbers may be called on different
  // threads.
  virtual void call(std::size_t n, const JudgedKernel& kernel) = 0;
  // After all calls, and where a device judges: gives it what it can judge of the answers. judge() reads what comes of
  // it.
  virtual void ask(DeviceTier&) {}
  virtual std::vector<RowResult> judge() = 0;  // after all calls: one result an answer
};

struct DrawPlan {
  std::uint64_t seed = 1;
  Effort effort = Effort::normal;
  SharedRows* shared = nullptr;  // where given, holds what several subjects draw for one case
  bool exact_worst = false;      // of a row that double-double judges alone Interval looks at the worst entry too
};

class JudgedSubject {
 public:
  virtual ~JudgedSubject() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view text() const = 0;   // one line for people
  virtual std::string_view check() const = 0;  // what an entry outside is called in the kill matrix
  virtual std::vector<JudgedKernel> kernels() const = 0;
  // Whether a kernel of one's own is called as this subject calls kernels. Its normalizer may be any word: that it is
  // the name of the subject is not enough.
  virtual bool takes(const attncert_kernel&) const { return false; }
  virtual std::vector<AccuracyCase> cases(Effort effort) const = 0;
  // The case of that name, whether or not the effort has it in its list; empty when the subject has none.
  virtual std::vector<AccuracyCase> case_named(Effort effort, std::string_view name) const = 0;
  // False for a case that kernels of this type need not be run on.
  virtual bool runs(const AccuracyCase&, attncert_dtype) const { return true; }
  virtual std::unique_ptr<Trial> trial(const AccuracyCase& which, const DrawPlan& plan, const JudgedKernel& types,
                                       std::size_t answers) const = 0;
};

// The four functions with the types that a subject has for them.
template <class RowType, class AnswerType>
class SubjectOf : public JudgedSubject {
 public:
  using Row = RowType;
  using Answer = AnswerType;
  struct Answered {
    const JudgedKernel* kernel = nullptr;
    Answer answer{};
  };

  // For kernels of these types (dtype_in, dtype_out).
  virtual Row draw(const AccuracyCase& which, const DrawPlan& plan, const JudgedKernel& types) const = 0;
  virtual Answer call(const JudgedKernel& kernel, const Row& row) const = 0;
  virtual std::vector<RowResult> judge(const Row& row, std::span<const Answered> answers) const = 0;
  // Keeps in the row what the device is to fill in.
  virtual void ask(Row&, std::span<const Answered>, DeviceTier&) const {}

  std::unique_ptr<Trial> trial(const AccuracyCase& which, const DrawPlan& plan, const JudgedKernel& types,
                               std::size_t answers) const final {
    return std::make_unique<TypedTrial>(*this, draw(which, plan, types), answers);
  }

 private:
  class TypedTrial final : public Trial {
   public:
    TypedTrial(const SubjectOf& subject, Row row, std::size_t answers)
        : subject_(subject), row_(std::move(row)), answers_(answers) {}
    void call(std::size_t n, const JudgedKernel& kernel) override {
      answers_[n] = {&kernel, subject_.call(kernel, row_)};
    }
    void ask(DeviceTier& device) override { subject_.ask(row_, answers_, device); }
    std::vector<RowResult> judge() override { return subject_.judge(row_, answers_); }

   private:
    const SubjectOf& subject_;
    Row row_;
    std::vector<Answered> answers_;
  };
};

using JudgedSubjects = std::span<const JudgedSubject* const>;

// A Judge of each thing on the list, made once and kept.
template <class Judge, class Thing>
JudgedSubjects judged_by(std::span<const Thing* const> things) {
  static std::deque<Judge> all;
  static const std::vector<const JudgedSubject*> list = [things] {
    std::vector<const JudgedSubject*> pointers;
    for (const Thing* thing : things) pointers.push_back(&all.emplace_back(*thing));
    return pointers;
  }();
  return list;
}

// The judged subjects of every normalizer, in the order of subjects(). All that there is to judge:
// properties/conformance/suite/suite.hpp.
JudgedSubjects judged_normalizers();

template <class Subjects>
const JudgedSubject* find_judged(const Subjects& subjects, std::string_view name) {
  for (const JudgedSubject* subject : subjects)
    if (subject->name() == name) return subject;
  return nullptr;
}

}  // namespace attncert
