// The part of PlacedCall that serves the invalid-call tests: arguments and parameters of another content or size.
#include <algorithm>
#include <cstring>

#include "properties/conformance/external/host/placed_call.hpp"

namespace attncert::external {
namespace {

// Fills `buffer` with a structure of the size that it names: cut off, or followed by 0xff bytes that no reader knows.
template <class Structure>
void write_sized(GuardedBuffer& buffer, const Structure& structure) {
  std::memset(buffer.data(), 0xff, structure.size);
  std::memcpy(buffer.data(), &structure, std::min<std::size_t>(structure.size, sizeof structure));
}

}  // namespace

bool PlacedCall::change(const InvalidCall& test) {
  if (test.only == Only::with_scratch && arguments_.scratch_bytes == 0) return false;
  ChangedCall call{arguments_, ATTNCERT_DEFAULT_PARAMETERS};
  call.p.size = 0;
  test.change(call);
  arguments_ = call.a;
  if (call.p.size == 0) return true;
  changed_parameters_.emplace(Buffer::parameters, call.p.size, alignof(attncert_parameters), Side::back);
  write_sized(*changed_parameters_, call.p);
  seal(Buffer::parameters, *changed_parameters_);
  arguments_.parameters = changed_parameters_->data();
  return true;
}

const attncert_arguments* PlacedCall::given() {
  if (arguments_.size == sizeof arguments_) return &arguments_;
  resized_.emplace(Buffer::none, arguments_.size, alignof(attncert_arguments), Side::back);
  write_sized(*resized_, arguments_);
  resized_->make_read_only();
  return reinterpret_cast<const attncert_arguments*>(resized_->data());
}

}  // namespace attncert::external
