#include "crumple/rig/weights.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "crumple/core/parallel.h"
#include "crumple/io/paper1_asset.h"
#include "crumple/io/gltf_asset.h"
#include "crumple/rig/biharmonic.h"
#include "crumple/rig/shared_inverse.h"
#include "tests/authors_data.h"
#include "tests/shapes.h"

#include <Eigen/Dense>
#include <Eigen/SparseCore>

namespace crumple {
namespace {

constexpr auto kExact = WeightSettings::Quality::Exact;
constexpr auto kDefault = WeightSettings::Quality::Default;

/// A cylinder cut out of a lattice, stretched along y.
TetMesh lattice_drum(int cells) {
  TetMesh mesh = lattice_box({2, 3, 2}, cells, {cells, cells * 3 / 2, cells});
  for (Vec3& p : mesh.positions) {  // squares become discs, ring by ring
    const double ring = std::max(std::abs(p.x()), std::abs(p.z())), length = std::hypot(p.x(), p.z());
    if (length > 0) p.x() *= ring / length, p.z() *= ring / length;
  }
  return mesh;
}

std::vector<WeightHandle> points(const std::vector<Vec3>& places) {
  std::vector<WeightHandle> handles;
  for (const Vec3& place : places) handles.push_back({"", PointHandle{place}});
  return handles;
}

std::vector<WeightHandle> points_of(const Asset& asset) {
  std::vector<WeightHandle> handles;
  for (const Handle& handle : asset.handles) handles.push_back({handle.name, PointHandle{handle.position}});
  return handles;
}

const std::vector<Vec3> kDrumPlaces = {{1, 1.5, 0}, {-1, 1.5, 0}, {0, 1.5, 1}, {1, -1.5, 0}, {-1, -1.5, 0}, {0, -1.5, -1}, {0, 0, 1}, {0, 0, -1}};

std::vector<WeightHandle> end_faces(const TetMesh& bar) {
  CageHandle left, right;
  for (size_t v = 0; v < bar.positions.size(); ++v) {
    if (bar.positions[v].x() < -1 + 1e-9) left.vertices.push_back(static_cast<int>(v));
    if (bar.positions[v].x() > 1 - 1e-9) right.vertices.push_back(static_cast<int>(v));
  }
  return {{"left", left}, {"right", right}};
}

/// The energy once more, by other means: gradients from inverse edge matrices, products by Eigen, nothing shared with the library.
Eigen::SparseMatrix<double> energy_anew(const TetMesh& mesh) {
  const int n = static_cast<int>(mesh.positions.size());
  std::vector<Eigen::Triplet<double>> entries, inverse_masses;
  Eigen::VectorXd masses = Eigen::VectorXd::Zero(n);
  for (const Tetrahedron& tet : mesh.tets) {
    Eigen::Matrix4d corners;
    for (int i = 0; i < 4; ++i) corners.row(i) << 1, mesh.positions[tet[i]].transpose();
    const double volume = std::abs(corners.determinant()) / 6;
    const Eigen::Matrix<double, 3, 4> gradients = corners.inverse().bottomRows<3>();
    for (int i = 0; i < 4; ++i) {
      masses[tet[i]] += volume / 4;
      for (int j = 0; j < 4; ++j) entries.emplace_back(tet[i], tet[j], volume * gradients.col(i).dot(gradients.col(j)));
    }
  }
  for (int i = 0; i < n; ++i) inverse_masses.emplace_back(i, i, 1 / masses[i]);
  Eigen::SparseMatrix<double> stiffness(n, n), inverse(n, n);
  stiffness.setFromTriplets(entries.begin(), entries.end());
  inverse.setFromTriplets(inverse_masses.begin(), inverse_masses.end());
  return stiffness * inverse * stiffness;
}

/// The certificate of one handle, from the raw weights alone.
double residual_anew(const Eigen::SparseMatrix<double>& energy, const WeightsResult& result, size_t handle) {
  const Eigen::Index n = energy.rows();
  const Eigen::VectorXd w = Eigen::Map<const Eigen::VectorXd>(&result.raw[handle * static_cast<size_t>(n)], n);
  const Eigen::VectorXd gradient = energy * w;
  std::vector<char> fixed(static_cast<size_t>(n), 0);
  for (const HandleReport& each : result.handles) {
    for (const int v : each.vertices) fixed[v] = 1;
  }
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    if (!fixed[i]) worst = std::max(worst, w[i] == 0 ? -gradient[i] : w[i] == 1 ? gradient[i] : std::abs(gradient[i]));
  }
  return worst / gradient.cwiseAbs().maxCoeff();
}

double greatest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double greatest = a.size() == b.size() ? 0 : 1e300;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) greatest = std::max(greatest, static_cast<double>(std::abs(a[i] - b[i])));
  return greatest;
}

