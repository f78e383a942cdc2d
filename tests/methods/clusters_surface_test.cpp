#include "crumple/methods/clusters/surface.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/geometry/cut_surface.h"
#include "tests/methods/clusters_bodies.h"

namespace crumple::clusters {
namespace {

const Vec3 kBar(1.2, 0.3, 0.3);

/// A box whose sides are squares of about `edge`; corners are doubled along its edges, as an artist's mesh has them.
TriMesh grid_box(const Vec3& size, double edge) {
  TriMesh mesh;
  for (int axis = 0; axis < 3; ++axis) {
    for (const int sign : {-1, 1}) {
      const int u = (axis + (sign > 0 ? 1 : 2)) % 3, v = (axis + (sign > 0 ? 2 : 1)) % 3;
      const int columns = std::max(1, static_cast<int>(std::lround(size[u] / edge))),
                rows = std::max(1, static_cast<int>(std::lround(size[v] / edge)));
      const int base = static_cast<int>(mesh.positions.size());
      for (int j = 0; j <= rows; ++j) {
        for (int i = 0; i <= columns; ++i) {
          Vec3 p;
          p[axis] = 0.5 * sign * size[axis], p[u] = (double(i) / columns - 0.5) * size[u], p[v] = (double(j) / rows - 0.5) * size[v];
          mesh.positions.push_back(p);
          mesh.uvs.push_back(Vec2f(static_cast<float>(p[u]), static_cast<float>(p[v])));
        }
      }
      for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
          const int a = base + j * (columns + 1) + i, c = a + columns + 1;
          mesh.triangles.push_back({a, a + 1, c + 1}), mesh.triangles.push_back({a, c + 1, c});
        }
      }
    }
  }
  return mesh;
}

struct Bar {
  Model model;
  std::shared_ptr<const TriMesh> mesh;
  SurfaceModel seen;
  State state;
};

Bar make_bar(Settings settings, const Transform& place = {}, double spacing = 0.06) {
  Bar bar;
  Particles particles = box_particles(kBar, spacing);
  for (Vec3& p : particles.positions) p = place * p;
  bar.model = built(particles, settings);
  bar.mesh = std::make_shared<TriMesh>(grid_box(kBar, 0.1));
  Result<SurfaceModel> seen = build_surface(bar.model, bar.mesh, place);
  if (!seen) throw std::runtime_error(seen.error().text);
  bar.seen = std::move(*seen);
  bar.state = start(bar.model);
  return bar;
}

Settings tearing(int clusters) {
  Settings settings;
  settings.clusters = clusters, settings.toughness = 0.1, settings.self_collision = false;
  if (clusters == 1) settings.radius = 10, settings.stiffness = 0.1, settings.stretch = 10;  // so that it is still stretched when it is looked at
  return settings;
}

void stretch(Bar& bar, double factor) {
  place(bar.model, bar.state, [&](const Vec3& p) { return Vec3(factor * p.x(), p.y(), p.z()); });
}

/// A bar of one cluster, pulled until it is two.
Bar halved_bar() {
  Bar bar = make_bar(tearing(1));
  stretch(bar, 1.3);
  Context now = weightless();
  step(bar.model, bar.state, now);
  return bar;
}

/// A bar whose middle is pulled apart: some clusters split, and the crack ends within the body.
Bar cracked_bar(int steps = 1) {
  Settings settings = tearing(24);
  settings.tears_per_step = 3;
  Bar bar = make_bar(settings);
  place(bar.model, bar.state, [](const Vec3& p) { return Vec3(p.x() + 0.08 * std::tanh(12 * p.x()) * (p.y() > 0 ? 1.0 : 0.2), p.y(), p.z()); });
  Context now = weightless();
  run(bar.model, bar.state, now, steps);
  return bar;
}

