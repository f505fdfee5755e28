/* The C ABI between Go and libtorch: the only list of functions.
 *
 * LT_FUNCTIONS has one line for each function: X(result, name, (parameters), (arguments)).
 * Plain operations have theirs in ops.h, generated from ops.go. The preprocessor turns the
 * list into the prototypes (below), the table of pointers that the shim exports (struct
 * lt_api), the trampolines that Go calls (torch/loader.c), and the fingerprint that shows
 * both sides were compiled from the same list.
 *
 * Every result holds an error, which is NULL or must be freed with lt_error_free. A tensor
 * is a handle (generation << 32 | slot); 0 means "none" and is allowed where a comment or
 * name says optional. Shapes, dims and lists are a pointer and a count. */
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
  LT_DEVICE_LOST, /* from here on every CUDA call fails */
  LT_PANIC /* Go's backward panicked; the message is the number it returned */
};

/* dtype: 0 float32, 1 float64, 2 bfloat16, 3 float16, 4 int64, 5 int32, 6 uint8, 7 bool.
 * device: 0 cpu, 0x100 | index for cuda. */
typedef struct lt_options {
  int32_t dtype;
  int32_t device;
} lt_options;

enum { LT_MAX_DIM = 8 };

/* The results of functions. */
typedef lt_error *lt_done;

typedef struct lt_made {
  lt_tensor tensor;
  lt_error *error;
} lt_made;

typedef struct lt_pair {
  lt_tensor first, second;
  lt_error *error;
} lt_pair;

typedef struct lt_facts {
  lt_error *error;
  int32_t dtype, device, dim, requires_grad, sparse;
  int64_t numel;
  int64_t shape[LT_MAX_DIM];
  int64_t stride[LT_MAX_DIM];
} lt_facts;

/* Go's half of torch.Function: gets the gradient of the output and what forward saved,
 * writes one gradient per input (0: none), and returns 0, or the number under which Go
 * keeps the value of a panic. */
typedef int64_t (*lt_go_backward)(uintptr_t function, lt_tensor grad, lt_tensor *saved, int32_t n_saved,
                                  lt_tensor *grads, int32_t n_grads);

typedef struct lt_adam {
  double lr, beta1, beta2, eps, weight_decay;
} lt_adam;

#include "ops.h"

