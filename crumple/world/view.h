#pragma once

#include "crumple/world/body.h"

namespace crumple {

/// What is wanted to be seen.
struct View {
  std::string color;       // a scheme of some method, "state" for the one that shows each method best; empty or "plain": appearance
  bool particles = false;  // matter as balls instead of its surface
};

/// All schemes that View::color may name beside "state", with help; "plain" first.
std::vector<ColorScheme> color_schemes();

/// What a viewer keeps between frames to draw sooner; the world knows nothing of it.
class ViewCache {
 public:
  MatterDrawn& drawn(const Body& body, int index);

 private:
  std::map<int, MatterDrawn> drawn_;
};

/// What the body looks like with the rest frame of each piece at `places`: one item while it is whole, otherwise two for each piece; of a
/// body whose bonds have made its pieces always one for each.
std::vector<FrameItem> draw_body(const Body& body, int index, std::span<const Transform> places, bool in_pieces, const View& view, ViewCache& cache);

/// What was drawn more coarsely than it was simulated; empty: nothing.
std::string note_of(const Body& body, int index, ViewCache& cache);

}  // namespace crumple