/// The solids of a drawn surface, each as a mesh of its own.
std::vector<TriMesh> solids(const Surface& surface, const PosedSurface* posed = nullptr) {
  std::vector<TriMesh> found(static_cast<size_t>(surface.pieces));
  const auto add = [&](const TriMesh& mesh, const std::vector<int32_t>& piece, const std::vector<Vec3f>* places) {
    for (size_t t = 0; t < mesh.triangles.size(); ++t) {
      TriMesh& solid = found[static_cast<size_t>(piece[t])];
      const int base = static_cast<int>(solid.positions.size());
      for (const int v : mesh.triangles[t]) {
        const size_t i = static_cast<size_t>(v);
        solid.positions.push_back(places ? Vec3((*places)[i].cast<double>()) : mesh.positions[i]);
      }
      solid.triangles.push_back({base, base + 1, base + 2});
    }
  };
  add(*surface.skin, surface.skin_piece, posed ? &posed->skin : nullptr);
  add(*surface.inner, surface.inner_piece, posed ? &posed->inner : nullptr);
  return found;
}

ClosedReport measured(const TriMesh& mesh) {
  const TriMesh* part = &mesh;
  return measure_closed(std::span(&part, 1));
}

Surface seen_now(const Bar& bar) {
  Surface surface = start_surface(bar.seen);
  update_surface(bar.model, bar.seen, bar.state, surface);
  return surface;
}

PosedSurface posed_now(const Bar& bar, const Surface& surface) {
  PosedSurface posed;
  pose_surface(bar.model, bar.seen, bar.state, surface, posed);
  return posed;
}

TEST(ClustersSurface, shows_the_artists_mesh_bit_for_bit_at_rest) {
  Transform place;
  place.rotation = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  place.translation = Vec3(20, -3, 5);
  for (const Transform& where : {Transform(), place}) {
    const Bar bar = make_bar(tearing(24), where);
    const Surface surface = seen_now(bar);
    EXPECT_EQ(surface.skin, bar.mesh);
    EXPECT_FALSE(surface.torn);
    EXPECT_TRUE(surface.inner->triangles.empty());
    const PosedSurface posed = posed_now(bar, surface);
    for (size_t v = 0; v < posed.skin.size(); ++v) ASSERT_EQ(posed.skin[v], bar.mesh->positions[v].cast<float>());
  }
}

TEST(ClustersSurface, rigid_and_linear_motion_carries_it_exactly) {
  Bar bar = make_bar(tearing(24));
  Mat3 motions[2];
  motions[0] = Eigen::AngleAxisd(2.1, Vec3(3, -1, 2).normalized()).toRotationMatrix();
  motions[1] << 1.1, 0.2, 0, -0.1, 0.9, 0.05, 0, 0.1, 1.2;
  for (const Mat3& motion : motions) {
    const auto moved = [&](const Vec3& p) { return Vec3(motion * p + Vec3(0.5, 1, -2)); };
    place(bar.model, bar.state, moved);
    const PosedSurface posed = posed_now(bar, seen_now(bar));
    for (size_t v = 0; v < posed.skin.size(); ++v) ASSERT_LT((posed.skin[v].cast<double>() - moved(bar.mesh->positions[v])).norm(), 3e-6);
  }
}

