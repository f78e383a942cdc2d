#pragma once

#include "crumple/world/body.h"

namespace crumple {

/// Options for drawing.
struct View {
  std::string color;       // a scheme of some method, "state" for the main scheme of each method; empty or "plain": appearance
  bool particles = false;  // matter as balls instead of its surface
};

/// All schemes that View::color may name beside "state", with help; "plain" first.
std::vector<ColorScheme> color_schemes();

/// Cache of a viewer between frames, independent of the world.
class ViewCache {
 public:
  MatterDrawn& drawn(const Body& body, int index);

 private:
  std::map<int, MatterDrawn> drawn_;
};

/// Drawn items of a body with the rest frame of each piece at `places`: one item while it is whole, otherwise two for each piece. Pieces made by
/// bonds always have one item each.
std::vector<FrameItem> draw_body(const Body& body, int index, std::span<const Transform> places, bool in_pieces, const View& view, ViewCache& cache);

/// Whether pieces have turned against each other, given the places of their rest frames.
bool is_bent(std::span<const Transform> places);
/// Points of a whole divided body, seen from a frame, with the rest frame of each piece at `places`.
std::vector<Vec3f> bent_points(const Body& body, std::span<const Transform> places, const Transform& from, const PieceSide& side);
/// The same of a piece that bonds made, or of the vertices of all of them.
std::vector<Vec3f> points_of_pieces(const Body& body, std::span<const Transform> places, const Transform& from, const PieceSide& side);

/// Note on details that were drawn more coarsely than simulated; empty: none.
std::string note_of(const Body& body, int index, ViewCache& cache);

}  // namespace crumple
