/* Stands in for the header of that name in NVIDIA's compiler package, like host_config.h:
 * the CUDA C++ keywords that the runtime's headers use, which are empty for a C++ compiler,
 * and two attributes. */
#ifndef LOSSCORR_CRT_HOST_DEFINES_H
#define LOSSCORR_CRT_HOST_DEFINES_H

#ifndef CUDARTAPI
#define CUDARTAPI
#define CUDARTAPI_CDECL
#endif

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __specialization_static static
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __forceinline__ __inline__ __attribute__((always_inline))

#endif