TEST(ClustersSurface, a_bar_of_one_cluster_becomes_two_closed_halves_along_the_recorded_plane) {
  const Bar bar = halved_bar();
  ASSERT_EQ(bar.state.totals.splits, 1);
  const Surface surface = seen_now(bar);
  ASSERT_EQ(surface.pieces, 2);
  const CutPlane& plane = bar.state.planes.back();
  ASSERT_EQ(plane.crack, 0);
  // The plane is square to x up to a tilt t: each half has the volume of a prism up to x = offset, whatever the tilt is.
  const double middle = plane.offset / plane.normal.x() + bar.model.origin.x() +
                        (plane.normal.y() * bar.model.origin.y() + plane.normal.z() * bar.model.origin.z()) / plane.normal.x();
  double total = 0;
  for (const TriMesh& solid : solids(surface)) {
    const ClosedReport report = measured(solid);
    EXPECT_TRUE(report.closed);
    const Bounds box = bounds_of(solid.positions);
    const double length = box.low.x() < -0.5 ? middle + 0.5 * kBar.x() : 0.5 * kBar.x() - middle;
    EXPECT_NEAR(report.volume, length * kBar.y() * kBar.z(), 1e-3 * kBar.prod());
    total += report.volume;
  }
  EXPECT_NEAR(total, kBar.prod(), 1e-9 * kBar.prod());
  for (const Vec3& p : surface.inner->positions) {
    const double height = plane.normal.cast<double>().dot(p - bar.model.origin) - plane.offset;
    EXPECT_LT(std::abs(height), 0.011 * bar.model.spacing);
  }
}

TEST(ClustersSurface, halves_that_move_apart_are_carried_rigidly_each) {
  Bar bar = halved_bar();
  const Surface surface = seen_now(bar);
  const Pieces found = pieces(bar.state);
  ASSERT_EQ(found.sizes.size(), 2u);
  const Mat3 turn = Eigen::AngleAxisd(0.4, Vec3::UnitZ()).toRotationMatrix();
  const int32_t left = found.of_particle[0];  // the particle with the smallest x
  for (size_t i = 0; i < bar.state.positions.size(); ++i) {
    const Vec3 rest = bar.model.rest[static_cast<size_t>(bar.state.original[i])].head<3>().cast<double>();
    const Vec3 now = found.of_particle[i] == left ? Vec3(rest - Vec3(1, 0, 0)) : Vec3(turn * rest + Vec3(1, 0.5, 0));
    bar.state.positions[i].head<3>() = now.cast<float>();
  }
  const PosedSurface posed = posed_now(bar, surface);
  for (const auto& [mesh, places] : {std::pair{surface.skin, posed.skin}, std::pair{surface.inner, posed.inner}}) {
    for (size_t v = 0; v < places.size(); ++v) {
      const Vec3 rest = mesh->positions[v] - bar.model.origin, now = places[v].cast<double>() - bar.model.origin;
      const double off = std::min((now - (rest - Vec3(1, 0, 0))).norm(), (now - (turn * rest + Vec3(1, 0.5, 0))).norm());
      ASSERT_LT(off, 1e-5);
    }
  }
  double total = 0;
  for (const TriMesh& solid : solids(surface, &posed)) {
    EXPECT_TRUE(measured(solid).closed);
    total += measured(solid).volume;
  }
  EXPECT_NEAR(total, kBar.prod(), 1e-5 * kBar.prod());
}

TEST(ClustersSurface, cracks_that_end_within_the_body_leave_it_closed) {
  for (const int steps : {1, 2, 6}) {
    const Bar bar = cracked_bar(steps);
    ASSERT_GT(bar.state.totals.splits, 0);
    const Surface surface = seen_now(bar);
    ASSERT_TRUE(surface.torn);
    EXPECT_FALSE(surface.inner->triangles.empty());
    const PosedSurface posed = posed_now(bar, surface);
    double total = 0;
    for (const TriMesh& solid : solids(surface)) {
      EXPECT_TRUE(measured(solid).closed);
      total += measured(solid).volume;
    }
    for (const TriMesh& solid : solids(surface, &posed)) EXPECT_TRUE(measured(solid).closed);
    EXPECT_NEAR(total, kBar.prod(), 1e-6 * kBar.prod());
  }
}

