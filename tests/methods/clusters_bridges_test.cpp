#include <gtest/gtest.h>

#include "crumple/geometry/mesh.h"
#include "crumple/methods/clusters/surface_check.h"
#include "crumple/methods/clusters/topology.h"
#include "tests/methods/clusters_bodies.h"

namespace crumple::clusters {
namespace {

/// A bar of two clusters that hold together by a few of the particles they shared, its halves moved apart along x.
struct Bridged {
  Model model;
  State state;
  int held = 0, shared = 0;
};

Bridged bridged(double bridge, int held, float apart) {
  Settings settings;
  settings.clusters = 2, settings.radius = 0.4, settings.toughness = 0.1, settings.bridge = bridge, settings.self_collision = false;
  settings.kernel = Kernel::Constant;
  Bridged made{built(box_particles(Vec3(1.2, 0.3, 0.3), 0.06), settings), {}, 0, 0};
  made.state = start(made.model);
  EXPECT_EQ(made.state.clusters(), 2);
  for (int i = 0, count = made.state.particles(); i < count; ++i) {
    if (made.state.entry_count[static_cast<size_t>(i)] < 2) continue;
    if (++made.shared > held)
      cut_particle(made.state, i, std::vector<uint8_t>{0, 1});
    else
      ++made.held;
  }
  for (int i = 0; i < made.state.particles(); ++i) {
    const size_t k = static_cast<size_t>(i);
    const bool beyond = made.state.center[static_cast<size_t>(made.state.entry_cluster[static_cast<size_t>(made.state.entry_begin[k])])].x() > 0;
    made.state.positions[k].x() += beyond ? apart : -apart;
  }
  EXPECT_TRUE(rebuilt(made.model, made.state));
  return made;
}

size_t pieces_after_a_step(Bridged& bar) {
  Context now = weightless();
  const double mass = total_mass(bar.model, bar.state);
  step(bar.model, bar.state, now);
  EXPECT_EQ(total_mass(bar.model, bar.state), mass);
  return pieces(bar.state).sizes.size();
}

TEST(ClustersBridges, few_particles_do_not_hold_what_is_pulled_apart) {
  Bridged bar = bridged(0.25, 4, 0.1f);
  ASSERT_GT(bar.shared, 20);
  EXPECT_EQ(pieces_after_a_step(bar), 2u);
  EXPECT_EQ(bar.state.totals.bridges, 1);
  EXPECT_EQ(bar.state.totals.splits, 0);
}

TEST(ClustersBridges, they_hold_without_the_rule_and_while_nothing_pulls) {
  Bridged without = bridged(0, 4, 0.1f), quiet = bridged(0.25, 4, 0);
  EXPECT_EQ(pieces_after_a_step(without), 1u);
  EXPECT_EQ(pieces_after_a_step(quiet), 1u);
}

TEST(ClustersBridges, more_particles_hold) {
  Bridged bar = bridged(0.25, 4, 0.1f);
  Bridged strong = bridged(0.25, bar.shared / 2, 0.05f);
  EXPECT_EQ(pieces_after_a_step(strong), 1u);
}

TEST(ClustersBridges, drawn_solids_of_a_parted_bar_are_its_pieces) {
  Bridged bar = bridged(0.25, 4, 0.1f);
  const Result<SurfaceModel> seen = build_surface(bar.model, std::make_shared<TriMesh>(make_box(Vec3(1.26, 0.36, 0.36))));
  ASSERT_TRUE(seen);
  ASSERT_EQ(pieces_after_a_step(bar), 2u);
  Surface surface = start_surface(*seen);
  PosedSurface posed;
  pose_surface(bar.model, *seen, start(bar.model), surface, posed);
  const SurfaceCheck whole = check_surface(bar.model, *seen, start(bar.model), surface, posed);
  EXPECT_EQ(whole.drawn, 1);
  EXPECT_EQ(whole.simulated, 1);
  EXPECT_EQ(whole.long_edges, 0);
  EXPECT_LE(whole.worst_edge, 1 + 1e-5);
  update_surface(bar.model, *seen, bar.state, surface);
  pose_surface(bar.model, *seen, bar.state, surface, posed);
  const SurfaceCheck torn = check_surface(bar.model, *seen, bar.state, surface, posed);
  EXPECT_EQ(torn.simulated, 2);
  EXPECT_EQ(torn.drawn, 2);
  EXPECT_EQ(torn.mixed + torn.divided + torn.unseen + torn.strays, 0);
  EXPECT_EQ(torn.empty_area, 0);
}

}  // namespace
}  // namespace crumple::clusters
