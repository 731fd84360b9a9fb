// One case of attncert cases between guard pages: inputs that cannot be written to, outputs of which every byte is
// watched.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "attncert/attention.h"
#include "properties/conformance/external/host/guarded_buffer.hpp"
#include "properties/dumps/host/part_of_case.hpp"
#include "properties/dumps/host/tensor_layout.hpp"
#include "src/core/result.hpp"
#include "src/files/safetensors.hpp"

namespace attncert::attention_host {

constexpr unsigned char unwritten = 0xff;  // what outputs hold before a call: NaN in every format
constexpr unsigned char ordinary = 0x3f;   // a number of ordinary size in every format: 0.75 in f32 and bf16

// What a case holds: what its file does; the same, but for keys and values that no row keeps; or each input turned into
// one of other outputs: signs of numbers change (of k every second entry's), a key less is kept by lengths and masks.
enum class Contents { of_file, other_removed, turned };

class PlacedCase {
 public:
  // With a gap the front of each buffer touches the guard page in place of its end. The first three outlive it.
  PlacedCase(const attncert_attention_kernel& kernel, const Safetensors& file,
             const std::map<std::string, std::string>& settings, const Placement& placement, Contents contents);
  Result<Done> place();  // first; the error: the file is no case for the kernel

  bool has_removed_keys() const { return has_removed_keys_; }
  void refill(Contents contents);  // at the same addresses

  // Outputs are made anew for each call: o and lse, and where the case has `do` and the kernel a backward pass, then
  // dq, dk, dv and dsinks. The backward pass cannot write to o and lse any more.
  attncert_attention_status call(unsigned char poison = unwritten);
  attncert_attention_status call_without_lse();  // o alone

  std::string misconduct() const;  // "" or what was written where nothing is due
  // Of a call before with another poison: "" or the output of which an entry held its poison both times.
  std::string left_unwritten(const std::map<std::string, std::string>& with_other, unsigned char other) const;
  bool touched() const;      // outputs by a pass that did not return ATTNCERT_ATTENTION_OK
  bool has_forward() const;  // o and lse are there: where the status is not OK, it is the backward pass's

  // Whether it gives the same numbers of a part as of the whole, of which `whole` are the outputs. A part that it
  // declines says nothing.
  std::vector<PartOfCase> parts() const { return parts_of(a_); }
  bool same_of(const PartOfCase& part, const std::map<std::string, std::string>& whole);

  // The outputs of passes that returned ATTNCERT_ATTENTION_OK by their names, as their bytes, rows together.
  using Outputs = std::map<std::string, std::string>;
  Outputs written() const;
  std::string file_of(const Outputs& outputs) const;
  // The same numbers, any NaN the same as any other and -0 the same as 0: a weight of 0 times a removed value is a
  // zero with the value's sign, which a sum of zeros may keep. Rows that no verdict speaks of may hold anything.
  bool same_where_judged(const Outputs& first, const Outputs& second) const;

 private:
  struct Output {
    std::string name;
    std::vector<std::size_t> shape;  // of four axes, of lse three, of dsinks one
    attncert_dtype dtype;
    std::unique_ptr<external::GuardedBuffer> buffer;
    bool done = false;  // by a pass that returned ATTNCERT_ATTENTION_OK
    TensorLayout layout;
    std::size_t row() const { return shape.size() == 4 ? shape[3] : 1; }
  };
  Output& add_output(const std::string& name, std::vector<std::size_t> shape, attncert_dtype dtype);
  attncert_tensor tensor_output(const std::string& name, std::vector<std::size_t> shape, attncert_dtype dtype);
  attncert_attention_status forward();
  const Output& output(const std::string& name) const;

  bool keeps(std::size_t batch, std::size_t head, std::size_t query, std::size_t key) const;
  bool no_row_keeps(std::size_t batch, std::size_t kv_head, std::size_t key) const;
  bool is_empty(std::size_t row) const;
  void* stored(const std::string& name, const Tensor& tensor);
  struct Input {
    std::string name;
    const Tensor* tensor;
    std::unique_ptr<external::GuardedBuffer> buffer;
  };
  void fill(Input& input);    // and makes it read-only
  int other_removed() const;  // the byte that removed keys and values hold then
  void turn(const std::string& name, const Tensor& tensor, std::byte* row) const;

  const attncert_attention_kernel& kernel_;
  const Safetensors& file_;
  const std::map<std::string, std::string>& settings_;
  Contents contents_;
  bool has_removed_keys_ = false;
  external::Side side_;
  Placement placement_;
  unsigned char poison_ = unwritten;
  attncert_attention_arguments a_{};
  attncert_attention_gradients g_{};
  std::vector<Input> inputs_;
  std::vector<std::size_t> lengths_;
  std::vector<Output> outputs_;
};

}  // namespace attncert::attention_host