TEST(ClustersSurface, crack_faces_lie_in_their_planes_and_face_away_from_their_solid) {
  const Bar bar = cracked_bar(6);
  const Surface surface = seen_now(bar);
  std::vector<const CutPlane*> planes(static_cast<size_t>(bar.state.totals.splits), nullptr);
  for (const CutPlane& plane : bar.state.planes) {
    if (plane.crack >= 0 && !planes[static_cast<size_t>(plane.crack)]) planes[static_cast<size_t>(plane.crack)] = &plane;
  }
  double on_planes = 0, elsewhere = 0;
  for (size_t t = 0; t < surface.inner->triangles.size(); ++t) {
    const Triangle& corners = surface.inner->triangles[t];
    Vec3 at[3];
    for (size_t k = 0; k < 3; ++k) at[k] = surface.inner->positions[static_cast<size_t>(corners[k])];
    const Vec3 area = 0.5 * (at[1] - at[0]).cross(at[2] - at[0]);
    (surface.inner_crack[t] >= 0 ? on_planes : elsewhere) += area.norm();
    if (surface.inner_crack[t] < 0) continue;
    const CutPlane& plane = *planes[static_cast<size_t>(surface.inner_crack[t])];
    for (const Vec3& p : at) {
      EXPECT_LT(std::abs(plane.normal.cast<double>().dot(p - bar.model.origin) - plane.offset), 0.011 * bar.model.spacing);
    }
  }
  EXPECT_GT(on_planes, 5 * elsewhere);
  // Skin triangles look where the box does: none is turned over by a cut.
  for (const Triangle& corners : surface.skin->triangles) {
    Vec3 at[3];
    for (size_t k = 0; k < 3; ++k) at[k] = surface.skin->positions[static_cast<size_t>(corners[k])];
    const Vec3 area = 0.5 * (at[1] - at[0]).cross(at[2] - at[0]), middle = (at[0] + at[1] + at[2]) / 3;
    Vec3 outward = Vec3::Zero();
    Eigen::Index axis = 0;
    (2 * middle.cwiseAbs().cwiseQuotient(kBar)).maxCoeff(&axis);
    outward[axis] = middle[axis] > 0 ? 1 : -1;
    EXPECT_GE(area.dot(outward), -1e-12);
  }
}

TEST(ClustersSurface, a_cut_through_many_clusters_is_one_flat_crack) {
  Bar bar = make_bar(tearing(24));
  // All clusters that reach across the middle are split there, by the same plane.
  place(bar.model, bar.state, [](const Vec3& p) { return Vec3(p.x() + (p.x() > 0 ? 0.25 : -0.25), p.y(), p.z()); });
  Context now = weightless();
  run(bar.model, bar.state, now, 1);
  ASSERT_GT(bar.state.totals.splits, 2);
  const Surface surface = seen_now(bar);
  const Pieces found = pieces(bar.state);
  EXPECT_EQ(static_cast<size_t>(surface.pieces), found.sizes.size());
  double on_planes = 0, elsewhere = 0;
  for (size_t t = 0; t < surface.inner->triangles.size(); ++t) {
    Vec3 at[3];
    for (size_t k = 0; k < 3; ++k) at[k] = surface.inner->positions[static_cast<size_t>(surface.inner->triangles[t][k])];
    (surface.inner_crack[t] >= 0 ? on_planes : elsewhere) += 0.5 * (at[1] - at[0]).cross(at[2] - at[0]).norm();
  }
  EXPECT_GT(on_planes, 10 * elsewhere);
}

