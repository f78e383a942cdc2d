#include "crumple/rig/score_locate.h"

#include <algorithm>

namespace crumple {

PieceLocator::PieceLocator(const CutBody& body) : body_(body), fragments_(body.cells.size()), only_(body.cells.size(), -1) {
  for (size_t i = 0; i < body.fragments.size(); ++i) {
    const auto cell = static_cast<size_t>(body.fragments[i].cell);
    const int piece = body.piece_of[i];
    only_[cell] = fragments_[cell].empty() || only_[cell] == piece ? piece : -1;
    fragments_[cell].push_back(static_cast<int>(i));
  }
}

std::vector<int> PieceLocator::pieces_at(int cell, const std::vector<Vec3>& points) const {
  const auto index = static_cast<size_t>(cell);
  if (points.empty() || only_[index] >= 0) return std::vector<int>(points.size(), only_[index]);
  std::vector<int> members = fragments_[index];
  if (members.empty()) {  // the largest part of each tetrahedron
    for (size_t t = 0; t < body_.mesh.tets.size(); ++t) {
      const auto of_tet = body_.fragments_of(static_cast<int>(t));
      const auto largest = std::max_element(of_tet.begin(), of_tet.end(), [](const Fragment& a, const Fragment& b) { return a.volume < b.volume; });
      if (largest != of_tet.end()) members.push_back(static_cast<int>(&*largest - body_.fragments.data()));
    }
  }
  TetMesh mesh;
  std::vector<int> number(body_.mesh.positions.size(), -1);
  for (const int i : members) {
    Tetrahedron tet = body_.mesh.tets[static_cast<size_t>(body_.fragments[static_cast<size_t>(i)].tet)];
    for (int& v : tet) {
      int& copy = number[static_cast<size_t>(v)];
      if (copy < 0) copy = static_cast<int>(mesh.positions.size()), mesh.positions.push_back(body_.mesh.positions[static_cast<size_t>(v)]);
      v = copy;
    }
    mesh.tets.push_back(tet);
  }
  std::vector<int> pieces;
  for (const int tet : embed(mesh, points).tet) pieces.push_back(body_.piece_of[static_cast<size_t>(members[static_cast<size_t>(tet)])]);
  return pieces;
}

}  // namespace crumple