#define LT_FUNCTIONS(X) \
  LT_OPERATIONS(X) \
  /* the process */ \
  X(lt_done, set_backward, (lt_go_backward backward), (backward)) \
  X(lt_done, describe, (char **out), (out)) /* version and CPU capability; does not initialise CUDA; lt_string_free */ \
  X(lt_done, build_config, (char **out), (out)) /* libtorch's description of its build; initialises CUDA, see cuda.go; lt_string_free */ \
  X(lt_done, string_free, (char *s), (s)) \
  X(lt_done, set_threads, (int32_t n), (n)) \
  X(lt_done, get_threads, (int32_t *out), (out)) \
  X(lt_done, set_flag, (int32_t flag, int32_t on), (flag, on)) /* 0 TF32 in products, 1 deterministic, 2 TF32 in cuDNN */ \
  X(lt_done, host_memory, (int64_t *allocated, int64_t *reserved), (allocated, reserved)) /* the C library's bytes in use and bytes taken from the system; 0 if not counted */ \
  X(lt_done, host_trim, (void), ()) /* returns memory freed by host tensors to the system */ \
  /* handles and scopes */ \
  X(lt_done, live, (int64_t *out), (out)) \
  X(lt_done, scope_begin, (void), ()) \
  X(lt_done, scope_end, (void), ()) \
  X(lt_done, keep, (lt_tensor t), (t)) \
  X(lt_done, free, (lt_tensor t), (t)) \
  X(lt_facts, info, (lt_tensor t), (t)) \
  /* making and copying */ \
  X(lt_made, from_data, (const void *data, const int64_t *shape, int32_t dim, lt_options o), (data, shape, dim, o)) \
  X(lt_done, copy_out, (lt_tensor t, void *dst, int64_t bytes), (t, dst, bytes)) \
  X(lt_made, arange, (double start, double end, double step, lt_options o), (start, end, step, o)) \
  X(lt_made, to, (lt_tensor t, lt_options o, int32_t non_blocking), (t, o, non_blocking)) \
  /* random streams */ \
  X(lt_done, generator_new, (uint64_t seed, int32_t device, lt_generator **out), (seed, device, out)) \
  X(lt_done, generator_free, (lt_generator *g), (g)) \
  X(lt_done, generator_state, (lt_generator *g, void *buffer, int64_t *bytes), (g, buffer, bytes)) /* buffer NULL: size only */ \
  X(lt_done, generator_restore, (lt_generator *g, const void *state, int64_t bytes), (g, state, bytes)) \
  X(lt_done, uniform_, (lt_tensor t, double low, double high, lt_generator *g), (t, low, high, g)) \
  X(lt_done, normal_, (lt_tensor t, double mean, double std, lt_generator *g), (t, mean, std, g)) \
  X(lt_done, bernoulli_, (lt_tensor t, double p, lt_generator *g), (t, p, g)) \
  X(lt_done, random_, (lt_tensor t, int64_t low, int64_t high, lt_generator *g), (t, low, high, g)) \
  X(lt_made, randperm, (int64_t n, lt_options o, lt_generator *g), (n, o, g)) \
  X(lt_made, dropout, (lt_tensor t, double p, uint32_t shared_dims, lt_generator *g), (t, p, shared_dims, g)) /* bit d: one draw for all of dimension d */ \
  X(lt_made, relu_dropout, (lt_tensor t, double p, lt_generator *g), (t, p, g)) \
  /* matrices that are mostly zeros */ \
  X(lt_made, from_csr, (lt_tensor start, lt_tensor column, lt_tensor value, int64_t columns), (start, column, value, columns)) /* row i is [start[i], start[i + 1]) */ \
  X(lt_done, items, (const lt_tensor *ts, int32_t n, double *out), (ts, n, out)) /* several scalars, one synchronisation */ \
  /* networks */ \
  X(lt_made, conv2d, (lt_tensor t, lt_tensor weight, lt_tensor bias_optional, int64_t stride, int64_t padding, int64_t groups), (t, weight, bias_optional, stride, padding, groups)) \
  X(lt_made, max_pool2d, (lt_tensor t, int64_t kernel, int64_t stride, int64_t padding), (t, kernel, stride, padding)) \
  X(lt_made, embedding_linear, (lt_tensor table, lt_tensor index, lt_tensor weight, lt_tensor bias, double p, int32_t spatial, lt_generator *g), (table, index, weight, bias, p, spatial, g)) /* dropout between, by channel if spatial; p 0: g may be NULL */ \
  X(lt_done, lstm, (lt_tensor t, lt_tensor h0, lt_tensor c0, const lt_tensor *params, lt_tensor *out, lt_tensor *h, lt_tensor *c), (t, h0, c0, params, out, h, c)) \
  X(lt_made, embedding_lstm, (lt_tensor table, lt_tensor index, const lt_tensor *params, double p, lt_generator *g), (table, index, params, p, g)) /* dropout by channel between; returns the last state; p 0: g may be NULL */ \
  X(lt_done, lstm_flatten, (const lt_tensor *params, int64_t in, int64_t hidden), (params, in, hidden)) /* into one buffer for cuDNN; does nothing elsewhere */ \
  /* autograd */ \
  X(lt_done, set_grad_mode, (int32_t on, int32_t *previous), (on, previous)) \
  X(lt_done, get_grad_mode, (int32_t *out), (out)) \
  X(lt_done, requires_grad_, (lt_tensor t, int32_t on), (t, on)) \
  X(lt_made, grad, (lt_tensor t), (t)) /* 0 if none */ \
  X(lt_done, set_grad, (lt_tensor t, lt_tensor grad_optional), (t, grad_optional)) \
  X(lt_done, backward, (lt_tensor t), (t)) \
  X(lt_done, gradients, (lt_tensor t, const lt_tensor *inputs, int32_t n, int32_t create_graph, lt_tensor *out), (t, inputs, n, create_graph, out)) \
  X(lt_made, function_apply, (uintptr_t function, const lt_tensor *inputs, int32_t n, lt_tensor output, const lt_tensor *saved, int32_t n_saved), (function, inputs, n, output, saved, n_saved)) \
  X(lt_done, functions_done, (uintptr_t *functions, int32_t capacity, int32_t *n), (functions, capacity, n)) /* functions whose node is gone */ \
  X(lt_done, set_autocast, (int32_t device, int32_t dtype, int32_t on, int32_t *previous_dtype, int32_t *previous_on), (device, dtype, on, previous_dtype, previous_on)) \
  X(lt_done, has_bfloat16, (int32_t *out), (out)) /* whether the CPU computes fast in it */ \
  /* optimizers: one call for all parameters; those without a gradient stay unchanged */ \
  X(lt_done, zero_grad, (const lt_tensor *params, int32_t n), (params, n)) \
  X(lt_done, unscale, (const lt_tensor *params, int32_t n, double scale, int32_t *finite), (params, n, scale, finite)) /* divides the gradients; whether all are finite */ \
  X(lt_done, sgd_step, (const lt_tensor *params, const lt_tensor *momenta, int32_t n, double lr, lt_tensor rate_optional, double momentum, double weight_decay), (params, momenta, n, lr, rate_optional, momentum, weight_decay)) /* here and below, rate: the learning rate on the device, instead of lr */ \
  X(lt_done, adagrad_step, (const lt_tensor *params, const lt_tensor *sums, int32_t n, double lr, lt_tensor rate_optional, double eps, double weight_decay), (params, sums, n, lr, rate_optional, eps, weight_decay)) \
  X(lt_done, adam_step, (const lt_tensor *params, const lt_tensor *means, const lt_tensor *squares, int32_t n, int64_t step, lt_tensor count_optional, lt_tensor rate_optional, lt_adam o), (params, means, squares, n, step, count_optional, rate_optional, o)) /* count: the step on the device, instead of step */ \
  /* graphs of operations that the dispatcher runs by name; failed: the node at fault, or -1 */ \
  X(lt_done, program_new, (const int64_t *code, int64_t n, const char *text, int64_t text_bytes, lt_program **out, int32_t *failed), (code, n, text, text_bytes, out, failed)) \
  X(lt_done, program_free, (lt_program *p), (p)) \
  X(lt_done, program_run, (lt_program *p, const lt_tensor *inputs, int32_t n, int32_t training, lt_generator *stream_optional, lt_tensor *outputs, int32_t n_outputs, int32_t *failed), (p, inputs, n, training, stream_optional, outputs, n_outputs, failed)) \
  /* measuring */ \
  X(lt_done, bench_add, (lt_tensor t, lt_tensor u, int64_t n, double *nanoseconds), (t, u, n, nanoseconds)) /* per op, in C++ */

