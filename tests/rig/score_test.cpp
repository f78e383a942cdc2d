#include "crumple/geometry/elements.h"
#include "crumple/rig/score.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/core/random.h"
#include "crumple/geometry/cut_surface.h"
#include "crumple/geometry/mass.h"
#include "crumple/io/paper1_asset.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/score_holes.h"
#include "tests/authors_data.h"
#include "tests/shapes.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

Bounds roomy_box(const Asset& asset) {
  Bounds box = bounds_of(asset.tets.positions);
  for (const Vec3& point : asset.surface.positions) box.add(point);
  const Vec3 room = Vec3::Constant(0.01 * box.diagonal());
  return {box.low - room, box.high + room};
}

Vec3 random_place(Random& random, const Bounds& box) {
  return {random.range(box.low.x(), box.high.x()), random.range(box.low.y(), box.high.y()), random.range(box.low.z(), box.high.z())};
}

std::vector<ConvexCell> random_planes(const Asset& asset, uint64_t seed, int count) {
  Random random(seed);
  const Bounds box = roomy_box(asset);
  std::vector<CutPlane> planes;
  for (int i = 0; i < count; ++i) {
    const Vec3 normal = Vec3(random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)).normalized();
    const Vec3 middle = 0.5 * (box.low + box.high);
    planes.push_back({normal, normal.dot(middle + 0.3 * (random_place(random, box) - middle))});
  }
  return cells_between_planes(planes, box);
}

std::vector<ConvexCell> random_cells(const Asset& asset, uint64_t seed, int count) {
  Random random(seed);
  const Bounds box = roomy_box(asset);
  std::vector<Vec3> seeds;
  for (int i = 0; i < count; ++i) seeds.push_back(random_place(random, box));
  return voronoi_cells(seeds, box);
}

/// What must be true of any scored body, whatever the cuts.
void expect_partition(const Asset& whole, const Asset& scored, const ScoreReport& report) {
  ASSERT_TRUE(scored.pieces);
  const Pieces& pieces = *scored.pieces;
  EXPECT_LT(report.volume_error, 1e-9) << whole.name;
  EXPECT_LT(report.tet_error, 1e-12) << whole.name;
  // Drawn pieces are closed, face outwards, and together enclose what the whole encloses.
  double drawn = 0, biggest = 0;
  for (size_t p = 0; p < pieces.surfaces.size(); ++p) {
    const TriMesh* parts[] = {&pieces.surfaces[p].skin, &pieces.surfaces[p].cut};
    const ClosedReport measured = measure_closed(parts);
    EXPECT_TRUE(measured.closed) << whole.name << " piece " << p;
    EXPECT_TRUE(report.pieces[p].closed) << whole.name << " piece " << p;
    EXPECT_NEAR(measured.volume, report.pieces[p].volume, 1e-5 * report.volume) << "single precision alone lies between them";
    drawn += report.pieces[p].volume, biggest = std::max(biggest, report.pieces[p].volume);
  }
  const ClosedSurface closed = close_holes(whole.surface);
  const TriMesh* all[] = {&closed.mesh};
  EXPECT_NEAR(drawn, measure_closed(all).volume, 1e-9 * drawn);
  // Copies of a vertex carry together what the one did.
  const std::vector<double> lumped = lumped_masses(whole.tets, 1);
  std::vector<double> sums(lumped.size(), 0);
  for (size_t v = 0; v < pieces.origin.size(); ++v) {
    sums[static_cast<size_t>(pieces.origin[v])] += pieces.volumes[v];
    EXPECT_EQ(scored.tets.positions[v], whole.tets.positions[static_cast<size_t>(pieces.origin[v])]);
  }
  for (size_t v = 0; v < lumped.size(); ++v) EXPECT_NEAR(sums[v], lumped[v], 1e-12 * lumped[v]) << v;
  // Every piece hangs on others.
  for (const ScoreReport::Piece& piece : report.pieces) EXPECT_GT(piece.links, 0);
}

