#include "properties/conformance/external/placed_request.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/core/hash.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::external {
namespace {

constexpr std::size_t alignment = 64;

// Copies rows from a strided buffer to a dense one.
void gather(std::byte* dense, const void* strided, std::size_t rows, std::size_t row_bytes, std::size_t stride_bytes) {
  for (std::size_t r = 0; r < rows; ++r)
    std::memcpy(dense + r * row_bytes, static_cast<const std::byte*>(strided) + r * stride_bytes, row_bytes);
}

// A caller of an older version gives a shorter structure. Its size is copied with it and says which fields are there.
attncert_parameters parameters_of(const attncert_arguments& a) {
  attncert_parameters parameters{};
  const auto& given = *static_cast<const attncert_parameters*>(a.parameters);
  std::memcpy(&parameters, &given, std::min<std::size_t>(given.size, sizeof parameters));
  return parameters;
}

}  // namespace

bool can_be_placed(const attncert_arguments* a) {
  if (a == nullptr || a->size < sizeof *a) return false;
  if (a->rows == 0 || a->length == 0) return true;
  if (a->input == nullptr || a->output == nullptr) return false;
  const auto short_stride = [&](std::size_t stride) { return a->rows > 1 && stride < a->length; };
  return !short_stride(a->input_stride) && !short_stride(a->output_stride) &&
         !(a->mask != nullptr && short_stride(a->mask_stride)) &&
         !(a->upstream != nullptr && short_stride(a->upstream_stride));
}

Request place(SharedMemory& memory, std::uint64_t at, Request request, const attncert_arguments& a,
              attncert_dtype dtype_in, attncert_dtype dtype_out) {
  const std::size_t in = format(dtype_in).bytes, out = format(dtype_out).bytes;
  const std::size_t elements = a.rows * a.length, rows = elements == 0 ? 0 : a.rows;
  std::uint64_t end = rounded_up(at + sizeof request, alignment);
  const auto room = [&](std::size_t bytes) { return std::exchange(end, rounded_up(end + bytes, alignment)); };
  request.rows = a.rows;
  request.length = a.length;
  request.temperature = a.temperature;
  request.has_parameters = a.parameters != nullptr;
  if (request.has_parameters) request.parameters = parameters_of(a);
  request.input_at = room(elements * in);
  if (a.mask != nullptr) request.mask_at = room(elements);
  if (a.upstream != nullptr) request.upstream_at = room(elements * in);
  const std::uint64_t inputs_end = end;
  request.output_at = room(elements * out);
  if (!memory.reserve(end)) return request;
  request.end = end;
  std::byte* const data = memory.data();
  std::memset(data + request.input_at, 0, inputs_end - request.input_at);  // the gaps, which are hashed with the rows
  gather(data + request.input_at, a.input, rows, a.length * in, a.input_stride * in);
  if (a.mask != nullptr) gather(data + request.mask_at, a.mask, rows, a.length, a.mask_stride);
  if (a.upstream != nullptr)
    gather(data + request.upstream_at, a.upstream, rows, a.length * in, a.upstream_stride * in);
  // Strides and alignment follow from the rows, so that a case has the same layout whatever ran before it.
  const auto* inputs = reinterpret_cast<const char*>(data + request.input_at);
  request.seed = fnv1a({inputs, inputs_end - request.input_at}) ^ a.length;
  std::memcpy(data + at, &request, sizeof request);
  return request;
}

void take_output(const SharedMemory& memory, const Request& request, const attncert_arguments& a,
                 attncert_dtype dtype_out) {
  const std::size_t out = format(dtype_out).bytes;
  for (std::size_t r = 0; r < a.rows && a.length != 0; ++r)
    std::memcpy(static_cast<std::byte*>(a.output) + r * a.output_stride * out,
                memory.data() + request.output_at + r * a.length * out, a.length * out);
}

}  // namespace attncert::external
