/* Stands in for the header of that name in NVIDIA's compiler package (nvidia-cuda-crt, or
 * nvidia-cuda-nvcc-cu12), which the runtime's headers include but pip install torch does
 * not. The original checks the host compiler's version for nvcc, which a C++ compiler does
 * not need. CMakeLists.txt adds this folder only if NVIDIA's header is missing. */
#ifndef LOSSCORR_CRT_HOST_CONFIG_H
#define LOSSCORR_CRT_HOST_CONFIG_H

#define CUDARTAPI
#define CUDARTAPI_CDECL

#endif
