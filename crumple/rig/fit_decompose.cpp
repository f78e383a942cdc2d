#include "crumple/rig/fit_decompose.h"

#include <algorithm>
#include <cmath>

#include "crumple/rig/fit_bones.h"
#include "crumple/rig/fit_start.h"
#include "crumple/rig/fit_weights.h"

namespace crumple {
namespace {

constexpr int kStarts = 2;            // starts of which the best is finished
constexpr int kFadeRounds = 20;       // while the terms fade
constexpr int kFinishRounds = 80;     // at most
constexpr int kMotionSteps = 4;       // a round
constexpr double kWorthwhile = 0.97;  // of the error before, over kPatience rounds: otherwise it is finished
constexpr int kPatience = 5;
constexpr FitTerms kFirst = {1e-3, 1e-1, 0}, kLast = {3e-4, 3e-5, 0};
constexpr double kSearchShare = 0.7;  // of the work, when the number of bones is to be found

class Decomposer {
 public:
  Decomposer(const FitProblem& problem, const DecomposeSettings& settings, const DecomposeWatch& watch)
      : problem_(problem), settings_(settings), watch_(watch) {}

  Decomposition run() {
    Decomposition best = settings_.bones > 0 ? fit(settings_.bones, 0, 0, 0.25) : search();
    for (int choice = 1; choice < kStarts && !cancelled(); ++choice) {
      Decomposition other = fit(best.bones, choice, from_, from_ + 0.5 * (1 - from_));
      if (other.bones <= best.bones && surface_rms(problem_, other) < surface_rms(problem_, best)) best = std::move(other);
    }
    finish(best);
    if (settings_.bones == 0) drop_needless(best);
    return best;
  }

 private:
  bool cancelled() const { return watch_.cancel != nullptr && watch_.cancel->requested(); }

  void round(const FitTerms& terms, Decomposition& state) const {
    sweep_weights(problem_, terms, state);
    improve_motions(problem_, terms, kMotionSteps, state);
    reseed_bones(problem_, state);
  }

  /// A usable fit; `begin` and `end` say which part of all work it is.
  Decomposition fit(int bones, int choice, double begin, double end) {
    Decomposition state = start_from_parts(problem_, bones, choice);
    for (int r = 0; r < kFadeRounds && !cancelled(); ++r) {
      const double fade = static_cast<double>(r) / kFadeRounds;
      const FitTerms terms = {kFirst.smooth * std::pow(kLast.smooth / kFirst.smooth, fade), kFirst.rigid * std::pow(kLast.rigid / kFirst.rigid, fade),
                              settings_.influences};
      round(terms, state);
      tell(begin + (end - begin) * (r + 1) / kFadeRounds);
    }
    from_ = end;
    return state;
  }

  void finish(Decomposition& state) {
    FitTerms terms = kLast;
    terms.influences = settings_.influences;
    double before = surface_rms(problem_, state);
    for (int r = 1; r <= kFinishRounds && !cancelled(); ++r) {
      round(terms, state);
      tell(from_ + (1 - from_) * r / kFinishRounds);
      if (r % kPatience != 0) continue;
      const double now = surface_rms(problem_, state);
      if (now > kWorthwhile * before) break;
      before = now;
    }
  }

  /// The fewest bones that are good enough: doubling until they are, then halving the gap.
  Decomposition search() {
    int too_few = 0;
    Decomposition good;
    double done = 0;
    const auto attempt = [&](int bones) {
      const double share = 0.25 * (kSearchShare - done);
      Decomposition state = fit(bones, 0, done, done + share);
      done += share;
      return state;
    };
    for (int bones = 1;; bones = std::min(2 * bones, settings_.most_bones)) {
      good = attempt(bones);
      if (cancelled() || surface_rms(problem_, good) <= settings_.wanted || bones == settings_.most_bones || good.bones < bones) break;
      too_few = bones;
    }
    while (good.bones - too_few > 1 && !cancelled() && surface_rms(problem_, good) <= settings_.wanted) {
      const int bones = (good.bones + too_few) / 2;
      Decomposition fewer = attempt(bones);
      if (surface_rms(problem_, fewer) <= settings_.wanted) {
        good = std::move(fewer);
      } else {
        too_few = bones;
      }
    }
    from_ = kSearchShare;
    return good;
  }

  /// What is finished may be better than it had to be.
  void drop_needless(Decomposition& best) {
    while (best.bones > 1 && surface_rms(problem_, best) <= settings_.wanted && !cancelled()) {
      Decomposition fewer = fit(best.bones - 1, 0, 1, 1);
      finish(fewer);
      if (cancelled() || fewer.bones >= best.bones || surface_rms(problem_, fewer) > settings_.wanted) return;
      best = std::move(fewer);
    }
  }

  void tell(double share) const {
    if (watch_.progress) watch_.progress(share);
  }

  const FitProblem& problem_;
  const DecomposeSettings& settings_;
  const DecomposeWatch& watch_;
  double from_ = 0;  // share of all work that is done
};

}  // namespace

Decomposition decompose(const FitProblem& problem, const DecomposeSettings& settings, const DecomposeWatch& watch) {
  return Decomposer(problem, settings, watch).run();
}

}  // namespace crumple