TEST(ClustersSurface, rough_crack_faces_fit_and_close_their_solids) {
  Bar bar = halved_bar();
  bar.seen.relief = 0.4, bar.seen.grain = 0.2, bar.seen.inner_color = Vec3f(0.5f, 0.4f, 0.3f);
  const Surface surface = seen_now(bar);
  ASSERT_EQ(surface.pieces, 2);
  const CutPlane& plane = bar.state.planes.back();
  double volume = 0, lowest = 1e9, highest = -1e9;
  for (const TriMesh& solid : solids(surface)) {
    EXPECT_TRUE(measured(solid).closed);
    volume += measured(solid).volume;
  }
  EXPECT_NEAR(volume, kBar.prod(), 1e-6 * kBar.prod());
  std::vector<std::array<double, 3>> sides[2];
  for (size_t t = 0; t < surface.inner->triangles.size(); ++t) {
    for (const int v : surface.inner->triangles[t]) {
      const Vec3& p = surface.inner->positions[static_cast<size_t>(v)];
      sides[surface.inner_piece[t]].push_back({p.x(), p.y(), p.z()});
      const double height = plane.normal.cast<double>().dot(p - bar.model.origin) - plane.offset;
      lowest = std::min(lowest, height);
      highest = std::max(highest, height);
    }
  }
  for (auto& side : sides) {
    std::sort(side.begin(), side.end());
    side.erase(std::unique(side.begin(), side.end()), side.end());
  }
  EXPECT_EQ(sides[0], sides[1]);
  EXPECT_GT(highest - lowest, 0.1 * bar.model.spacing);
  EXPECT_LT(highest - lowest, 2 * 0.4 * bar.model.spacing + 0.02 * bar.model.spacing);
  ASSERT_EQ(surface.inner->colors.size(), surface.inner->positions.size());
  for (const Vec3f& color : surface.inner->colors) EXPECT_LE((color - bar.seen.inner_color).cwiseAbs().maxCoeff(), 0.2f * 0.5f + 1e-6f);
}

TEST(ClustersSurface, every_solid_is_a_piece) {
  for (const int steps : {1, 6, 20}) {
    const Bar bar = cracked_bar(steps);
    const Surface surface = seen_now(bar);
    int worth_seeing = 0;
    const Pieces found = pieces(bar.state);
    for (const int size : found.sizes) worth_seeing += size >= 8;
    EXPECT_GE(surface.pieces, worth_seeing);
    EXPECT_LE(static_cast<size_t>(surface.pieces), found.sizes.size());
  }
}

TEST(ClustersSurface, depends_on_the_state_alone) {
  Settings settings = tearing(24);
  settings.tears_per_step = 3;
  Bar bar = make_bar(settings);
  place(bar.model, bar.state, [](const Vec3& p) { return Vec3(p.x() + 0.08 * std::tanh(12 * p.x()) * (p.y() > 0 ? 1.0 : 0.2), p.y(), p.z()); });
  Surface followed = start_surface(bar.seen);
  Context now = weightless();
  for (int k = 0; k < 6; ++k) {
    step(bar.model, bar.state, now);
    update_surface(bar.model, bar.seen, bar.state, followed);
  }
  const Surface jumped = seen_now(bar);
  ASSERT_TRUE(jumped.torn);
  EXPECT_EQ(followed.pieces, jumped.pieces);
  const auto sizes = [](const Surface& surface) {
    std::vector<double> volumes;
    for (const TriMesh& solid : solids(surface)) volumes.push_back(measured(solid).volume);
    std::sort(volumes.begin(), volumes.end());
    return volumes;
  };
  const std::vector<double> one = sizes(followed), other = sizes(jumped);
  for (size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(one[k], other[k], 1e-9);
  EXPECT_EQ(followed.skin->triangles.size(), jumped.skin->triangles.size());
  EXPECT_EQ(followed.inner->triangles.size(), jumped.inner->triangles.size());
}

TEST(ClustersSurface, texture_coordinates_stay_where_they_were) {
  const Bar bar = cracked_bar(2);
  const Surface surface = seen_now(bar);
  ASSERT_EQ(surface.skin->uvs.size(), surface.skin->positions.size());
  // On each side of the box they are two of the coordinates.
  for (size_t v = 0; v < surface.skin->uvs.size(); ++v) {
    const Vec3f p = surface.skin->positions[v].cast<float>();
    const Vec2f uv = surface.skin->uvs[v];
    bool found = false;
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) found = found || (a != b && (Vec2f(p[a], p[b]) - uv).norm() < 1e-5f);
    }
    ASSERT_TRUE(found);
  }
}

