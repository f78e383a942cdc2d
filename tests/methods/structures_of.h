#pragma once

#include <gtest/gtest.h>

#include "crumple/methods/structures/structures.h"

namespace crumple::structures {

inline MaterialChoice steel_choice(double yield = 200e6) {
  MaterialChoice material;
  material.steel = yield;
  return material;
}

inline SectionChoice rect(double width, double height) {
  SectionChoice section;
  section.rect = {width, height};
  return section;
}
inline SectionChoice circle(double diameter) {
  SectionChoice section;
  section.circle = diameter;
  return section;
}
inline SectionChoice tube(double diameter, double wall) {
  SectionChoice section;
  section.tube = {diameter, wall};
  return section;
}
inline SectionChoice i_beam(double height, double width, double web, double flange) {
  SectionChoice section;
  section.i_beam = {height, width, web, flange};
  return section;
}

inline Bar bar(const Vec3& from, const Vec3& to, int pieces, std::string name = "") {
  Bar made;
  made.name = std::move(name), made.from = from, made.to = to, made.pieces = pieces;
  return made;
}

inline Support support(const Vec3& at, SupportKind hold = SupportKind::Clamped) {
  Support made;
  made.at = at, made.hold = hold;
  return made;
}

inline SinglePiece box_piece(const std::string& name, const Vec3& size, const Vec3& at) {
  SinglePiece piece;
  piece.name = name, piece.at = at;
  piece.box = {size.x(), size.y(), size.z()};
  return piece;
}

inline SingleJoint joint(const std::string& a, const std::string& b, const Vec3& at, const Vec3& axis = Vec3::UnitX()) {
  SingleJoint made;
  made.a = a, made.b = b, made.at = at, made.axis = axis;
  return made;
}

/// Of steel with a section of 0.1 x 0.2 m.
inline Settings of_bars(std::vector<Bar> bars) {
  Settings settings;
  settings.section = rect(0.1, 0.2);
  settings.material = steel_choice();
  settings.bars = std::move(bars);
  return settings;
}

/// 2 m along x, 3 m along z, 20 mm thick.
inline Settings of_plate(int along_x, int along_z) {
  Settings settings;
  settings.material = steel_choice();
  Plate plate;
  plate.name = "deck", plate.size = {2, 3}, plate.thickness = 0.02, plate.cells = {along_x, along_z};
  settings.plates = {plate};
  return settings;
}

inline Result<Model> tried(const Settings& settings) {
  const std::vector<const TriMesh*> none(settings.pieces.size(), nullptr);
  return build(settings, none, 1000);
}

inline Model built(const Settings& settings) {
  Result<Model> model = tried(settings);
  EXPECT_TRUE(model) << (model ? "" : model.error().text);
  return model ? std::move(*model) : Model();
}

inline std::string complaint(const Settings& settings) {
  const Result<Model> model = tried(settings);
  EXPECT_FALSE(model);
  return model ? "" : model.error().text;
}

}  // namespace crumple::structures
