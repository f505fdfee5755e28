/* The C ABI between Go and libtorch: the one list of functions.
 *
 * LT_FUNCTIONS holds a line per function: X(name, (parameters), (arguments)).
 * The preprocessor makes from it the prototypes (below), the table of pointers
 * that the shim exports (struct lt_api), the trampolines through which Go calls
 * (torch/loader.c) and the fingerprint by which both sides know that they were
 * compiled from the same list.
 *
 * Every function returns NULL, or an error that the caller frees with
 * lt_error_free. A tensor is a handle (generation << 32 | slot); 0 is "none",
 * allowed where a parameter's comment or name says optional. Shapes, dims and
 * lists come as pointer and count. */
#ifndef LOSSCORR_API_H
#define LOSSCORR_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t lt_tensor;
typedef struct lt_generator lt_generator; /* a named random stream, see random.cpp */

typedef struct lt_program lt_program; /* a graph of operations, see dispatch.cpp */

typedef struct lt_error {
  int32_t kind; /* enum lt_kind */
  char *message;
} lt_error;

enum lt_kind {
  LT_INTERNAL,
  LT_SHAPE,
  LT_DTYPE,
  LT_DEVICE,
  LT_INDEX,
  LT_OUT_OF_MEMORY,
  LT_NOT_IMPLEMENTED,
  LT_STALE_HANDLE,
  LT_VALUE,
  LT_DEVICE_LOST, /* CUDA fails from here on, whatever is asked of it */
  LT_PANIC /* Go's backward panicked; the message is the number that it returned */
};

/* dtype: 0 float32, 1 float64, 2 bfloat16, 3 float16, 4 int64, 5 int32, 6 uint8, 7 bool.
 * device: 0 cpu, 0x100 | index for cuda. */
typedef struct lt_options {
  int32_t dtype;
  int32_t device;
} lt_options;

enum { LT_MAX_DIM = 8 };

typedef struct lt_facts {
  int32_t dtype, device, dim, requires_grad, sparse;
  int64_t numel;
  int64_t shape[LT_MAX_DIM];
  int64_t stride[LT_MAX_DIM];
} lt_facts;

/* Go's half of torch.Function: receives the gradient of the output and what
 * forward saved, writes one gradient per input (0: none), and returns 0, or the
 * number under which Go keeps what it panicked with. */
typedef int64_t (*lt_go_backward)(uintptr_t function, lt_tensor grad, lt_tensor *saved, int32_t n_saved,
                                  lt_tensor *grads, int32_t n_grads);

typedef struct lt_adam {
  double lr, beta1, beta2, eps, weight_decay;
} lt_adam;

