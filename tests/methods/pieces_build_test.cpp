#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "crumple/geometry/elements.h"
#include "crumple/geometry/mass.h"
#include "crumple/rig/paint.h"
#include "tests/methods/blocks.h"
#include "tests/shapes.h"

namespace crumple::pieces {
namespace {

constexpr double kDensity = 800;
const Vec3 kSize(1, 0.5, 0.4);

/// Boxes in a row along x, scored where they meet; each has its own copies of the vertices of its faces.
RiggedBody scored_row(int count, int cells) {
  RiggedBody body;
  Asset& asset = body.asset;
  asset.name = "row";
  asset.pieces.emplace();
  Pieces& pieces = *asset.pieces;
  const TetMesh box = lattice_box(kSize, cells);
  const int across = (cells + 1) * (cells + 1), along = cells + 1;
  for (int k = 0; k < count; ++k) {
    const int first = static_cast<int>(asset.tets.positions.size());
    for (int v = 0; v < static_cast<int>(box.positions.size()); ++v) {
      asset.tets.positions.push_back(box.positions[static_cast<size_t>(v)] + Vec3(k * kSize.x(), 0, 0));
      pieces.origin.push_back((v / along) + across * (k * cells + v % along));  // equal where the last column of one box is the first of the next
    }
    for (Tetrahedron tet : box.tets) {
      for (int& v : tet) v += first;
      asset.tets.tets.push_back(tet);
      pieces.of_tet.push_back(k);
    }
    pieces.surfaces.emplace_back();
    if (k == 0) continue;
    const Vec3 squares(0, kSize.y() * kSize.y() / 12, kSize.z() * kSize.z() / 12);
    pieces.links.push_back({k - 1, k, kSize.y() * kSize.z(), Vec3((k - 0.5) * kSize.x(), 0, 0), Vec3::UnitX(), Mat3(squares.asDiagonal())});
  }
  pieces.volumes = lumped_masses(asset.tets, 1);
  asset.surface.positions = asset.tets.positions;
  asset.surface.triangles = boundary_faces(asset.tets);
  body.unit_masses = pieces.volumes;
  return body;
}

std::vector<double> masses_of(const RiggedBody& body) {
  std::vector<double> masses = body.unit_masses;
  for (double& mass : masses) mass *= kDensity;
  return masses;
}

Result<Model> built(const RiggedBody& body, const Settings& settings = {}) {
  return build(body, settings, masses_of(body));
}

TEST(PiecesModel, weighs_each_piece_and_together_what_the_body_weighs) {
  const RiggedBody body = scored_row(3, 2);
  const Result<Model> model = built(body);
  ASSERT_TRUE(model) << model.error().text;
  ASSERT_EQ(model->pieces.size(), 3u);
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(model->pieces[k].mass, kDensity * kSize.prod(), 1e-9);
    EXPECT_LT((model->pieces[k].center - Vec3(static_cast<double>(k), 0, 0)).norm(), 1e-6);
  }
  std::vector<Vec3f> positions;
  for (const Vec3& p : body.asset.tets.positions) positions.push_back(p.cast<float>());
  const PointMassProperties points = mass_of_points(positions, masses_of(body));
  const std::vector<uint8_t> broken = testing::all_hold(*model);
  const Piece whole = make_factors(*model, broken, connected(*model, broken))->groups[0]->whole;
  EXPECT_NEAR(whole.mass, points.mass, 1e-12 * points.mass);
  EXPECT_LT((whole.center - points.center).norm(), 1e-12);
  EXPECT_LT((whole.inertia - points.inertia).norm(), 1e-12 * points.inertia.norm());
}

TEST(PiecesModel, takes_limits_from_strength_and_area) {
  const RiggedBody body = scored_row(3, 1);
  const Result<Model> model = built(body, {.strength = 500});
  ASSERT_TRUE(model);
  ASSERT_EQ(model->links.size(), 2u);
  for (const Weld& link : model->links) EXPECT_NEAR(link.limit, 500 * 0.2, 1e-12);
  EXPECT_NEAR(model->weakest, 100, 1e-12);
  EXPECT_NEAR(model->links[0].turning(0, 0), 12 / (0.25 + 0.16), 1e-9);
  EXPECT_NEAR(model->links[0].turning(1, 1), 12 / 0.16, 1e-9);
}

TEST(PiecesModel, is_never_broken_by_anything_if_its_strength_says_so) {
  const RiggedBody body = scored_row(2, 1);
  for (const double strength : {kNeverBreaks, 1e300, std::numeric_limits<double>::infinity()}) {
    const Result<Model> model = built(body, {.strength = strength});
    ASSERT_TRUE(model);
    EXPECT_TRUE(std::isinf(model->weakest));
    EXPECT_TRUE(start(*model, 1.0 / 240).window.empty());
  }
  EXPECT_TRUE(std::isfinite(built(body, {.strength = 1e11})->weakest));
}

TEST(PiecesModel, breaks_at_the_same_hit_whatever_the_mesh) {
  for (const int cells : {1, 3}) {
    for (const double dt : {1.0 / 60, 1.0 / 240, 1.0 / 1000}) {
      const Result<Model> model = built(scored_row(2, cells), {.strength = 500, .settle = 0});
      ASSERT_TRUE(model);
      // Two equal blocks, pushed along the middle: the link carries half.
      const auto breaks = [&](double impulse) {
        State state = start(*model, dt);
        const std::vector<Load> loads = {{0, Vec3(-0.5, 0, 0), Vec3(impulse, 0, 0)}};
        return step(*model, state, dt, loads, std::vector<Vec3>{Vec3::Zero()}).size();
      };
      EXPECT_EQ(breaks(199.9), 0u) << cells;
      EXPECT_EQ(breaks(200.1), 1u) << cells;
    }
  }
}

/// A row of three, painted by place.
template <class Function>
Result<Model> painted_row(int cells, const Function& factor) {
  RiggedBody body = scored_row(3, cells);
  PaintedMap map{"strength", {}};
  for (const Vec3& p : body.asset.surface.positions) map.values.push_back(static_cast<float>(factor(p)));
  body.asset.maps = {map};
  body.paint = painted_factors(body.asset);
  return built(body, {.strength = 500});
}

TEST(PiecesModel, takes_the_painted_factor_along_each_cut) {
  const Result<Model> even = painted_row(2, [](const Vec3&) { return 0.25; });
  ASSERT_TRUE(even);
  for (const Weld& link : even->links) EXPECT_EQ(link.limit, 500 * 0.25 * 0.2);
  // A slope along x: cuts at 0.5 and 1.5.
  const Result<Model> slope = painted_row(2, [](const Vec3& p) { return 2 + p.x(); });
  ASSERT_TRUE(slope);
  EXPECT_NEAR(slope->links[0].limit, 500 * 2.5 * 0.2, 1e-4);
  EXPECT_NEAR(slope->links[1].limit, 500 * 3.5 * 0.2, 1e-4);
  EXPECT_NEAR(slope->weakest, 250, 1e-4);
}

TEST(PiecesModel, takes_paint_from_nearby_where_pieces_share_no_vertex) {
  RiggedBody body = scored_row(2, 2);
  for (size_t v = 0; v < body.asset.pieces->origin.size(); ++v) body.asset.pieces->origin[v] = static_cast<int>(v);
  body.paint.strength.assign(body.asset.tets.positions.size(), 7);
  for (size_t v = 0; v < body.paint.strength.size(); ++v) {
    if (std::abs(body.asset.tets.positions[v].x() - 0.5) < 1e-9) body.paint.strength[v] = 3;
  }
  EXPECT_NEAR(built(body, {.strength = 500})->links[0].limit, 500 * 3 * 0.2, 1e-9);
}

TEST(PiecesModel, painted_with_nothing_parts_at_a_touch_but_not_by_itself) {
  Result<Model> model = painted_row(1, [](const Vec3&) { return 0; });
  ASSERT_TRUE(model);
  EXPECT_EQ(model->weakest, 0);
  model->settings.settle = 0;
  State state = start(*model, 1.0 / 240);
  EXPECT_TRUE(step(*model, state, 1.0 / 240, {}, std::vector<Vec3>{Vec3::Zero()}).empty());
  const std::vector<Load> touch = {{0, Vec3(-0.5, 0, 0), Vec3(1e-9, 0, 0)}};
  EXPECT_EQ(step(*model, state, 1.0 / 240, touch, std::vector<Vec3>{Vec3::Zero()}).size(), 1u);
}

TEST(PiecesModel, says_what_is_wrong) {
  const auto complaint = [](const RiggedBody& body, const Settings& settings = {}) {
    const Result<Model> model = built(body, settings);
    return model ? "" : model.error().text;
  };
  const RiggedBody body = scored_row(2, 1);
  EXPECT_EQ(complaint(body, {.strength = 0}), "strength is 0; it must be more than 0 N s/m^2");
  EXPECT_EQ(complaint(body, {.strength = -1}), "strength is -1; it must be more than 0 N s/m^2");
  EXPECT_EQ(complaint(body, {.strength = std::nan("")}), "strength is nan; it must be more than 0 N s/m^2");
  EXPECT_EQ(complaint(body, {.settle = -1}), "settle is -1; it must be at least 0 s");
  RiggedBody plain = body;
  plain.asset.pieces.reset();
  EXPECT_EQ(complaint(plain), "\"row\" has no pieces to break into; score it first: crumple score");
  RiggedBody torn = body;
  torn.asset.pieces->surfaces.emplace_back();
  EXPECT_EQ(complaint(torn), "\"row\": piece 2 weighs nothing; score it again");
  torn = body;
  torn.asset.pieces->links[0].b = 0;
  EXPECT_EQ(complaint(torn), "\"row\": a link joins pieces 0 and 0 of 2");
  for (const double area : {0.0, -1.0, std::nan("")}) {
    torn = body;
    torn.asset.pieces->links[0].area = area;
    EXPECT_NE(complaint(torn).find("the link between pieces 0 and 1 has an area of"), std::string::npos);
  }
  // A link without extent is odd, but finite.
  torn = body;
  torn.asset.pieces->links[0].spread.setZero();
  EXPECT_TRUE(built(torn)->links[0].turning.allFinite());
}

TEST(PiecesModel, describes_its_knobs) {
  Settings settings;
  const auto read = [&](std::string_view text) {
    const Result<Json> json = parse_json(text, "scene.json");
    EXPECT_TRUE(json);
    const Result<void> done = Fields::read(*json, "scene.json", settings);
    return done ? "" : done.error().text;
  };
  EXPECT_EQ(read(R"({"strength": 250, "settle": 0})"), "");
  EXPECT_EQ(settings.strength, 250);
  EXPECT_EQ(settings.settle, 0);
  EXPECT_NE(read(R"({"strength": 0})").find("must be more than 0"), std::string::npos);
  EXPECT_NE(read(R"({"strenght": 1})").find("did you mean \"strength\""), std::string::npos);
}

}  // namespace
}  // namespace crumple::pieces
