// Includes the file CRUMPLE_KERNELS once for each width of vector registers, into the namespaces plain, wide and wider, with CRUMPLE_VECTOR_BYTES being
// the width; CRUMPLE_PICK calls the one that suits this machine. Vector types must be seen under their own instruction set from the start: a function
// cloned later has them split into the baseline's halves before the clone is made.

#if defined(__x86_64__) && !defined(__clang__)
// GCC 12 takes the undefined registers of its own header for a mistake.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace plain {
#define CRUMPLE_VECTOR_BYTES 16
#include CRUMPLE_KERNELS
#undef CRUMPLE_VECTOR_BYTES
}  // namespace plain
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
namespace wide {
#define CRUMPLE_VECTOR_BYTES 32
#include CRUMPLE_KERNELS
#undef CRUMPLE_VECTOR_BYTES
}  // namespace wide
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl")
#endif
namespace wider {
#define CRUMPLE_VECTOR_BYTES 64
#include CRUMPLE_KERNELS
#undef CRUMPLE_VECTOR_BYTES
}  // namespace wider
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
const bool has_wide = __builtin_cpu_supports("avx2") != 0;
const bool has_wider = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
namespace wide = plain;
namespace wider = plain;
constexpr bool has_wide = false, has_wider = false;
#endif

#define CRUMPLE_PICK(kernel, ...) (has_wider ? wider::kernel(__VA_ARGS__) : has_wide ? wide::kernel(__VA_ARGS__) : plain::kernel(__VA_ARGS__))