WeightsResult solved(const TetMesh& mesh, const std::vector<WeightHandle>& handles, WeightSettings::Quality quality, double smallest = 1e-4) {
  Result<WeightsResult> result = compute_weights(mesh, handles, {.quality = quality, .smallest = smallest});
  EXPECT_TRUE(result) << result.error().text;
  return result ? std::move(*result) : WeightsResult{};
}

std::string complaint(const TetMesh& mesh, const std::vector<WeightHandle>& handles) {
  Result<WeightsResult> result = compute_weights(mesh, handles);
  return result ? "no complaint" : result.error().text;
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

void expect_certified(const TetMesh& mesh, const WeightsResult& result, double target) {
  EXPECT_EQ(result.target, target);
  EXPECT_LE(result.kkt_residual, target);
  EXPECT_TRUE(result.warnings.empty());
  const Eigen::SparseMatrix<double> energy = energy_anew(mesh);
  for (size_t h = 0; h < result.handles.size(); ++h) EXPECT_LE(residual_anew(energy, result, h), target) << "handle " << h;
}

void expect_bounds_and_sums(const WeightsResult& result) {
  const size_t handles = result.handles.size(), vertices = result.raw.size() / handles;
  EXPECT_GE(*std::min_element(result.raw.begin(), result.raw.end()), 0.0);
  EXPECT_LE(*std::max_element(result.raw.begin(), result.raw.end()), 1.0);
  for (size_t h = 0; h < handles; ++h) {
    for (size_t other = 0; other < handles; ++other) {
      for (const int v : result.handles[other].vertices) EXPECT_EQ(result.raw[h * vertices + static_cast<size_t>(v)], h == other ? 1.0 : 0.0);
    }
  }
  for (size_t v = 0; v < vertices; ++v) {
    double sum = 0;
    for (size_t h = 0; h < handles; ++h) {
      const float weight = result.weights[v * handles + h];
      EXPECT_TRUE(weight == 0 || (weight >= 0.9999e-4f && weight <= 1.0f)) << weight;
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

/// The vertices of a lattice bar in its outermost `layers` at one end.
CageHandle end_layers(const TetMesh& bar, int cells, int layers, double side) {
  CageHandle cage;
  for (size_t v = 0; v < bar.positions.size(); ++v) {
    if (side * bar.positions[v].x() > 1 - (layers - 0.5) * 2 / cells) cage.vertices.push_back(static_cast<int>(v));
  }
  return cage;
}

// On this lattice K joins vertices along the axes only, and along x in the same proportion as their masses except in the two end
// faces. With two layers held at each end those do not matter: for w of x alone M^-1 K w is the second difference of its values
// f_0 ... f_N, and least energy means that fourth differences vanish. So f is a cubic with f_0 = f_1 = 1 and f_(N-1) = f_N = 0: odd
// about the middle, 1/2 + a s + b s^3 with s from there, and it keeps the bounds by itself.
TEST(Weights, of_a_bar_held_by_two_layers_at_each_end_are_a_cubic_in_one_dimension) {
  constexpr int kCells = 20;
  const TetMesh bar = lattice_box({2, 0.3, 0.2}, 0, {kCells, 3, 2});
  const WeightsResult result = solved(bar, {{"left", end_layers(bar, kCells, 2, -1)}, {"right", end_layers(bar, kCells, 2, 1)}}, kExact);
  const double outer = kCells / 2.0, inner = outer - 1;
  const double b = -0.5 * (1 / outer - 1 / inner) / (outer * outer - inner * inner), a = -0.5 / outer - b * outer * outer;
  for (size_t v = 0; v < bar.positions.size(); ++v) {
    const double s = bar.positions[v].x() * kCells / 2, cubic = 0.5 + a * s + b * s * s * s;
    EXPECT_NEAR(result.raw[v], cubic, 1e-6) << "vertex " << v;
  }
}

double bar_error(int cells) {
  const TetMesh bar = lattice_box({2, 0.5, 0.5}, 0, {cells, cells / 4, cells / 4});
  const WeightsResult result = solved(bar, end_faces(bar), kExact);
  double error = 0;
  for (size_t v = 0; v < bar.positions.size(); ++v) {
    const double t = 0.5 * (bar.positions[v].x() + 1), cubic = 1 - 3 * t * t + 2 * t * t * t;
    error = std::max(error, std::abs(result.raw[v] - cubic));
    EXPECT_NEAR(result.raw[v] + result.raw[bar.positions.size() + v], 1, 1e-7);
  }
  return error;
}

// Between end faces w depends on x alone and its fourth derivative vanishes: a cubic with w(0) = 1 and w(1) = 0. K has the free
// boundary built in, so the rows of the end faces add 2 / h times the squared slope there to the energy: as the cells shrink the
// slope must vanish too, and the cubic is 1 - 3 t^2 + 2 t^3, which keeps the bounds by itself.
TEST(Weights, of_a_bar_held_at_its_end_faces_approach_the_cubic_with_level_ends) {
  const double coarse = bar_error(8), fine = bar_error(16), finer = bar_error(24);
  EXPECT_LT(coarse, 0.008);
  EXPECT_LT(fine, 0.5 * coarse);
  EXPECT_LT(finer, 0.0015);
}

TEST(Weights, are_exactly_in_bounds_and_sum_to_one) {
  const TetMesh drum = lattice_drum(8);
  for (const auto quality : {kDefault, kExact}) expect_bounds_and_sums(solved(drum, points(kDrumPlaces), quality));
}

TEST(Weights, of_a_lattice_drum_are_certified_by_an_energy_assembled_anew) {
  const TetMesh drum = lattice_drum(8);
  expect_certified(drum, solved(drum, points(kDrumPlaces), kExact), 1e-8);
  expect_certified(drum, solved(drum, points(kDrumPlaces), kDefault), 1e-5);
}

TEST(Weights, of_the_drum_asset_are_certified_and_the_default_is_within_three_thousandths) {
  const Result<Asset> drum = io::read_asset(std::string(CRUMPLE_SOURCE_DIR) + "/assets/drum.glb");
  ASSERT_TRUE(drum) << drum.error().text;
  const WeightsResult exact = solved(drum->tets, points_of(*drum), kExact), usual = solved(drum->tets, points_of(*drum), kDefault);
  expect_certified(drum->tets, exact, 1e-8);
  expect_certified(drum->tets, usual, 1e-5);
  EXPECT_LE(greatest_difference(exact.weights, usual.weights), 0.003);
}

TEST(Weights, report_the_residual_that_an_independent_check_finds) {
  const TetMesh drum = lattice_drum(8);
  const WeightsResult result = solved(drum, points(kDrumPlaces), kDefault);
  const Eigen::SparseMatrix<double> energy = energy_anew(drum);
  for (size_t h = 0; h < result.handles.size(); ++h) {
    EXPECT_NEAR(residual_anew(energy, result, h), result.handles[h].kkt_residual, 1e-9 + 1e-6 * result.handles[h].kkt_residual);
  }
}

// Turning by half a turn about z maps this lattice to itself.
TEST(Weights, are_symmetric_where_mesh_and_handles_are) {
  const TetMesh box = lattice_box({2, 1, 1}, 0, {8, 4, 4});
  const WeightsResult result = solved(box, points({{-1, -0.5, -0.5}, {1, 0.5, 0.5}, {0, 0, 0}}), kExact);
  const size_t n = box.positions.size();
  for (size_t v = 0; v < n; ++v) {
    const size_t opposite = n - 1 - v;
    ASSERT_LT((box.positions[v] + box.positions[opposite]).norm(), 1e-12);
    EXPECT_NEAR(result.raw[v], result.raw[n + opposite], 1e-7);
    EXPECT_NEAR(result.raw[2 * n + v], result.raw[2 * n + opposite], 1e-7);
  }
}

TEST(Weights, do_not_depend_on_the_size_of_the_body) {
  TetMesh drum = lattice_drum(6);
  const WeightsResult large = solved(drum, points(kDrumPlaces), kExact);
  std::vector<Vec3> places = kDrumPlaces;
  for (Vec3& p : drum.positions) p *= 1e-3;
  for (Vec3& p : places) p *= 1e-3;
  EXPECT_LE(greatest_difference(large.weights, solved(drum, points(places), kExact).weights), 1e-6);
}

TEST(Weights, are_the_same_bits_for_any_number_of_threads) {
  const TetMesh drum = lattice_drum(6);
  std::vector<Vec3> places;  // more than fit side by side
  for (size_t v = 0; v < drum.positions.size(); v += drum.positions.size() / 20) places.push_back(drum.positions[v]);
  const std::vector<WeightHandle> handles = points(places);
  const int before = thread_count();
  for (const auto quality : {kDefault, kExact}) {
    set_thread_count(1);
    const WeightsResult one = solved(drum, handles, quality);
    for (const int threads : {2, 3}) {
      set_thread_count(threads);
      const WeightsResult more = solved(drum, handles, quality);
      EXPECT_EQ(one.raw, more.raw);
      EXPECT_EQ(one.weights, more.weights);
    }
  }
  set_thread_count(before);
}

TEST(Weights, of_a_single_handle_are_one_everywhere) {
  const WeightsResult result = solved(lattice_drum(4), points({{1, 1.5, 0}}), kExact);
  EXPECT_TRUE(std::all_of(result.weights.begin(), result.weights.end(), [](float w) { return w == 1; }));
  EXPECT_LE(result.kkt_residual, 1e-8);
}

TEST(Weights, bones_hold_the_vertices_along_them_and_share_out_a_joint) {
  const TetMesh bar = lattice_box({2, 0.5, 0.5}, 0, {16, 4, 4});
  const std::vector<WeightHandle> bones = {{"a", BoneHandle{{-1, 0, 0}, {0, 0, 0}}}, {"b", BoneHandle{{0, 0, 0}, {1, 0, 0}}}};
  const WeightsResult result = solved(bar, bones, kExact);
  EXPECT_EQ(result.handles[0].vertices.size() + result.handles[1].vertices.size(), 17u);
  expect_bounds_and_sums(result);
  EXPECT_LE(result.kkt_residual, 1e-8);
}

TEST(Weights, of_points_bones_and_cages_together_are_certified) {
  const TetMesh bar = lattice_box({2, 0.5, 0.5}, 0, {16, 4, 4});
  const std::vector<WeightHandle> handles = {
      {"cage", end_layers(bar, 16, 1, -1)}, {"bone", BoneHandle{{-0.25, 0, 0}, {0.25, 0, 0}}}, {"point", PointHandle{{1, 0.25, 0.25}}}};
  for (const auto quality : {kDefault, kExact}) {
    const WeightsResult result = solved(bar, handles, quality);
    expect_bounds_and_sums(result);
    expect_certified(bar, result, quality == kExact ? 1e-8 : 1e-5);
  }
}

// Beyond a few hundred held vertices another way to invert the energy is taken.
TEST(Weights, of_large_cages_are_certified) {
  const TetMesh block = lattice_box({2, 1, 1}, 0, {8, 11, 11});
  std::vector<WeightHandle> handles = {
      {"left", end_layers(block, 8, 1, -1)}, {"right", end_layers(block, 8, 1, 1)}, {"top", PointHandle{{0, 0.5, 0}}}};
  ASSERT_GT(end_layers(block, 8, 1, 1).vertices.size() * 2, static_cast<size_t>(kMaxFixedToSplit));
  for (const auto quality : {kDefault, kExact}) expect_certified(block, solved(block, handles, quality), quality == kExact ? 1e-8 : 1e-5);
}

/// The greatest error of x from Q x, both ways to invert, over max |x| = 1.
template <class T>
double inverse_error(bool split) {
  const TetMesh box = lattice_box({2, 1, 1}, 0, {8, 4, 4});
  SplitEnergy energy;
  energy.laplacian = *cotangent_laplacian(box);
  energy.masses = lumped_masses(box, 1.0);
  const SparseMatrix whole = biharmonic_energy(energy.laplacian, energy.masses);
  const int held = 5;  // the last vertices, so the order stays
  energy.free = whole.size - held;
  SharedInverse<T> inverse;
  EXPECT_TRUE(inverse.build(energy, split ? nullptr : &whole));
  constexpr int kLanes = SharedInverse<T>::kLanes;
  const auto x = [](int row, int l) { return std::sin(0.1 * row * (l + 1)); };
  std::vector<T> lanes(static_cast<size_t>(energy.free) * kLanes);
  for (int i = 0; i < energy.free; ++i) {
    for (int l = 0; l < kLanes; ++l) {
      double sum = 0;
      for (int k = whole.start[i]; k < whole.start[i + 1] && whole.column[k] < energy.free; ++k) sum += whole.value[k] * x(whole.column[k], l);
      lanes[static_cast<size_t>(i) * kLanes + l] = static_cast<T>(sum);
    }
  }
  inverse.apply(lanes);
  double error = 0;
  for (int i = 0; i < energy.free; ++i) {
    for (int l = 0; l < kLanes; ++l) error = std::max(error, std::abs(x(i, l) - static_cast<double>(lanes[static_cast<size_t>(i) * kLanes + l])));
  }
  return error;
}

TEST(Weights, the_shared_inverse_undoes_the_energy_split_or_whole) {
  for (const bool split : {true, false}) {
    EXPECT_LT(inverse_error<double>(split), 1e-9) << split;
    EXPECT_LT(inverse_error<float>(split), 0.05) << split;
  }
}

TEST(Weights, a_bone_between_the_vertices_takes_the_nearest_along_it) {
  const TetMesh bar = lattice_box({2, 0.5, 0.5}, 0, {4, 1, 1});
  const WeightsResult result = solved(bar, {{"bone", BoneHandle{{-1, 0, 0}, {1, 0, 0}}}}, kExact);
  EXPECT_GE(result.handles[0].vertices.size(), 3u);
}

TEST(Weights, refuse_what_cannot_be_solved_and_say_why) {
  const TetMesh drum = lattice_drum(4);
  EXPECT_SAYS(complaint(drum, {}), "no handles");
  EXPECT_SAYS(complaint({}, points({{0, 0, 0}})), "no tetrahedra");
  EXPECT_SAYS(complaint(drum, points({{1, 1.5, 0}, {1.01, 1.5, 0}})), "both hold vertex");
  EXPECT_SAYS(complaint(drum, points({{1, 1.5, 0}, {9, 0, 0}})), "from the nearest vertex");
  EXPECT_SAYS(complaint(drum, points({{std::nan(""), 0, 0}})), "finite");
  EXPECT_SAYS(complaint(drum, {{"cage", CageHandle{{100000}}}}), "lists vertex 100000");
  EXPECT_SAYS(complaint(drum, {{"cage", CageHandle{}}}), "lists no vertices");
}

TEST(Weights, refuse_broken_tetrahedra) {
  TetMesh flat = lattice_drum(4);
  const Tetrahedron corner = flat.tets[0];
  flat.positions[corner[3]] = (flat.positions[corner[0]] + flat.positions[corner[1]] + flat.positions[corner[2]]) / 3;
  EXPECT_SAYS(complaint(flat, points({{1, 1.5, 0}})), "is flat");
  TetMesh apart = lattice_drum(4);
  const int shift = static_cast<int>(apart.positions.size());
  const TetMesh other = lattice_box({1, 1, 1}, 2);
  for (const Vec3& p : other.positions) apart.positions.push_back(p + Vec3(4, 0, 0));
  for (const auto& [a, b, c, d] : other.tets) apart.tets.push_back({a + shift, b + shift, c + shift, d + shift});
  EXPECT_SAYS(complaint(apart, points({{1, 1.5, 0}})), "connected to no handle");
  TetMesh loose = lattice_drum(4);
  loose.positions.emplace_back(0, 5, 0);
  EXPECT_SAYS(complaint(loose, points({{1, 1.5, 0}})), "in no tetrahedron");
  TetMesh wild = lattice_drum(4);
  wild.tets[3][1] = -1;
  EXPECT_SAYS(complaint(wild, points({{1, 1.5, 0}})), "has corner -1");
  TetMesh infinite = lattice_drum(4);
  infinite.positions[7].y() = INFINITY;
  EXPECT_SAYS(complaint(infinite, points({{1, 1.5, 0}})), "not at a finite place");
}

/// A box whose left part is squeezed flat.
TetMesh graded_box(double flat) {
  TetMesh box = lattice_box({2, 1, 1}, 0, {8, 4, 4});
  for (Vec3& p : box.positions) p.x() = p.x() < -0.3 ? -0.5 + flat * (p.x() + 0.5) : p.x();
  return box;
}
const std::vector<Vec3> kBoxPlaces = {{1, 0.5, 0.5}, {1, -0.5, -0.5}, {0, 0.5, -0.5}};

TEST(Weights, tell_when_a_mesh_is_too_badly_graded_to_certify) {
  for (const auto quality : {kDefault, kExact}) {
    const WeightsResult result = solved(graded_box(3e-4), points(kBoxPlaces), quality);
    EXPECT_GT(result.noise_floor, 1e-5);
    EXPECT_GT(result.kkt_residual, result.target);
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_SAYS(result.warnings[0], "rounding alone may leave");
    expect_bounds_and_sums(result);
  }
}

TEST(Weights, certify_the_default_where_rounding_is_already_in_the_way_of_the_exact) {
  const WeightsResult usual = solved(graded_box(1e-3), points(kBoxPlaces), kDefault), exact = solved(graded_box(1e-3), points(kBoxPlaces), kExact);
  EXPECT_LE(usual.kkt_residual, 1e-5);
  EXPECT_TRUE(usual.warnings.empty());
  EXPECT_LE(exact.kkt_residual, 10 * exact.noise_floor);
  ASSERT_EQ(exact.warnings.size(), 1u);
}

TEST(Weights, refuse_tetrahedra_whose_energy_is_lost_in_rounding) {
  TetMesh graded = lattice_drum(8);
  for (Vec3& p : graded.positions) p.y() = p.y() < -0.4 ? -1.5 + 1e-5 * (p.y() + 1.5) : p.y();
  EXPECT_SAYS(complaint(graded, points({{1, 1.5, 0}, {-1, 1.5, 0}, {0, 0, 1}})), "badly shaped");
}

/// An asset before it was scored: copies of a vertex and of a tetrahedron are one again.
Asset unscored(const Asset& asset) {
  if (!asset.pieces) return asset;
  Asset whole = asset;
  const std::vector<int>& origin = asset.pieces->origin;
  const size_t count = static_cast<size_t>(*std::max_element(origin.begin(), origin.end())) + 1, handles = asset.handles.size();
  whole.tets.positions.resize(count), whole.weights.resize(count * handles);
  for (size_t v = 0; v < origin.size(); ++v) {
    const size_t to = static_cast<size_t>(origin[v]);
    whole.tets.positions[to] = asset.tets.positions[v];
    std::copy_n(&asset.weights[v * handles], handles, &whole.weights[to * handles]);
  }
  std::set<Tetrahedron> tets;
  for (Tetrahedron tet : asset.tets.tets) {
    for (int& v : tet) v = origin[static_cast<size_t>(v)];
    tets.insert(tet);
  }
  whole.tets.tets.assign(tets.begin(), tets.end());
  whole.pieces.reset();
  return whole;
}

TEST(Weights, agree_with_those_the_authors_published) {
  const auto folder = authors_data();
  if (!folder) GTEST_SKIP() << kNoAuthorsData;
  for (const char* name : {"barrel2", "AdamsCrownVic", "craneDanFracture", "shippingContainer", "tieFighter2"}) {
    const Result<Asset> read = io::read_paper1_asset(*folder / "examples" / name);
    ASSERT_TRUE(read) << read.error().text;
    const Asset whole = unscored(*read);
    const Asset* asset = &whole;
    const WeightsResult exact = solved(asset->tets, points_of(*asset), kExact, 0), usual = solved(asset->tets, points_of(*asset), kDefault, 0);
    EXPECT_LE(exact.kkt_residual, 1e-8) << name;
    EXPECT_LE(usual.kkt_residual, 1e-5) << name;
    EXPECT_LE(greatest_difference(exact.weights, asset->weights), 2e-4) << name;
    EXPECT_LE(greatest_difference(exact.weights, usual.weights), 0.003) << name;
  }
}

}  // namespace
}  // namespace crumple