Asset box_asset(const Vec3& size, int cells, std::array<int, 3> counts = {0, 0, 0}) {
  Asset asset;
  asset.name = "box";
  asset.tets = lattice_box(size, cells, counts);
  asset.handles = {{"all", Vec3::Zero()}};
  asset.weights.assign(asset.tets.positions.size(), 1.0f);
  asset.examples = {{"rest", {HandleTransform{}}}};
  asset.surface = make_box(size);
  return asset;
}

Result<ScoreReport> cut_box(Asset& asset, const Vec3& normal, double offset, const ScoreSettings& settings = {}) {
  const CutPlane plane{normal.normalized(), offset / normal.norm()};
  return score_asset(asset, cells_between_planes(std::span(&plane, 1), roomy_box(asset)), settings);
}

PointMassProperties mass_of_piece(const Asset& asset, int piece) {
  std::vector<int> piece_of(asset.tets.positions.size(), -1);
  for (size_t t = 0; t < asset.tets.tets.size(); ++t) {
    for (const int v : asset.tets.tets[t]) piece_of[static_cast<size_t>(v)] = asset.pieces->of_tet[t];
  }
  Vec3 first = Vec3::Zero();
  PointMassProperties result;
  for (size_t v = 0; v < piece_of.size(); ++v) {
    if (piece_of[v] != piece) continue;
    result.mass += asset.pieces->volumes[v], first += asset.pieces->volumes[v] * asset.tets.positions[v];
  }
  result.center = first / result.mass;
  return result;
}

TEST(Score, our_assets_fall_into_closed_pieces_that_sum_to_the_whole) {
  for (const char* name : {"drum", "crate", "sedan", "crane", "large_ship", "bridge_deck"}) {
    const Result<Asset> whole = io::read_asset(fs::path(CRUMPLE_SOURCE_DIR) / "assets" / (std::string(name) + ".glb"));
    ASSERT_TRUE(whole) << whole.error().text;
    for (const bool planes : {true, false}) {
      Asset scored = *whole;
      const std::vector<ConvexCell> cells = planes ? random_planes(scored, 11, 2) : random_cells(scored, 5, 6);
      const Result<ScoreReport> report = score_asset(scored, cells);
      ASSERT_TRUE(report) << report.error().text;
      EXPECT_GE(report->pieces.size(), 2u);
      expect_partition(*whole, scored, *report);
    }
  }
}

TEST(Score, the_authors_crane_and_fighter_break_along_their_planes) {
  const auto data = authors_data();
  if (!data) GTEST_SKIP() << kNoAuthorsData;
  for (const auto& [name, pieces] : {std::pair{"craneDanFracture", 2}, std::pair{"tieFighter2", 4}}) {
    const Result<Asset> asset = io::read_paper1_asset(*data / "examples" / name);
    ASSERT_TRUE(asset) << asset.error().text;
    ASSERT_TRUE(asset->pieces);
    EXPECT_EQ(asset->pieces->count(), pieces) << name;  // as many as the authors' own files hold
    EXPECT_EQ(asset->pieces->links.size(), static_cast<size_t>(pieces - 1)) << name;
    for (const PieceSurface& surface : asset->pieces->surfaces) {
      const TriMesh* parts[] = {&surface.skin, &surface.cut};
      EXPECT_TRUE(measure_closed(parts).closed) << name;
    }
  }
}

TEST(Score, the_authors_crane_and_fighter_fall_into_closed_pieces_under_any_cut) {
  const auto data = authors_data();
  if (!data) GTEST_SKIP() << kNoAuthorsData;
  for (const char* name : {"craneDanFracture", "tieFighter2"}) {
    // Without planes.txt the folder holds the whole body.
    const fs::path folder = fs::path(testing::TempDir()) / (std::string("crumple_whole_") + name);
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const char* file : {"mesh.mesh", "coarseWeights.dmat", "bone_roots.bf", "exampleGraph.txt", "mesh.obj"}) {
      std::error_code missing;
      fs::create_symlink(fs::absolute(*data / "examples" / name / file), folder / file, missing);
    }
    if (!fs::exists(*data / "examples" / name / "mesh.obj")) fs::remove(folder / "mesh.obj");
    const Result<Asset> whole = io::read_paper1_asset(folder);
    fs::remove_all(folder);
    ASSERT_TRUE(whole) << whole.error().text;
    for (const bool planes : {true, false}) {
      Asset scored = *whole;
      const Result<ScoreReport> report = score_asset(scored, planes ? random_planes(scored, 3, 2) : random_cells(scored, 8, 6));
      ASSERT_TRUE(report) << report.error().text;
      expect_partition(*whole, scored, *report);
    }
  }
}

