/* Stands in for the header of that name in NVIDIA's compiler package (nvidia-cuda-crt,
 * or nvidia-cuda-nvcc-cu12), which the runtime's headers include and which pip install
 * torch does not bring. It checks the version of the host compiler for nvcc; a C++
 * compiler alone has nothing to check. CMakeLists.txt puts this folder on the path only
 * where NVIDIA's own is missing. */
#ifndef LOSSCORR_CRT_HOST_CONFIG_H
#define LOSSCORR_CRT_HOST_CONFIG_H

#define CUDARTAPI
#define CUDARTAPI_CDECL

#endif