#define LT_PROTOTYPE(result, name, params, args) result lt_##name params;
LT_FUNCTIONS(LT_PROTOTYPE)
#undef LT_PROTOTYPE

void lt_error_free(lt_error *e);

/* The shim exports one symbol, lt_open: it returns the table, and the fingerprint of the
 * list above that the shim was compiled with. */
typedef struct lt_api {
#define LT_MEMBER(result, name, params, args) result (*name) params;
  LT_FUNCTIONS(LT_MEMBER)
#undef LT_MEMBER
  void (*error_free)(lt_error *);
} lt_api;

#define LT_LINE(result, name, params, args) #result " " #name #params "\n"
#define LT_FINGERPRINT_TEXT LT_FUNCTIONS(LT_LINE)

typedef const lt_api *(*lt_open_fn)(const char **fingerprint_text);

/* The CUDA shim's list; it exports one symbol, lt_open_cuda. */
#define LT_CUDA_FUNCTIONS(X) \
  X(hooks, (int32_t *real), (real)) /* whether libtorch has CUDA */ \
  X(probe, (int32_t *devices, int32_t *driver, int32_t *runtime, char **config, char **reason), (devices, driver, runtime, config, reason)) /* config: libtorch's CUDA build if there is a GPU, otherwise reason: why there is no GPU; lt_string_free */ \
  X(capability, (int32_t index, int32_t *major, int32_t *minor), (index, major, minor)) \
  X(alive, (void), ()) /* fails if every CUDA call does */ \
  X(device_name, (int32_t index, char *buffer, int32_t size), (index, buffer, size)) \
  X(synchronize, (int32_t index), (index)) \
  X(memory, (int32_t index, int64_t *allocated, int64_t *reserved, int64_t *total), (index, allocated, reserved, total)) \
  X(empty_cache, (void), ()) \
  X(stream_enter, (int32_t index, void **before), (index, before)) /* makes the device current, and a stream of this thread on it, after the current stream's work */ \
  X(stream_leave, (void *before), (before)) /* restores what was current, after the work of this thread's stream */ \
  X(graph_begin, (lt_generator *const *generators, int32_t n, void **out), (generators, n, out)) /* records the work of this thread's stream without executing it; it may draw only from these generators */ \
  X(graph_end, (void *graph), (graph)) /* after an error there is nothing to replay */ \
  X(graph_replay, (void *graph), (graph)) \
  X(graph_free, (void *graph), (graph)) /* ends a recording in progress */

#define LT_CUDA_PROTOTYPE(name, params, args) lt_error *lt_cuda_##name params;
LT_CUDA_FUNCTIONS(LT_CUDA_PROTOTYPE)
#undef LT_CUDA_PROTOTYPE

typedef struct lt_cuda_api {
#define LT_CUDA_MEMBER(name, params, args) lt_error *(*name) params;
  LT_CUDA_FUNCTIONS(LT_CUDA_MEMBER)
#undef LT_CUDA_MEMBER
} lt_cuda_api;

#define LT_CUDA_LINE(name, params, args) #name #params "\n"
#define LT_CUDA_FINGERPRINT_TEXT LT_CUDA_FUNCTIONS(LT_CUDA_LINE)

typedef const lt_cuda_api *(*lt_open_cuda_fn)(const char **fingerprint_text);

#ifdef __cplusplus
}
#endif
#endif
