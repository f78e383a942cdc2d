#include "crumple/math/single.h"
#include "crumple/rig/make_rig.h"

#include <functional>
#include <limits>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/geometry/tet_quality.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/certificate.h"
#include "tests/geometry/surfaces.h"

namespace crumple {
namespace {

RigSettings coarse(int cells = 8, int handles = 5) {
  RigSettings settings;
  settings.cells = cells, settings.handles = handles;
  return settings;
}

std::string complaint(const TriMesh& surface, const RigSettings& settings) {
  RigReport report;
  const Result<Asset> asset = make_rig(surface, settings, report);
  return asset ? "" : asset.error().text;
}

/// Everything that must hold for any rig.
void expect_valid(const Asset& asset, const RigReport& report) {
  EXPECT_GE(report.lattice.smallest_angle, 8);
  EXPECT_LE(report.lattice.largest_angle, 165);
  EXPECT_EQ(report.lattice.enclosed, 1);
  for (const Tetrahedron& tet : asset.tets.tets) EXPECT_GT(tet_volume(asset.tets.positions, tet), 0);
  for (const Vec3& p : asset.tets.positions) EXPECT_EQ(p, to_single(p));
  for (size_t v = 0; v < asset.tets.positions.size(); ++v) {
    double sum = 0;
    for (size_t h = 0; h < asset.handles.size(); ++h) {
      EXPECT_GE(asset.weight(v, h), 0);
      sum += asset.weight(v, h);
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  for (size_t h = 0; h < asset.handles.size(); ++h) {
    ASSERT_EQ(asset.certificate->held[h].size(), 1u);
    const int v = asset.certificate->held[h][0];
    EXPECT_EQ(asset.weight(static_cast<size_t>(v), h), 1);
    EXPECT_LE((asset.tets.positions[v] - asset.handles[h].position).norm(), 0.501 * report.lattice.cell_size);
  }
  const Result<CertificateCheck> check = measure_certificate(asset);
  ASSERT_TRUE(check) << check.error().text;
  EXPECT_NEAR(check->kkt_residual, report.weights_residual, 1e-3 * report.weights_residual + 10 * report.noise_floor);
  EXPECT_EQ(check->outside_bounds, 0);
  EXPECT_EQ(check->held_error, 0);
  EXPECT_LT(check->weights_difference, 0.003);
  EXPECT_EQ(report.surface_vertices.size(), asset.surface.positions.size());
  EXPECT_TRUE(io::asset_to_glb(asset));
}

void expect_rig(const TriMesh& surface, const RigSettings& settings) {
  RigReport report;
  const Result<Asset> asset = make_rig(surface, settings, report);
  ASSERT_TRUE(asset) << asset.error().text;
  expect_valid(*asset, report);
}

struct Dirt {
  const char* name;
  std::function<void(TriMesh&)> apply;  // to a lump
};

const double kNan = std::numeric_limits<double>::quiet_NaN();

const std::vector<Dirt> kCurable = {
    {"small holes", [](TriMesh& m) { m.triangles.erase(m.triangles.begin() + 200), m.triangles.erase(m.triangles.begin() + 50); }},
    {"a quarter missing", [](TriMesh& m) { std::erase_if(m.triangles, [&](const Triangle& t) { return m.positions[t[0]].x() > 0.5; }); }},
    {"flipped triangles",
     [](TriMesh& m) {
       for (size_t t = 0; t < m.triangles.size(); t += 7) turn(m.triangles[t]);
     }},
    {"inside out",
     [](TriMesh& m) {
       for (Triangle& t : m.triangles) turn(t);
     }},
    {"doubled triangles", [](TriMesh& m) { m.triangles.insert(m.triangles.end(), m.triangles.begin(), m.triangles.begin() + 90); }},
    {"a fin",
     [](TriMesh& m) {
       m.positions.emplace_back(1.4, 0.2, 0.1),
           m.triangles.push_back({m.triangles[9][0], m.triangles[9][1], static_cast<int>(m.positions.size()) - 1});
     }},
    {"a speck",
     [](TriMesh& m) {
       append(m, make_sphere(0.004), {0.3, 1.6, 0});
     }},
    {"vertices that are no numbers",
     [](TriMesh& m) {
       m.positions[33] = {kNan, 0, 1}, m.positions[90].y() = std::numeric_limits<double>::infinity();
     }},
    {"corners that do not exist", [](TriMesh& m) { m.triangles[5][1] = 1 << 30, m.triangles[6][0] = -1; }},
    {"triangles without area",
     [](TriMesh& m) {
       m.triangles.push_back({0, 1, 1}), m.triangles.push_back({2, 2, 2});
     }},
    {"every corner a vertex of its own",
     [](TriMesh& m) {
       TriMesh soup;
       for (Triangle& t : m.triangles) {
         for (int& v : t) soup.positions.push_back(m.positions[v]), v = static_cast<int>(soup.positions.size()) - 1;
       }
       soup.triangles = m.triangles, m = soup;
     }},
    {"another one through it",
     [](TriMesh& m) {
       append(m, make_box({0.5, 3, 0.4}), {0.2, 0, 0});
     }},
    {"another one beside it",
     [](TriMesh& m) {
       append(m, make_lump(8), {4, 0, 0});
     }},
    {"a cavity",
     [](TriMesh& m) {
       TriMesh inner = make_sphere(0.4);
       for (Triangle& t : inner.triangles) turn(t);
       append(m, inner, {0, 0, 0});
     }},
    {"kilometres",
     [](TriMesh& m) {
       for (Vec3& p : m.positions) p *= 1e4;
     }},
    {"micrometres",
     [](TriMesh& m) {
       for (Vec3& p : m.positions) p *= 1e-6;
     }},
    {"a sheet with a bend",
     [](TriMesh& m) {
       m = make_plane_patch({0, 1, 0}, 0, 1);
       m.positions[0].y() += 0.4;
     }},
};

TEST(MakeRig, every_curable_surface_becomes_a_valid_asset) {
  for (const Dirt& dirt : kCurable) {
    SCOPED_TRACE(dirt.name);
    TriMesh surface = make_lump(3);
    dirt.apply(surface);
    expect_rig(surface, coarse());
  }
}

TEST(MakeRig, what_has_no_inside_is_refused_with_the_reason) {
  TriMesh sheet = make_plane_patch({0, 1, 0}, 0, 1), nowhere = make_box({1, 1, 1}), far = make_box({1, 1, 1});
  for (Vec3& p : nowhere.positions) p.x() = kNan;
  for (Vec3& p : far.positions) p.x() += 3e7;
  EXPECT_NE(complaint({}, coarse()).find("no usable triangle"), std::string::npos);
  EXPECT_NE(complaint(nowhere, coarse()).find("no usable triangle"), std::string::npos);
  EXPECT_NE(complaint(sheet, coarse()).find("flat"), std::string::npos);
  EXPECT_NE(complaint(far, coarse()).find("origin"), std::string::npos) << complaint(far, coarse());
}

TEST(MakeRig, settings_that_make_no_sense_are_refused) {
  const TriMesh ball = make_sphere(1);
  RigSettings settings = coarse();
  settings.handles = 0;
  EXPECT_NE(complaint(ball, settings).find("handles"), std::string::npos);
  settings = coarse(1);
  EXPECT_NE(complaint(ball, settings).find("cells"), std::string::npos);
  settings = coarse();
  settings.fixed = {{"a", {0, 0, 0}}, {"a", {0.5, 0, 0}}};
  EXPECT_NE(complaint(ball, settings).find("names must differ"), std::string::npos);
  settings.fixed = {{"a", {0, 0, 0}}, {"b", {0.01, 0, 0}}};
  EXPECT_NE(complaint(ball, settings).find("same vertex"), std::string::npos);
  settings.fixed = {{"a", {0, 0, 9}}};
  EXPECT_NE(complaint(ball, settings).find("from the body"), std::string::npos);
  settings.fixed = {{"a", {0, kNan, 0}}};
  EXPECT_NE(complaint(ball, settings).find("finite"), std::string::npos);
}

TEST(MakeRig, handles_of_the_artist_come_first_and_keep_their_places) {
  RigSettings settings = coarse(8, 6);
  settings.fixed = {{"nose", {0, 0, 0.98}}, {"", {0, -0.5, 0}}};
  RigReport report;
  const Result<Asset> asset = make_rig(make_sphere(1), settings, report);
  ASSERT_TRUE(asset) << asset.error().text;
  expect_valid(*asset, report);
  ASSERT_EQ(asset->handles.size(), 6u);
  EXPECT_EQ(asset->handles[0].name, "nose");
  EXPECT_NEAR((asset->handles[0].position - Vec3(0, 0, 0.98)).norm(), 0, 1e-7);
  EXPECT_NEAR((asset->handles[1].position - Vec3(0, -0.5, 0)).norm(), 0, 1e-7);
}

TEST(MakeRig, the_drawn_surface_keeps_its_seams_holes_and_textures) {
  TriMesh box = make_box({1, 1, 1});
  for (const Vec3& p : box.positions) box.uvs.emplace_back(static_cast<float>(p.x()), static_cast<float>(p.y()));
  box.triangles.pop_back();
  RigReport report;
  const Result<Asset> asset = make_rig(box, coarse(), report);
  ASSERT_TRUE(asset) << asset.error().text;
  const std::vector<int>& from = report.surface_vertices;
  ASSERT_EQ(asset->surface.triangles.size(), 11u);
  ASSERT_EQ(from.size(), 23u);  // one corner belonged to the missing triangle alone
  for (size_t t = 0; t < 11; ++t) {
    for (size_t k = 0; k < 3; ++k) EXPECT_EQ(from[asset->surface.triangles[t][k]], box.triangles[t][k]);
  }
  for (size_t v = 0; v < from.size(); ++v) {
    EXPECT_EQ(asset->surface.positions[v], box.positions[from[v]]);
    EXPECT_EQ(asset->surface.uvs[v], box.uvs[from[v]]);
  }
}

TEST(MakeRig, thin_struts_get_smaller_cells_or_are_refused_or_thickened) {
  TriMesh cross = make_box({4, 0.2, 0.2});
  append(cross, make_box({0.2, 4, 0.2}), {0, 0, 0});
  RigSettings settings;
  settings.handles = 4;
  RigReport report;
  ASSERT_TRUE(make_rig(cross, settings, report));
  EXPECT_LE(report.lattice.cell_size, 0.2);
  EXPECT_EQ(report.lattice.parts, 1);
  EXPECT_LE(report.lattice.tets, settings.most_tets);
  settings.most_tets = 500;
  ASSERT_TRUE(make_rig(cross, settings, report));
  EXPECT_GT(report.lattice.cell_size, 0.2);
  EXPECT_FALSE(report.warnings.empty());
  settings.thicken = false;
  EXPECT_NE(complaint(cross, settings).find("--cells"), std::string::npos);
}

TEST(MakeRig, a_wall_thinner_than_any_cell_is_carried_by_thicker_tetrahedra) {
  TriMesh walls = make_box({3, 1, 1}), inner = make_box({2.99, 0.99, 0.99});
  for (Triangle& t : inner.triangles) turn(t);
  append(walls, inner, {0, 0, 0});
  RigReport report;
  const Result<Asset> asset = make_rig(walls, coarse(16), report);
  ASSERT_TRUE(asset) << asset.error().text;
  expect_valid(*asset, report);
  EXPECT_NEAR(report.lattice.thin_share, 1, 0.05);
  EXPECT_GE(report.warnings.size(), 2u);  // of the thickness and of the volume
}

TEST(MakeRig, hundred_thousand_triangles_are_no_trouble) {
  expect_rig(make_torus(1, 0.4, 320, 160), coarse(10));
}

TEST(MakeRig, is_the_same_for_any_number_of_threads) {
  const int before = thread_count();
  std::string bytes[2];
  for (int run = 0; run < 2; ++run) {
    set_thread_count(1 + 2 * run);
    RigReport report;
    const Result<Asset> asset = make_rig(make_lump(2), coarse(), report);
    ASSERT_TRUE(asset) << asset.error().text;
    bytes[run] = *io::asset_to_glb(*asset);
  }
  set_thread_count(before);
  EXPECT_TRUE(bytes[0] == bytes[1]);
}

TEST(MakeRig, stops_when_it_is_cancelled) {
  StopFlag cancel;
  cancel.request();
  RigReport report;
  RigWatch watch;
  watch.cancel = &cancel;
  EXPECT_FALSE(make_rig(make_sphere(1), coarse(), report, watch));
}

/// The residual of one handle's program from nothing but positions, tetrahedra and raw weights, by dense algebra of its own.
double residual_by_hand(const Asset& asset, size_t handle) {
  const auto n = static_cast<Eigen::Index>(asset.tets.positions.size());
  Eigen::MatrixXd stiffness = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd mass = Eigen::VectorXd::Zero(n);
  for (const Tetrahedron& tet : asset.tets.tets) {
    Eigen::Matrix4d corners;  // rows 1 x y z: columns of its inverse are the barycentric functions
    for (int i = 0; i < 4; ++i) corners.row(i) << 1, asset.tets.positions[tet[i]].transpose();
    const double volume = std::abs(corners.determinant()) / 6;
    const Eigen::Matrix4d functions = corners.inverse();
    for (int i = 0; i < 4; ++i) {
      mass[tet[i]] += volume / 4;
      for (int j = 0; j < 4; ++j) stiffness(tet[i], tet[j]) += volume * functions.col(i).tail<3>().dot(functions.col(j).tail<3>());
    }
  }
  const Eigen::Map<const Eigen::VectorXd> w(&asset.certificate->raw[handle * static_cast<size_t>(n)], n);
  const Eigen::VectorXd gradient = stiffness * (stiffness * w).cwiseQuotient(mass);
  std::vector<bool> fixed(static_cast<size_t>(n), false);
  for (const std::vector<int>& held : asset.certificate->held) {
    for (const int v : held) fixed[static_cast<size_t>(v)] = true;
  }
  double worst = 0;
  for (Eigen::Index v = 0; v < n; ++v) {
    if (fixed[static_cast<size_t>(v)]) continue;
    const double g = gradient[v];
    worst = std::max(worst, w[v] <= 0 ? std::max(0.0, -g) : w[v] >= 1 ? std::max(0.0, g) : std::abs(g));
  }
  return worst / gradient.cwiseAbs().maxCoeff();
}

TEST(MakeRig, the_certificate_in_a_file_can_be_measured_by_hand) {
  RigSettings settings = coarse(7, 4);
  settings.weights.quality = WeightSettings::Quality::Exact;
  RigReport report;
  const Result<Asset> made = make_rig(make_lump(6), settings, report);
  ASSERT_TRUE(made) << made.error().text;
  const Result<std::string> bytes = io::asset_to_glb(*made);
  ASSERT_TRUE(bytes) << bytes.error().text;
  const Result<io::GltfDocument> document = io::parse_glb(*bytes, "lump.glb");
  ASSERT_TRUE(document) << document.error().text;
  const Result<Asset> read = io::asset_from_gltf(*document);
  ASSERT_TRUE(read) << read.error().text;
  ASSERT_TRUE(read->certificate);
  double worst = 0;
  for (size_t h = 0; h < read->handles.size(); ++h) worst = std::max(worst, residual_by_hand(*read, h));
  EXPECT_NEAR(worst, read->certificate->kkt_residual, 10 * read->certificate->noise_floor + 1e-3 * read->certificate->kkt_residual);
  EXPECT_LE(worst, 1e-8);
}

TEST(MakeRig, an_asset_goes_through_a_file_without_loss) {
  TriMesh surface = make_lump(9);
  for (const Vec3& p : surface.positions) surface.colors.push_back(p.cast<float>().cwiseAbs().cwiseMin(1.0f));
  RigReport report;
  Result<Asset> made = make_rig(surface, coarse(), report);
  ASSERT_TRUE(made) << made.error().text;
  made->name = "lump";
  const Result<Asset> read = io::asset_from_gltf(*io::parse_glb(*io::asset_to_glb(*made), "lump.glb"));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->tets.positions, made->tets.positions);
  EXPECT_EQ(read->tets.tets, made->tets.tets);
  EXPECT_EQ(read->weights, made->weights);
  EXPECT_EQ(read->surface.positions, made->surface.positions);
  EXPECT_EQ(read->surface.triangles, made->surface.triangles);
  EXPECT_EQ(read->surface.colors, made->surface.colors);
  ASSERT_EQ(read->handles.size(), made->handles.size());
  for (size_t h = 0; h < made->handles.size(); ++h) {
    EXPECT_EQ(read->handles[h].name, made->handles[h].name);
    EXPECT_EQ(read->handles[h].position, made->handles[h].position);
  }
  EXPECT_EQ(read->certificate->raw, made->certificate->raw);
  EXPECT_EQ(read->certificate->held, made->certificate->held);
  EXPECT_EQ(read->certificate->kkt_residual, made->certificate->kkt_residual);
  EXPECT_EQ(read->certificate->noise_floor, made->certificate->noise_floor);
  EXPECT_EQ(read->certificate->target, made->certificate->target);
  // The first file may still hold zeros with a minus; from then on files are the same, bit for bit.
  const std::string second = *io::asset_to_glb(*read);
  EXPECT_TRUE(*io::asset_to_glb(*io::asset_from_gltf(*io::parse_glb(second, "lump.glb"))) == second);
}

}  // namespace
}  // namespace crumple
