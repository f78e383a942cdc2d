// Links that give way as plastic joints before they part.
#include <cmath>
#include <numbers>

#include "crumple/core/parallel.h"
#include "crumple/io/files.h"
#include "tests/scene/bars.h"
#include "tests/scene/inside.h"

namespace crumple {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// A ball hits one half of a bar from the side, far out: the link between the halves is overloaded and turns.
class Hinges : public BarTest {
 protected:
  Scene struck(const std::string& asset, double speed, const std::string& hinge, const std::string& more = "") {
    return scene(asset, fmt::format(R"("seconds": 1.5, "checkpoint": 10, {} "bodies": [
      {{"name": "bar", "asset": "bar", "density": {}, "material": {{"restitution": 0, "friction": 0, "spin_damping": 0}},
        "pieces": {{"strength": 150, "settle": 0, "hinge": {}}}}},
      {{"name": "ball", "sphere": 0.2, "at": [-0.8, 0.5805, 0], "mass": 20, "velocity": [0, -{}, 0], "material": {{"restitution": 0, "friction": 0, "spin_damping": 0}}}}])",
                                    more, kDensity, hinge, speed));
  }
  /// Angle between the two halves.
  static double angle_of(const World& world) {
    const Transform between = world.place(0, 0).inverse() * world.place(0, 1);
    return Eigen::AngleAxisd(between.rotation).angle();
  }
};

TEST_F(Hinges, a_gentle_blow_leaves_a_weld_a_harder_one_turns_it_a_hard_one_parts_it) {
  const std::string asset = halves();
  double last = -1;
  for (const double speed : {0.1, 4.0, 6.0, 30.0}) {
    World world = built(struck(asset, speed, "{}"));
    run_frames(world, 90);
    const size_t hinges = world.report().hinges.size(), breaks = world.report().breaks.size();
    EXPECT_EQ(hinges, speed > 1 ? 1u : 0u) << speed;
    EXPECT_EQ(breaks, speed > 10 ? 1u : 0u) << speed;
    const std::vector<JointReport> joints = world.joint_reports();
    const double turned = joints.empty() ? 0 : joints[0].history.turn / kDegree;
    if (breaks == 0) {
      EXPECT_LT(turned, 75) << speed;
      EXPECT_GT(turned, last) << speed;
      EXPECT_NEAR(angle_of(world) / kDegree, turned, 3) << "what turned is what is seen";
      last = turned;
    } else {
      EXPECT_TRUE(turned > 74 || joints[0].history.elongation > 0.24) << turned << " degrees, " << joints[0].history.elongation << " m";
    }
  }
  EXPECT_GT(last, 10);
}

TEST_F(Hinges, momentum_is_kept_and_what_they_take_is_booked) {
  const std::string asset = halves();
  for (const double speed : {6.0, 30.0}) {
    World world = built(struck(asset, speed, "{}"));
    const BarMomentum start = momentum_of(world);
    const double energy = world.kinetic_energy();
    for (int step = 0; step < 360; ++step) {
      world.step();
      ASSERT_LE(world.kinetic_energy(), energy * (1 + 1e-6)) << step;
    }
    const BarMomentum end = momentum_of(world);
    EXPECT_LT((end.linear - start.linear).norm(), 1e-6 * start.linear.norm());
    EXPECT_LT((end.angular - start.angular).norm(), 0.02 * start.angular.norm());
    const EnergyLedger& ledger = world.report().energy;
    EXPECT_LT(ledger.joints + ledger.damage, -0.01 * energy);
    EXPECT_LT(std::abs(ledger.unaccounted()), 0.002 * ledger.scale());
    EXPECT_NEAR(world.joint_reports()[0].history.work, -ledger.joints, 0.05 * energy);
  }
}

TEST_F(Hinges, resist_with_their_share_of_the_strength) {
  const std::string asset = halves();
  double last = 1e9;
  for (const double resistance : {0.1, 0.2, 0.4}) {
    World world = built(struck(asset, 5, fmt::format(R"({{"resistance": {}, "turn": 170}})", resistance)));
    run_frames(world, 90);
    ASSERT_EQ(world.joint_reports().size(), 1u) << resistance;
    const double turned = world.joint_reports()[0].history.turn;
    EXPECT_LT(turned, 0.75 * last) << resistance;
    last = turned;
  }
}