TEST(ClustersSurface, goes_back_to_the_artists_mesh_with_a_state_that_is_whole) {
  Bar bar = halved_bar();
  Surface surface = seen_now(bar);
  ASSERT_TRUE(surface.torn);
  bar.state = start(bar.model);
  EXPECT_TRUE(update_surface(bar.model, bar.seen, bar.state, surface));
  EXPECT_FALSE(surface.torn);
  EXPECT_EQ(surface.skin, bar.mesh);
  EXPECT_FALSE(update_surface(bar.model, bar.seen, bar.state, surface));
}

TEST(ClustersSurface, is_the_same_for_any_number_of_threads) {
  const int before = thread_count();
  const Bar bar = cracked_bar(6);
  set_thread_count(1);
  const Surface one = seen_now(bar);
  const PosedSurface posed = posed_now(bar, one);
  set_thread_count(3);
  const Surface three = seen_now(bar);
  const PosedSurface again = posed_now(bar, three);
  set_thread_count(before);
  EXPECT_EQ(one.skin->triangles, three.skin->triangles);
  EXPECT_EQ(one.inner->triangles, three.inner->triangles);
  EXPECT_EQ(posed.skin, again.skin);
  EXPECT_EQ(posed.inner, again.inner);
}

TEST(ClustersSurface, refuses_meshes_without_an_inside) {
  const Bar bar = make_bar(tearing(24));
  const auto refusal = [&](const TriMesh& mesh) {
    const Result<SurfaceModel> result = build_surface(bar.model, std::make_shared<TriMesh>(mesh));
    return result ? std::string() : result.error().text;
  };
  EXPECT_FALSE(build_surface(bar.model, nullptr));
  EXPECT_NE(refusal(TriMesh()).find("triangles"), std::string::npos);
  TriMesh open = *bar.mesh;
  open.triangles.pop_back();
  EXPECT_NE(refusal(open).find("open at"), std::string::npos);
  TriMesh inward = *bar.mesh;
  for (Triangle& t : inward.triangles) std::swap(t[0], t[1]);
  EXPECT_NE(refusal(inward).find("inward"), std::string::npos);
  TriMesh broken = *bar.mesh;
  broken.positions[3].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal(broken).find("vertex 3"), std::string::npos);
  TriMesh dangling = *bar.mesh;
  dangling.triangles[0][1] = 1000000;
  EXPECT_NE(refusal(dangling).find("triangle 0"), std::string::npos);
}

TEST(ClustersSurface, particles_are_coloured_by_piece_cluster_and_strain) {
  Bar bar = halved_bar();
  const Pieces found = pieces(bar.state);
  const ParticleView view = view_particles(bar.model, bar.state, ParticleColor::Piece);
  ASSERT_EQ(view.positions.size(), bar.state.positions.size());
  for (size_t i = 0; i < view.colors.size(); ++i) EXPECT_EQ(view.colors[i] == view.colors[0], found.of_particle[i] == found.of_particle[0]);
  EXPECT_LT((view.positions[5] - position(bar.model, bar.state, 5)).norm(), 1e-12);
  for (Mat3f& plastic : bar.state.plastic) plastic.setIdentity();
  bar.state.plastic[0](0, 0) = 2;
  const std::vector<Vec3f> strained = particle_colors(bar.state, ParticleColor::Strain),
                           clusters = particle_colors(bar.state, ParticleColor::Cluster);
  for (size_t i = 0; i < strained.size(); ++i) {
    const bool first = bar.state.entry_cluster[static_cast<size_t>(bar.state.entry_begin[i])] == 0;
    EXPECT_EQ(strained[i], strain_color(first ? 1.0f : 0.0f));
    EXPECT_EQ(clusters[i], number_color(first ? 0 : 1));
  }
}

}  // namespace
}  // namespace crumple::clusters
