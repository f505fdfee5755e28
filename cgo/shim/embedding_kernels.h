// The arithmetic of an embedding followed by dropout, ReLU and a fully connected layer, which never
// stores the embedded texts [examples steps dim].
#pragma once

#include <cstdint>

namespace lt {

struct EmbeddingLinear {
  int64_t examples, steps, words, dim, classes;  // dim at least 8
  const int32_t* index;                          // [examples steps], in [0, words)
  const float* table;                            // [words dim]
  const float* weight;                           // [classes steps*dim]
  float scale;                                   // of kept elements

  // What dropout keeps; at most one is not null.
  const uint8_t* channels;  // [examples dim] bytes, 0 or 1
  const uint8_t* bits;      // examples*steps*dim bits, lowest first, and 8 bytes more
};

// forward computes, for each example n and class c, with e = table[index[n, t], d],
//
//   out[n, c] = bias[c] + sum over t, d of weight[c, t, d] relu(e) scale if kept
void forward(const EmbeddingLinear& p, const float* bias, float* out);

// backward computes the gradients of table and weight from grad, the gradient of out [examples
// classes]. Its results do not depend on the number of threads.
void backward(const EmbeddingLinear& p, const float* grad, float* table_grad, float* weight_grad);

}  // namespace lt