TEST_F(Hinges, seams_stay_drawn_together_while_they_hang) {
  World world = built(struck(halves(), 6, "{}"));
  const Pieces& pieces = *world.bodies()[0].solid->rig->asset.pieces;
  const TriMesh &first = pieces.surfaces[0].cut, &second = pieces.surfaces[1].cut;
  run_frames(world, 90);
  ASSERT_EQ(world.report().hinges.size(), 1u);
  ASSERT_TRUE(world.report().breaks.empty());
  ASSERT_GT(angle_of(world), 10 * kDegree);
  const Frame frame = world.frame();
  std::vector<const FrameItem*> cuts;
  for (const FrameItem& item : frame.items) {
    if (item.name.find("cut") != std::string::npos) cuts.push_back(&item);
  }
  ASSERT_EQ(cuts.size(), 2u);
  const auto drawn = [](const FrameItem& item, size_t v) { return Vec3(item.place * (item.positions.empty() ? item.surface->positions[v] : Vec3(item.positions[v].cast<double>()))); };
  int common = 0;
  for (size_t a = 0; a < first.positions.size(); ++a) {
    for (size_t b = 0; b < second.positions.size(); ++b) {
      if ((first.positions[a] - second.positions[b]).norm() > 1e-6) continue;
      ++common;
      EXPECT_LT((drawn(*cuts[0], a) - drawn(*cuts[1], b)).norm(), 1e-4);
    }
  }
  EXPECT_GE(common, 4);
}

TEST_F(Hinges, a_run_goes_on_from_a_checkpoint_to_the_same_bits_on_any_number_of_threads) {
  Scene falls = struck(quarters(), 9, R"({"turn": 60})", R"("fps": 60,)");
  const int threads = thread_count();
  std::vector<uint64_t> prints;
  for (const int count : {1, 2, 5}) {
    set_thread_count(count);
    World world = built(falls);
    for (int frame = 1; frame <= 90; ++frame) {
      world.step_frame();
      if (count == 1 && world.is_checkpoint(frame)) {
        World resumed = built(falls);
        const Result<void> restored = resumed.restore(world.snapshot());
        ASSERT_TRUE(restored) << restored.error().text;
        EXPECT_EQ(state_hash(resumed), state_hash(world)) << frame;
        world = std::move(resumed);
      }
    }
    EXPECT_GT(world.report().hinges.size(), 0u);
    prints.push_back(world.fingerprint());
  }
  set_thread_count(threads);
  EXPECT_EQ(prints[0], prints[1]);
  EXPECT_EQ(prints[0], prints[2]);
}

TEST_F(Hinges, bad_settings_are_refused) {
  for (const auto& [hinge, word] : {std::pair{R"({"turn": 0})", "turn"}, {R"({"pull": -1})", "pull"}, {R"({"resistance": 2})", "resistance"}, {R"({"trun": 3})", "turn"}, {R"(7)", "hinge"}}) {
    const Result<Scene> parsed = parse_scene(R"({"crumple": 1, "assets": {"bar": ")" + halves() + R"("}, "bodies": [{"name": "bar", "asset": "bar", "pieces": {"strength": 10, "hinge": )" + hinge + "}}]}",
                                             folder_ / "scene.json");
    ASSERT_FALSE(parsed) << hinge;
    EXPECT_NE(parsed.error().text.find(word), std::string::npos) << parsed.error().text;
  }
}

/// The scored sedan: a panel whose lock breaks hangs on its hinges.
TEST(ScoredSedan, hangs_its_panels_on_the_body_alone) {
  const Result<Asset> asset = io::read_asset(std::filesystem::path(CRUMPLE_SOURCE_DIR) / "assets" / "sedan_scored.glb");
  ASSERT_TRUE(asset) << asset.error().text;
  const Pieces& pieces = *asset->pieces;
  EXPECT_EQ(pieces.count(), 9);
  ASSERT_EQ(pieces.links.size(), 16u);
  std::vector<int> links_of(9, 0);
  for (const PieceLink& link : pieces.links) ++links_of[static_cast<size_t>(link.a)], ++links_of[static_cast<size_t>(link.b)];
  EXPECT_EQ(std::count(links_of.begin(), links_of.end(), 2), 8);
  EXPECT_EQ(std::count(links_of.begin(), links_of.end(), 16), 1);
}

}  // namespace
}  // namespace crumple