TEST(Score, a_cut_box_has_the_volumes_centres_and_link_of_the_closed_form) {
  for (const int cells : {2, 5}) {
    Asset asset = box_asset({2, 1, 0.5}, cells);
    const double at = 0.3;  // along x: no plane of either lattice
    const Result<ScoreReport> report = cut_box(asset, Vec3::UnitX(), at);
    ASSERT_TRUE(report) << report.error().text;
    ASSERT_EQ(report->pieces.size(), 2u);
    for (int p = 0; p < 2; ++p) {
      const double low = p == 0 ? -1 : at, high = p == 0 ? at : 1;
      EXPECT_NEAR(report->pieces[static_cast<size_t>(p)].volume, (high - low) * 0.5, 1e-12);
      EXPECT_NEAR(report->pieces[static_cast<size_t>(p)].tet_volume, (high - low) * 0.5, 1e-12);
      const PointMassProperties mass = mass_of_piece(asset, p);
      EXPECT_NEAR(mass.mass, (high - low) * 0.5, 1e-12);
      EXPECT_LT((mass.center - Vec3(0.5 * (low + high), 0, 0)).norm(), 1e-12);
    }
    ASSERT_EQ(asset.pieces->links.size(), 1u);
    const PieceLink& link = asset.pieces->links[0];
    EXPECT_FALSE(report->rough_links[0]);
    EXPECT_NEAR(link.area, 0.5, 1e-6);
    EXPECT_LT((link.center - Vec3(at, 0, 0)).norm(), 1e-6);
    EXPECT_LT((link.normal - Vec3::UnitX()).norm(), 1e-9);
    // Second moments of a rectangle of 1 by 0.5: squares of its sides over 12.
    EXPECT_LT((link.spread - Vec3(0, 1.0 / 12, 0.25 / 12).asDiagonal().toDenseMatrix()).norm(), 1e-6);
  }
}

TEST(Score, a_slanted_cut_has_an_area_that_no_lattice_changes) {
  double areas[2];
  for (int dense = 0; dense < 2; ++dense) {
    Asset asset = box_asset({1, 1, 1}, dense ? 7 : 3);
    const Result<ScoreReport> report = cut_box(asset, Vec3(1, 1, 1), 0.0);  // a regular hexagon with sides of sqrt(1/2)
    ASSERT_TRUE(report) << report.error().text;
    areas[dense] = asset.pieces->links.at(0).area;
    EXPECT_NEAR(areas[dense], 1.5 * std::sqrt(3.0) * 0.5, 1e-6);
  }
  EXPECT_NEAR(areas[0], areas[1], 1e-6);
}

