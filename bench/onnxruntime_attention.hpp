// Attention as ONNX Runtime's CPU has it: an optional peer, in a process of its own, since its npm packages hold no
// headers (scripts/onnxruntime, examples/onnxruntime/worker.mjs).
#pragma once

#include <optional>
#include <string>

namespace attncert::bench {

// Milliseconds of processor time of 12 heads of 64 and 1,024 tokens, f32, one thread; the median of five calls of a
// fresh process. form: attention (ONNX, opset 23) or multihead (MultiHeadAttention of com.microsoft). Nothing where
// node or ONNX Runtime is missing, or outside the repository's root.
std::optional<double> onnxruntime_attention(const std::string& form, bool causal);

}  // namespace attncert::bench
