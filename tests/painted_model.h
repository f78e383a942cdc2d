#pragma once

#include <memory>

#include "crumple/geometry/mesh.h"
#include "crumple/io/image.h"

namespace crumple {

/// A picture of two by two fields, red, green, blue and white, each of `side` pixels.
inline std::shared_ptr<const TextureImage> four_fields(int side = 8) {
  auto picture = std::make_shared<Picture>(2 * side, 2 * side);
  const uint8_t colors[4][3] = {{220, 30, 30}, {30, 200, 30}, {30, 30, 220}, {240, 240, 240}};
  for (int y = 0; y < 2 * side; ++y) {
    for (int x = 0; x < 2 * side; ++x) {
      const uint8_t* color = colors[2 * (y / side) + x / side];
      std::copy_n(color, 3, picture->pixel(x, y));
      picture->pixel(x, y)[3] = 255;
    }
  }
  const Result<std::string> bytes = io::encode_png(*picture);
  return std::make_shared<const TextureImage>(TextureImage{"four fields", "image/png", *bytes, picture});
}

/// A box of one material with a picture, whose top is of another and belongs to an object of its own: texture coordinates and normals by face.
inline TriMesh painted_box(const Vec3& size = Vec3(1, 1, 1), int cells = 1) {
  TriMesh mesh;
  Materials materials(2);
  materials[0].name = "painted", materials[0].color_texture.image = four_fields(), materials[0].metal = 0.1, materials[0].roughness = 0.4;
  materials[1].name = "lid", materials[1].color = Vec3f(0.8f, 0.7f, 0.1f), materials[1].metal = 0, materials[1].roughness = 0.9;
  mesh.materials = std::make_shared<const Materials>(std::move(materials));
  mesh.groups = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"box/body", "box/lid"});
  for (int side = 0; side < 6; ++side) {
    const int axis = side / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double sign = side % 2 == 0 ? 1 : -1;
    Vec3 normal = Vec3::Zero();
    normal[axis] = sign;
    const int first = static_cast<int>(mesh.positions.size());
    for (int j = 0; j <= cells; ++j) {
      for (int i = 0; i <= cells; ++i) {
        Vec3 p = 0.5 * normal.cwiseProduct(size);
        p[u] = size[u] * (static_cast<double>(i) / cells - 0.5), p[v] = size[v] * (static_cast<double>(j) / cells - 0.5);
        mesh.positions.push_back(p);
        mesh.uvs.emplace_back(static_cast<float>(i) / static_cast<float>(cells), static_cast<float>(j) / static_cast<float>(cells));
        mesh.normals.push_back(normal.cast<float>());
      }
    }
    for (int j = 0; j < cells; ++j) {
      for (int i = 0; i < cells; ++i) {
        const int a = first + j * (cells + 1) + i, b = a + 1, c = a + cells + 1, d = c + 1;
        const bool is_top = side == 2;
        for (Triangle t : {Triangle{a, b, d}, Triangle{a, d, c}}) {
          if (sign < 0) std::swap(t[1], t[2]);
          mesh.triangles.push_back(t);
          mesh.material.push_back(is_top ? 1 : 0);
          mesh.group.push_back(is_top ? 1 : 0);
        }
      }
    }
  }
  return mesh;
}

}  // namespace crumple