TEST(Score, a_cut_along_faces_of_the_lattice_is_the_same_as_one_between_them) {
  Asset asset = box_asset({2, 1, 1}, 2, {4, 2, 2});
  const Result<ScoreReport> report = cut_box(asset, Vec3::UnitX(), 0.0);
  ASSERT_TRUE(report) << report.error().text;
  ASSERT_EQ(report->pieces.size(), 2u);
  EXPECT_NEAR(asset.pieces->links.at(0).area, 1.0, 1e-9);
  EXPECT_EQ(asset.tets.tets.size(), lattice_box({2, 1, 1}, 2, {4, 2, 2}).tets.size());  // none is in two pieces
  // Those along the cut know it: their corners on it step away from it by as much as they are told.
  ASSERT_FALSE(asset.pieces->cut_tets.empty());
  for (size_t c = 0; c < asset.pieces->corners.size(); ++c) {
    const size_t cut =
        static_cast<size_t>(std::upper_bound(asset.pieces->first_corner.begin(), asset.pieces->first_corner.end(), static_cast<int>(c)) -
                            asset.pieces->first_corner.begin() - 1);
    const int tet = asset.pieces->cut_tets[cut];
    double x = 0;
    for (size_t k = 0; k < 4; ++k)
      x += static_cast<double>(asset.pieces->corners[c][k]) *
           asset.tets.positions[static_cast<size_t>(asset.tets.tets[static_cast<size_t>(tet)][k])].x();
    const double inward = std::abs(x) > 1e-9 ? 0 : asset.pieces->of_tet[static_cast<size_t>(tet)] == 0 ? -1 : 1;
    EXPECT_LT((asset.pieces->inward[c] - Vec3f(static_cast<float>(inward), 0, 0)).norm(), 1e-6f);
  }
}

TEST(Score, where_nothing_is_drawn_the_tetrahedra_tell_the_area) {
  Asset asset = box_asset({2, 1, 1}, 4);
  TriMesh two;  // a box at each end, none in the middle
  for (const double x : {-0.9, 0.9}) {
    const TriMesh box = make_box({0.2, 1, 1});
    const int first = static_cast<int>(two.positions.size());
    for (const Vec3& point : box.positions) two.positions.push_back(point + Vec3(x, 0, 0));
    for (const auto& [a, b, c] : box.triangles) two.triangles.push_back({first + a, first + b, first + c});
  }
  asset.surface = two;
  const Result<ScoreReport> report = cut_box(asset, Vec3::UnitX(), 0.1);
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_TRUE(report->rough_links.at(0));
  EXPECT_NEAR(asset.pieces->links.at(0).area, 1.0, 1e-9);
}

TEST(Score, pieces_of_an_open_surface_are_closed_across_its_holes) {
  Asset asset = box_asset({2, 1, 1}, 4);
  // Without its roof: the two triangles that face up.
  std::erase_if(asset.surface.triangles, [&](const Triangle& t) {
    const auto at = [&](size_t k) -> const Vec3& { return asset.surface.positions[static_cast<size_t>(t[k])]; };
    return (at(1) - at(0)).cross(at(2) - at(0)).normalized().y() > 0.9;
  });
  const Asset whole = asset;
  const Result<ScoreReport> report = cut_box(asset, Vec3(1, 0.3, 0.1), 0.1);
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_EQ(report->holes, 1);
  EXPECT_NEAR(report->volume, 2, 1e-12);
  expect_partition(whole, asset, *report);
}

TEST(Score, slivers_join_the_neighbour_they_share_most_with) {
  Asset asset = box_asset({2, 1, 1}, 4);
  const CutPlane planes[] = {{Vec3::UnitX(), 0.0}, {Vec3::UnitX(), 0.9999}};
  const Asset whole = asset;
  const Result<ScoreReport> report = score_asset(asset, cells_between_planes(planes, roomy_box(asset)));
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_EQ(report->pieces.size(), 2u);
  EXPECT_EQ(report->slivers, 1);
  EXPECT_NEAR(report->sliver_volume, 1e-4, 1e-9);
  EXPECT_NEAR(report->pieces[1].tet_volume, 1.0, 1e-9);
  EXPECT_NEAR(report->pieces[1].volume, 1.0, 1e-9);
  expect_partition(whole, asset, *report);
  // The cut within the piece is gone: nothing of it is left to step away from, or to draw.
  for (size_t c = 0; c < asset.pieces->inward.size(); ++c) EXPECT_LE(std::abs(asset.pieces->inward[c].x()), 1.0f + 1e-6f);
  for (const Vec3& point : asset.pieces->surfaces[1].cut.positions) EXPECT_NEAR(point.x(), 0, 1e-6);
  for (const int tet : asset.pieces->cut_tets) {
    double nearest = 1e300;
    for (const int v : asset.tets.tets[static_cast<size_t>(tet)])
      nearest = std::min(nearest, std::abs(asset.tets.positions[static_cast<size_t>(v)].x()));
    EXPECT_LT(nearest, 0.51) << "tetrahedra at the merged cut touch none";
  }
}

