// The C functions that Go calls: cgo/api.h, and opening the shim.
#include "../cgo/api.h"

// losscorr_open opens the shim at path and fills the table behind the lt_ functions. Returns NULL, or an error text
// that the caller frees.
char *losscorr_open(const char *path);

// losscorr_open_cuda does the same for the CUDA shim and the lt_cuda_ functions.
char *losscorr_open_cuda(const char *path);

// losscorr_open_driver tries to open a system library by name. Returns NULL, or an error text that the caller frees.
char *losscorr_open_driver(const char *path);