#define LT_FUNCTIONS(X) \
  /* the process */ \
  X(set_backward, (lt_go_backward backward), (backward)) \
  X(describe, (char **out), (out)) /* version and CPU capability; asks nothing of CUDA; lt_string_free */ \
  X(build_config, (char **out), (out)) /* libtorch's account of its build; asks for CUDA, see cuda.go; lt_string_free */ \
  X(string_free, (char *s), (s)) \
  X(set_threads, (int32_t n), (n)) \
  X(get_threads, (int32_t *out), (out)) \
  X(use_blas, (const char *path), (path)) /* a library for products of float32 on the CPU; "": libtorch's own */ \
  X(blas_name, (char **out), (out)) /* what that library says that it is, "" for libtorch's own; lt_string_free */ \
  X(set_flag, (int32_t flag, int32_t on), (flag, on)) /* 0 TF32 in products, 1 deterministic, 2 TF32 in cuDNN */ \
  X(host_memory, (int64_t *allocated, int64_t *reserved), (allocated, reserved)) /* bytes in blocks of the C library in use, and taken from the system for them; 0 where it does not count */ \
  X(host_trim, (void), ()) /* gives the blocks that host tensors have freed back to the system */ \
  X(throw_message, (const char *message), (message)) /* as libtorch throws its errors, for tests */ \
  /* handles and scopes */ \
  X(live, (int64_t *out), (out)) \
  X(scope_begin, (void), ()) \
  X(scope_end, (void), ()) \
  X(keep, (lt_tensor t), (t)) \
  X(free, (lt_tensor t), (t)) \
  X(info, (lt_tensor t, lt_facts *out), (t, out)) \
  /* making and copying */ \
  X(from_data, (const void *data, const int64_t *shape, int32_t dim, lt_options o, lt_tensor *out), (data, shape, dim, o, out)) \
  X(copy_out, (lt_tensor t, void *dst, int64_t bytes), (t, dst, bytes)) \
  X(empty, (const int64_t *shape, int32_t dim, lt_options o, lt_tensor *out), (shape, dim, o, out)) \
  X(full, (const int64_t *shape, int32_t dim, double value, lt_options o, lt_tensor *out), (shape, dim, value, o, out)) \
  X(arange, (double start, double end, double step, lt_options o, lt_tensor *out), (start, end, step, o, out)) \
  X(linspace, (double start, double end, int64_t steps, lt_options o, lt_tensor *out), (start, end, steps, o, out)) \
  X(eye, (int64_t n, lt_options o, lt_tensor *out), (n, o, out)) \
  X(to, (lt_tensor t, lt_options o, int32_t non_blocking, lt_tensor *out), (t, o, non_blocking, out)) \
  X(clone, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(contiguous, (lt_tensor t, int32_t channels_last, lt_tensor *out), (t, channels_last, out)) \
  X(copy_, (lt_tensor t, lt_tensor src), (t, src)) \
  X(fill_, (lt_tensor t, double value), (t, value)) \
  X(pin, (lt_tensor t, lt_tensor *out), (t, out)) \
  /* random streams */ \
  X(generator_new, (uint64_t seed, int32_t device, lt_generator **out), (seed, device, out)) \
  X(generator_free, (lt_generator *g), (g)) \
  X(generator_state, (lt_generator *g, void *buffer, int64_t *bytes), (g, buffer, bytes)) /* buffer NULL: size only */ \
  X(generator_restore, (lt_generator *g, const void *state, int64_t bytes), (g, state, bytes)) \
  X(uniform_, (lt_tensor t, double low, double high, lt_generator *g), (t, low, high, g)) \
  X(normal_, (lt_tensor t, double mean, double std, lt_generator *g), (t, mean, std, g)) \
  X(bernoulli_, (lt_tensor t, double p, lt_generator *g), (t, p, g)) \
  X(random_, (lt_tensor t, int64_t low, int64_t high, lt_generator *g), (t, low, high, g)) \
  X(randperm, (int64_t n, lt_options o, lt_generator *g, lt_tensor *out), (n, o, g, out)) \
  X(dropout, (lt_tensor t, double p, uint32_t shared_dims, lt_generator *g, lt_tensor *out), (t, p, shared_dims, g, out)) /* bit d: one draw for all of dimension d */ \
  X(relu_dropout, (lt_tensor t, double p, lt_generator *g, lt_tensor *out), (t, p, g, out)) \
  /* views and shapes */ \
  X(reshape, (lt_tensor t, const int64_t *shape, int32_t dim, lt_tensor *out), (t, shape, dim, out)) \
  X(view, (lt_tensor t, const int64_t *shape, int32_t dim, lt_tensor *out), (t, shape, dim, out)) \
  X(expand, (lt_tensor t, const int64_t *shape, int32_t dim, lt_tensor *out), (t, shape, dim, out)) \
  X(transpose, (lt_tensor t, int64_t a, int64_t b, lt_tensor *out), (t, a, b, out)) \
  X(squeeze, (lt_tensor t, int64_t dim, lt_tensor *out), (t, dim, out)) \
  X(unsqueeze, (lt_tensor t, int64_t dim, lt_tensor *out), (t, dim, out)) \
  X(flatten, (lt_tensor t, int64_t start, int64_t end, lt_tensor *out), (t, start, end, out)) \
  X(narrow, (lt_tensor t, int64_t dim, int64_t start, int64_t length, lt_tensor *out), (t, dim, start, length, out)) \
  X(select, (lt_tensor t, int64_t dim, int64_t index, lt_tensor *out), (t, dim, index, out)) \
  X(slice, (lt_tensor t, int64_t dim, int64_t start, int64_t end, int64_t step, lt_tensor *out), (t, dim, start, end, step, out)) \
  X(cat, (const lt_tensor *ts, int32_t n, int64_t dim, lt_tensor *out), (ts, n, dim, out)) \
  X(stack, (const lt_tensor *ts, int32_t n, int64_t dim, lt_tensor *out), (ts, n, dim, out)) \
  X(pad, (lt_tensor t, const int64_t *pads, int32_t n, double value, lt_tensor *out), (t, pads, n, value, out)) \
  X(diagonal, (lt_tensor t, lt_tensor *out), (t, out)) \
  /* matrices of mostly zeros */ \
  X(to_sparse_csr, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(to_dense, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(from_csr, (lt_tensor start, lt_tensor column, lt_tensor value, int64_t columns, lt_tensor *out), (start, column, value, columns, out)) /* rows that begin at start [n + 1] */ \
  /* indexing */ \
  X(index_select, (lt_tensor t, int64_t dim, lt_tensor index, lt_tensor *out), (t, dim, index, out)) \
  X(gather, (lt_tensor t, int64_t dim, lt_tensor index, lt_tensor *out), (t, dim, index, out)) \
  X(scatter_, (lt_tensor t, int64_t dim, lt_tensor index, lt_tensor src), (t, dim, index, src)) \
  X(scatter_value, (lt_tensor t, int64_t dim, lt_tensor index, double value, lt_tensor *out), (t, dim, index, value, out)) \
  /* pointwise, one operand */ \
  X(neg, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(abs, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(exp, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(log, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(log1p, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(sqrt, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(square, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(sigmoid, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(relu, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(clamp, (lt_tensor t, double low, double high, lt_tensor *out), (t, low, high, out)) /* NaN: no bound */ \
  /* pointwise, two operands */ \
  X(add, (lt_tensor t, lt_tensor u, lt_tensor *out), (t, u, out)) \
  X(sub, (lt_tensor t, lt_tensor u, lt_tensor *out), (t, u, out)) \
  X(mul, (lt_tensor t, lt_tensor u, lt_tensor *out), (t, u, out)) \
  X(div, (lt_tensor t, lt_tensor u, lt_tensor *out), (t, u, out)) \
  X(maximum, (lt_tensor t, lt_tensor u, lt_tensor *out), (t, u, out)) \
  X(eq, (lt_tensor t, lt_tensor u, lt_tensor *out), (t, u, out)) \
  X(ne, (lt_tensor t, lt_tensor u, lt_tensor *out), (t, u, out)) \
  X(add_scalar, (lt_tensor t, double s, lt_tensor *out), (t, s, out)) \
  X(mul_scalar, (lt_tensor t, double s, lt_tensor *out), (t, s, out)) \
  X(div_scalar, (lt_tensor t, double s, lt_tensor *out), (t, s, out)) \
  X(eq_scalar, (lt_tensor t, double s, lt_tensor *out), (t, s, out)) \
  X(ne_scalar, (lt_tensor t, double s, lt_tensor *out), (t, s, out)) \
  X(add_, (lt_tensor t, lt_tensor u, double alpha), (t, u, alpha)) \
  X(mul_scalar_, (lt_tensor t, double s), (t, s)) \
  /* reductions; no dims: over everything */ \
  X(sum, (lt_tensor t, const int64_t *dims, int32_t n, int32_t keepdim, lt_tensor *out), (t, dims, n, keepdim, out)) \
  X(mean, (lt_tensor t, const int64_t *dims, int32_t n, int32_t keepdim, lt_tensor *out), (t, dims, n, keepdim, out)) \
  X(amax, (lt_tensor t, const int64_t *dims, int32_t n, int32_t keepdim, lt_tensor *out), (t, dims, n, keepdim, out)) \
  X(amin, (lt_tensor t, const int64_t *dims, int32_t n, int32_t keepdim, lt_tensor *out), (t, dims, n, keepdim, out)) \
  X(norm, (lt_tensor t, double p, const int64_t *dims, int32_t n, lt_tensor *out), (t, p, dims, n, out)) \
  X(logsumexp, (lt_tensor t, const int64_t *dims, int32_t n, int32_t keepdim, lt_tensor *out), (t, dims, n, keepdim, out)) \
  X(all, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(argmax, (lt_tensor t, int64_t dim, lt_tensor *out), (t, dim, out)) \
  X(sort, (lt_tensor t, int64_t dim, int32_t descending, lt_tensor *values, lt_tensor *indices), (t, dim, descending, values, indices)) \
  X(topk, (lt_tensor t, int64_t k, int64_t dim, lt_tensor *values, lt_tensor *indices), (t, k, dim, values, indices)) \
  X(softmax, (lt_tensor t, int64_t dim, lt_tensor *out), (t, dim, out)) \
  X(log_softmax, (lt_tensor t, int64_t dim, lt_tensor *out), (t, dim, out)) \
  X(items, (const lt_tensor *ts, int32_t n, double *out), (ts, n, out)) /* several scalars, one synchronisation */ \
  /* linear algebra */ \
  X(mm, (lt_tensor t, lt_tensor u, lt_tensor *out), (t, u, out)) \
  X(bmm, (lt_tensor t, lt_tensor u, lt_tensor *out), (t, u, out)) \
  X(linear, (lt_tensor t, lt_tensor weight, lt_tensor bias_optional, lt_tensor *out), (t, weight, bias_optional, out)) \
  X(inverse, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(slogdet, (lt_tensor t, lt_tensor *sign, lt_tensor *logabs), (t, sign, logabs)) \
  X(solve, (lt_tensor t, lt_tensor u, lt_tensor *out), (t, u, out)) \
  /* networks */ \
  X(conv2d, (lt_tensor t, lt_tensor weight, lt_tensor bias_optional, int64_t stride, int64_t padding, int64_t groups, lt_tensor *out), (t, weight, bias_optional, stride, padding, groups, out)) \
  X(max_pool2d, (lt_tensor t, int64_t kernel, int64_t stride, int64_t padding, lt_tensor *out), (t, kernel, stride, padding, out)) \
  X(adaptive_avg_pool2d, (lt_tensor t, int64_t height, int64_t width, lt_tensor *out), (t, height, width, out)) \
  X(batch_norm, (lt_tensor t, lt_tensor weight_optional, lt_tensor bias_optional, lt_tensor mean_optional, lt_tensor var_optional, int32_t training, double momentum, double eps, lt_tensor *out), (t, weight_optional, bias_optional, mean_optional, var_optional, training, momentum, eps, out)) \
  X(batch_norm_relu, (lt_tensor t, lt_tensor weight_optional, lt_tensor bias_optional, lt_tensor mean_optional, lt_tensor var_optional, int32_t training, double momentum, double eps, lt_tensor *out), (t, weight_optional, bias_optional, mean_optional, var_optional, training, momentum, eps, out)) \
  X(embedding, (lt_tensor weight, lt_tensor index, lt_tensor *out), (weight, index, out)) \
  X(embedding_linear, (lt_tensor table, lt_tensor index, lt_tensor weight, lt_tensor bias, double p, int32_t spatial, lt_generator *g, lt_tensor *out), (table, index, weight, bias, p, spatial, g, out)) /* dropout between, by channel if spatial; p 0: g may be NULL */ \
  X(lstm, (lt_tensor t, lt_tensor h0, lt_tensor c0, const lt_tensor *params, lt_tensor *out, lt_tensor *h, lt_tensor *c), (t, h0, c0, params, out, h, c)) \
  X(embedding_lstm, (lt_tensor table, lt_tensor index, const lt_tensor *params, double p, lt_generator *g, lt_tensor *out), (table, index, params, p, g, out)) /* dropout by channel between; the last state; p 0: g may be NULL */ \
  X(lstm_flatten, (const lt_tensor *params, int64_t in, int64_t hidden), (params, in, hidden)) /* into one buffer, as cuDNN wants them; nothing elsewhere */ \
  X(cross_entropy, (lt_tensor t, lt_tensor target, lt_tensor *out), (t, target, out)) \
  X(nll_loss, (lt_tensor t, lt_tensor target, lt_tensor *out), (t, target, out)) \
  /* attention and what stands around it in a network */ \
  X(gelu, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(layer_norm, (lt_tensor t, const int64_t *shape, int32_t n, lt_tensor weight_optional, lt_tensor bias_optional, double eps, lt_tensor *out), (t, shape, n, weight_optional, bias_optional, eps, out)) \
  X(attention, (lt_tensor query, lt_tensor key, lt_tensor value, lt_tensor mask_optional, lt_tensor *out), (query, key, value, mask_optional, out)) \
  X(upsample_bilinear2d, (lt_tensor t, int64_t height, int64_t width, lt_tensor *out), (t, height, width, out)) \
  /* autograd */ \
  X(set_grad_mode, (int32_t on, int32_t *previous), (on, previous)) \
  X(get_grad_mode, (int32_t *out), (out)) \
  X(requires_grad_, (lt_tensor t, int32_t on), (t, on)) \
  X(detach, (lt_tensor t, lt_tensor *out), (t, out)) \
  X(grad, (lt_tensor t, lt_tensor *out), (t, out)) /* 0 where there is none */ \
  X(set_grad, (lt_tensor t, lt_tensor grad_optional), (t, grad_optional)) \
  X(backward, (lt_tensor t), (t)) \
  X(gradients, (lt_tensor t, const lt_tensor *inputs, int32_t n, int32_t create_graph, lt_tensor *out), (t, inputs, n, create_graph, out)) \
  X(function_apply, (uintptr_t function, const lt_tensor *inputs, int32_t n, lt_tensor output, const lt_tensor *saved, int32_t n_saved, lt_tensor *out), (function, inputs, n, output, saved, n_saved, out)) \
  X(functions_done, (uintptr_t *functions, int32_t capacity, int32_t *n), (functions, capacity, n)) /* those whose node is gone */ \
  X(set_autocast, (int32_t device, int32_t dtype, int32_t on, int32_t *previous_dtype, int32_t *previous_on), (device, dtype, on, previous_dtype, previous_on)) \
  X(has_bfloat16, (int32_t *out), (out)) /* whether the CPU computes in it at speed */ \
  /* optimizers: one call for all parameters; those without a gradient are left alone */ \
  X(zero_grad, (const lt_tensor *params, int32_t n), (params, n)) \
  X(unscale, (const lt_tensor *params, int32_t n, double scale, int32_t *finite), (params, n, scale, finite)) /* divides the gradients; whether all are finite */ \
  X(sgd_step, (const lt_tensor *params, const lt_tensor *momenta, int32_t n, double lr, lt_tensor rate_optional, double momentum, double weight_decay), (params, momenta, n, lr, rate_optional, momentum, weight_decay)) /* here and below, rate: the learning rate on the device, in place of lr */ \
  X(adagrad_step, (const lt_tensor *params, const lt_tensor *sums, int32_t n, double lr, lt_tensor rate_optional, double eps, double weight_decay), (params, sums, n, lr, rate_optional, eps, weight_decay)) \
  X(adam_step, (const lt_tensor *params, const lt_tensor *means, const lt_tensor *squares, int32_t n, int64_t step, lt_tensor count_optional, lt_tensor rate_optional, lt_adam o), (params, means, squares, n, step, count_optional, rate_optional, o)) /* count: the step on the device, in place of step */ \
  /* graphs of operations that the dispatcher runs by name; failed: the node at fault, -1 none */ \
  X(program_new, (const int64_t *code, int64_t n, const char *text, int64_t text_bytes, lt_program **out, int32_t *failed), (code, n, text, text_bytes, out, failed)) \
  X(program_free, (lt_program *p), (p)) \
  X(program_run, (lt_program *p, const lt_tensor *inputs, int32_t n, int32_t training, lt_generator *stream_optional, lt_tensor *outputs, int32_t n_outputs, int32_t *failed), (p, inputs, n, training, stream_optional, outputs, n_outputs, failed)) \
  /* measuring */ \
  X(bench_add, (lt_tensor t, lt_tensor u, int64_t n, double *nanoseconds), (t, u, n, nanoseconds)) /* per op, in C++ */

#define LT_PROTOTYPE(name, params, args) lt_error *lt_##name params;
LT_FUNCTIONS(LT_PROTOTYPE)
#undef LT_PROTOTYPE

void lt_error_free(lt_error *e);

/* The shim's one exported symbol is lt_open: the table, and the fingerprint of
 * the list above that it was compiled with. */
typedef struct lt_api {
#define LT_MEMBER(name, params, args) lt_error *(*name) params;
  LT_FUNCTIONS(LT_MEMBER)
#undef LT_MEMBER
  void (*error_free)(lt_error *);
} lt_api;

#define LT_LINE(name, params, args) #name #params "\n"
#define LT_FINGERPRINT_TEXT LT_FUNCTIONS(LT_LINE)

typedef const lt_api *(*lt_open_fn)(const char **fingerprint_text);

/* The CUDA shim's own list; its one exported symbol is lt_open_cuda. */
#define LT_CUDA_FUNCTIONS(X) \
  X(hooks, (int32_t *real), (real)) /* whether libtorch knows of CUDA */ \
  X(probe, (int32_t *devices, int32_t *driver, int32_t *runtime, char **config, char **reason), (devices, driver, runtime, config, reason)) /* config: what libtorch was built for, where there is a GPU, or else reason: why there is none; lt_string_free */ \
  X(capability, (int32_t index, int32_t *major, int32_t *minor), (index, major, minor)) \
  X(alive, (void), ()) /* the error that CUDA gives to whatever it is asked, if there is one */ \
  X(set_device, (int32_t index), (index)) \
  X(get_device, (int32_t *out), (out)) \
  X(device_name, (int32_t index, char *buffer, int32_t size), (index, buffer, size)) \
  X(synchronize, (int32_t index), (index)) \
  X(memory, (int32_t index, int64_t *allocated, int64_t *reserved, int64_t *total), (index, allocated, reserved, total)) \
  X(empty_cache, (void), ()) \
  X(stream_enter, (int32_t index, void **before), (index, before)) /* the device, and there a stream of this thread's own, after the work of the current one */ \
  X(stream_leave, (void *before), (before)) /* back to what was current, which waits for the work of the own stream */ \
  X(graph_begin, (lt_generator *const *generators, int32_t n, void **out), (generators, n, out)) /* work of this thread's own stream is recorded, not done; the generators are those that it may draw from */ \
  X(graph_end, (void *graph), (graph)) /* after an error there is nothing to replay */ \
  X(graph_replay, (void *graph), (graph)) \
  X(graph_free, (void *graph), (graph)) /* ends the recording where it is under way */

#define LT_CUDA_PROTOTYPE(name, params, args) lt_error *lt_cuda_##name params;
LT_CUDA_FUNCTIONS(LT_CUDA_PROTOTYPE)
#undef LT_CUDA_PROTOTYPE

typedef struct lt_cuda_api {
#define LT_CUDA_MEMBER(name, params, args) lt_error *(*name) params;
  LT_CUDA_FUNCTIONS(LT_CUDA_MEMBER)
#undef LT_CUDA_MEMBER
} lt_cuda_api;

#define LT_CUDA_FINGERPRINT_TEXT LT_CUDA_FUNCTIONS(LT_LINE)

typedef const lt_cuda_api *(*lt_open_cuda_fn)(const char **fingerprint_text);

#ifdef __cplusplus
}
#endif
#endif