TEST(Score, cells_of_one_label_are_one_piece_without_walls_inside) {
  Asset asset = box_asset({2, 1, 1}, 4);
  const CutPlane planes[] = {{Vec3::UnitX(), 0.3}, {Vec3::UnitX(), -0.35}};
  std::vector<ConvexCell> cells = cells_between_planes(planes, roomy_box(asset));
  ASSERT_EQ(cells.size(), 3u);
  // The two with the largest x have one label: which they are, the planes tell.
  for (ConvexCell& cell : cells) {
    const bool left = std::any_of(cell.sides.begin(), cell.sides.end(), [](const HalfSpace& side) { return side.normal.x() > 0 && side.offset < 0; });
    cell.label = left ? 0 : 1;
  }
  const Asset whole = asset;
  const Result<ScoreReport> report = score_asset(asset, cells);
  ASSERT_TRUE(report) << report.error().text;
  ASSERT_EQ(report->pieces.size(), 2u);
  expect_partition(whole, asset, *report);
  for (const PieceSurface& surface : asset.pieces->surfaces) {
    for (const Vec3& point : surface.cut.positions) EXPECT_NEAR(point.x(), -0.35, 1e-6);
  }
}

TEST(Score, shells_hold_pieces_and_leave_one) {
  Asset asset = box_asset({2, 1, 1}, 4);
  TriMesh shell = make_box({0.55, 3, 3});  // a band across the middle: two ends are left, of one label but apart
  const std::vector<TriMesh> shells = {shell};
  const int labels[] = {0};
  const Asset whole = asset;
  const Result<std::vector<ConvexCell>> cells = cells_of_shells(shells, labels, roomy_box(asset));
  ASSERT_TRUE(cells) << cells.error().text;
  const Result<ScoreReport> report = score_asset(asset, *cells);
  ASSERT_TRUE(report) << report.error().text;
  ASSERT_EQ(report->pieces.size(), 3u);
  EXPECT_NEAR(report->pieces[0].volume, 0.55, 1e-9);
  expect_partition(whole, asset, *report);
  EXPECT_EQ(asset.pieces->links.size(), 2u);
}

TEST(Score, a_core_is_cut_off_on_all_sides) {
  Asset asset = box_asset({2, 2, 2}, 5);
  const std::vector<TriMesh> shells = {make_box({0.9, 0.9, 0.9})};
  const int labels[] = {0};
  const Asset whole = asset;
  const Result<std::vector<ConvexCell>> cells = cells_of_shells(shells, labels, roomy_box(asset));
  ASSERT_TRUE(cells) << cells.error().text;
  const Result<ScoreReport> report = score_asset(asset, *cells);
  ASSERT_TRUE(report) << report.error().text;
  ASSERT_EQ(report->pieces.size(), 2u);
  EXPECT_NEAR(report->pieces[0].volume, 0.729, 1e-9);
  EXPECT_NEAR(asset.pieces->links.at(0).area, 6 * 0.81, 1e-6);
  EXPECT_NEAR(asset.pieces->links.at(0).normal.norm(), 1, 1e-12);
  expect_partition(whole, asset, *report);
}

TEST(Score, islands_stay_with_the_nearest_piece) {
  Asset asset = box_asset({2, 1, 1}, 2);
  const TetMesh island = lattice_box({0.2, 0.2, 0.2}, 1);
  const int first = static_cast<int>(asset.tets.positions.size());
  for (const Vec3& point : island.positions) asset.tets.positions.push_back(point + Vec3(0.6, 0.8, 0));
  for (const auto& [a, b, c, d] : island.tets) asset.tets.tets.push_back({first + a, first + b, first + c, first + d});
  asset.weights.assign(asset.tets.positions.size(), 1.0f);
  const Result<ScoreReport> report = cut_box(asset, Vec3::UnitX(), 0.1);
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_EQ(report->pieces.size(), 2u);
  EXPECT_EQ(report->joined, 1);
  EXPECT_NEAR(report->pieces[1].tet_volume, 0.9 + 0.008, 1e-9);
}

