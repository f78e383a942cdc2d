#pragma once

namespace crumple {

/// Sanitizers make everything about fifteen times slower: tests over all scenes look at the beginnings only there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace crumple
