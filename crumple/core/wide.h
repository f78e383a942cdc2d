#pragma once

/// Marks a kernel that is compiled twice, for AVX2 and for the baseline, and chosen when the program starts. Contraction is off
/// everywhere, so both give the same bits. Sanitizers run before the choice can be made, hence the plain version there.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CRUMPLE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define CRUMPLE_WIDE
#endif