TEST(Score, weights_follow_their_vertices_and_the_certificate_goes) {
  Asset asset = bar_asset(2);
  asset.certificate = WeightCertificate{};
  const Asset whole = asset;
  ASSERT_TRUE(cut_box(asset, Vec3(1, 0.2, 0), 0.1));
  EXPECT_FALSE(asset.certificate);
  for (size_t v = 0; v < asset.tets.positions.size(); ++v) {
    for (size_t h = 0; h < 2; ++h) EXPECT_EQ(asset.weight(v, h), whole.weight(static_cast<size_t>(asset.pieces->origin[v]), h));
  }
  // One piece after the other.
  std::vector<int> piece_of(asset.tets.positions.size(), -1);
  for (size_t t = 0; t < asset.tets.tets.size(); ++t) {
    for (const int v : asset.tets.tets[t]) piece_of[static_cast<size_t>(v)] = asset.pieces->of_tet[t];
  }
  EXPECT_TRUE(std::is_sorted(piece_of.begin(), piece_of.end()));
  EXPECT_EQ(piece_of.front(), 0);
  EXPECT_EQ(piece_of.back(), 1);
}

TEST(Score, the_number_of_threads_changes_nothing) {
  const Result<Asset> whole = io::read_asset(fs::path(CRUMPLE_SOURCE_DIR) / "assets" / "crane.glb");
  ASSERT_TRUE(whole);
  std::string bytes[2];
  const int before = thread_count();
  for (int i = 0; i < 2; ++i) {
    set_thread_count(i == 0 ? 1 : 3);
    Asset scored = *whole;
    ASSERT_TRUE(score_asset(scored, random_cells(scored, 2, 9)));
    const Result<std::string> glb = io::asset_to_glb(scored);
    ASSERT_TRUE(glb) << glb.error().text;
    bytes[i] = *glb;
  }
  set_thread_count(before);
  EXPECT_EQ(bytes[0], bytes[1]);
}

TEST(Score, refuses_what_cannot_be_cut_and_leaves_the_asset_alone) {
  const auto refused = [](Asset asset, const std::vector<ConvexCell>& cells, const ScoreSettings& settings, const std::string& told) {
    const size_t tets = asset.tets.tets.size();
    const Result<ScoreReport> report = score_asset(asset, cells, settings);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, Error::Kind::Input);
    EXPECT_NE(report.error().text.find(told), std::string::npos) << report.error().text;
    EXPECT_EQ(asset.tets.tets.size(), tets);
  };
  const Asset box = box_asset({2, 1, 1}, 3);
  const auto at = [&](double x) {
    const CutPlane plane{Vec3::UnitX(), x};
    return cells_between_planes(std::span(&plane, 1), roomy_box(box));
  };
  refused(box, {}, {}, "no cells");
  refused(box, {ConvexCell{}}, {}, "from (-1, -0.5, -0.5) to (1, 0.5, 0.5)");
  refused(box, at(0.99999), {}, "only 1 slivers");
  refused(box, random_cells(box, 1, 12), {.most = 5}, "more than the limit of 5");
  refused(box, at(0.1), {.sliver = std::nan("")}, "sliver");
  refused(box, at(0.1), {.most = 1}, "at least two");
  ConvexCell broken;
  broken.sides.push_back({Vec3(std::nan(""), 0, 0), 0, -1});
  refused(box, {broken}, {}, "no valid normal");
  Asset scored = box;
  ASSERT_TRUE(score_asset(scored, at(0.1)));
  refused(scored, at(0.2), {}, "is scored already, into 2 pieces");
  refused(box, {at(0.1)[0]}, {}, "no cut goes through");
}

}  // namespace
}  // namespace crumple
