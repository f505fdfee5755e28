// What Go sees of C: the functions of cgo/api.h, and opening the shim.
#include "../cgo/api.h"

// losscorr_open opens the shim at path and fills the table behind the lt_
// functions. NULL, or what went wrong, to be freed by the caller.
char *losscorr_open(const char *path);

// losscorr_open_cuda does the same for the CUDA shim and the lt_cuda_ functions.
char *losscorr_open_cuda(const char *path);

// losscorr_open_driver says whether a library of the system's can be opened, by its
// name: NULL, or why not, to be freed by the caller.
char *losscorr_open_driver(const char *path);
