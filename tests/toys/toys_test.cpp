#include <gtest/gtest.h>

#include "crumple/io/files.h"
#include "crumple/methods/methods.h"
#include "crumple/run/playback.h"
#include "crumple/run/run.h"
#include "crumple/world/arrays.h"
#include "crumple/world/world.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

using Shrink = AtWork<shrink::Settings, shrink::Model, shrink::State>;
using Examples = AtWork<examples::Settings, examples::Model, examples::State>;
using Grains = AtWork<grains::Settings, grains::Model, grains::State>;

std::string scene_text(const std::string& bodies) {
  return fmt::format(R"({{"crumple": 1, "title": "toys", "seconds": 0.5, "checkpoint": 10, "assets": {{"drum": "{}/assets/drum.glb"}}, "bodies": [
    {{"name": "floor", "plane": [0, 1, 0, 0]}}, {}]}})",
                     CRUMPLE_SOURCE_DIR, bodies);
}

constexpr const char* kCrate = R"({"name": "crate", "box": [0.5, 0.5, 0.5], "at": [0, 0.3, 0], "velocity": [0, -4, 0], "shrink": {}})";
constexpr const char* kDrum = R"({"name": "drum", "asset": "drum", "at": [1.5, 0.5, 0], "velocity": [0, -5, 0], "examples": {"gain": 300}, "shrink": {}})";
constexpr const char* kHeap = R"({"name": "heap", "sphere": 0.2, "at": [-1.5, 0.3, 0], "grains": {"particles": 300}})";

Scene parsed(const std::string& bodies) {
  Result<Scene> scene = parse_scene(scene_text(bodies), "toys.json");
  EXPECT_TRUE(scene) << scene.error().text;
  return *scene;
}

World built(const Scene& scene) {
  Result<World> world = World::build(scene);
  EXPECT_TRUE(world) << world.error().text;
  return std::move(*world);
}

void run_frames(World& world, int frames) {
  for (int i = 0; i < frames; ++i) world.step_frame();
}

std::string complaint(const std::string& bodies) {
  const Result<Scene> scene = parse_scene(scene_text(bodies), "toys.json");
  return scene ? "" : scene.error().text;
}

class ToyRuns : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / fmt::format("crumple_toys_{}", ::getpid());
    fs::create_directories(folder);
    file = folder / "toys.json";
    ASSERT_TRUE(io::write_file(file, scene_text(fmt::format("{}, {}, {}", kCrate, kDrum, kHeap))));
    Result<Scene> loaded = load_scene(file);
    ASSERT_TRUE(loaded) << loaded.error().text;
    scene = *loaded;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  RunReport run(const std::string& name, bool resume = false, int stop_at = -1) {
    StopFlag stop;
    RunSettings settings;
    settings.folder = folder / name, settings.resume = resume, settings.cancel = &stop;
    settings.progress = [&](int frame, int, const World&) {
      if (frame == stop_at) stop.request();
    };
    Result<RunReport> report = run_scene(scene, settings);
    EXPECT_TRUE(report) << report.error().text;
    return *report;
  }
  fs::path folder, file;
  Scene scene;
};

TEST(Toys, a_layer_on_a_primitive_changes_its_shape_its_hulls_and_its_bounce) {
  World world = built(parsed(kCrate));
  const Body& crate = world.bodies()[1];
  ASSERT_TRUE(crate.solid);
  EXPECT_NEAR(crate.mass, 125, 1e-6);
  run_frames(world, 20);
  EXPECT_GT(damage_of(crate).max_displacement, 0.01);
  EXPECT_TRUE(world.report().frozen.empty());
  EXPECT_LT(world.part_state(1).restitution, 0.2);
}

TEST(Toys, a_hit_says_where_how_fast_and_by_which_body) {
  Scene scene = parsed(R"({"name": "crate", "box": [0.5, 0.5, 0.5], "at": [0, 0.4, 0], "velocity": [1, -4, 0], "shrink": {}, "material": {"friction": 0}})");
  scene.gravity.setZero();
  scene.second_phase = false;  // hits are those of the first solve
  World world = built(scene);
  const std::vector<Hit>& hits = std::get<Shrink>(world.bodies()[1].layers[0]).state.first_hits;
  for (int i = 0; i < 100 && hits.empty(); ++i) world.step();
  ASSERT_FALSE(hits.empty());
  double impulse = 0;
  for (const Hit& hit : hits) {
    EXPECT_LT((hit.normal - Vec3::UnitY()).norm(), 1e-4);
    EXPECT_LT((hit.approach - Vec3(-1, 4, 0)).norm(), 1e-3) << "the floor comes at the crate as fast as the crate moved before the step";
    EXPECT_NEAR(hit.at.y(), -0.25, 0.02);
    EXPECT_EQ(hit.other_body, 0);
    EXPECT_LT((hit.impulse - hit.impulse.norm() * hit.normal).norm(), 1e-9);
    impulse += hit.impulse.norm();
  }
  EXPECT_NEAR(impulse, 125 * (4 + world.part_state(1, 0).velocity.y()), 1e-6) << "what the crate has lost of its momentum";
}

TEST(Toys, two_layers_on_one_body_compose_and_merge_their_effects) {
  World both = built(parsed(kDrum));
  run_frames(both, 25);
  const Body& drum = both.bodies()[1];
  ASSERT_EQ(drum.layers.size(), 2u);
  const Shrink& first = std::get<Shrink>(drum.layers[0]);  // rest space first, whatever the order of keys
  const Examples& second = std::get<Examples>(drum.layers[1]);
  const std::vector<Vec3>& rest = drum.solid->rig->asset.tets.positions;
  const Skin& skin = drum.solid->rig->skin;
  const size_t count = static_cast<size_t>(skin.examples);
  int compared = 0;
  for (size_t v = 0; v < rest.size(); ++v) {
    const Vec3f offset(first.state.offsets[3 * v], first.state.offsets[3 * v + 1], first.state.offsets[3 * v + 2]);
    if (offset.isZero(0)) continue;
    std::vector<double> weights(count);
    for (size_t e = 0; e < count; ++e) weights[e] = second.state.weights[v * count + e];
    const Vec3 expected = skin_vertex(skin, static_cast<int>(v), weights) + skin_turn(skin, static_cast<int>(v), weights) * offset.cast<double>();
    EXPECT_LT((drum.shape.vertices[v].cast<double>() - expected).norm(), 1e-5);
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

TEST(Toys, the_turn_of_a_skin_is_the_derivative_by_the_rest_position) {
  World world = built(parsed(kDrum));
  run_frames(world, 25);
  const RiggedBody& rig = *world.bodies()[1].solid->rig;
  const Examples& layer = std::get<Examples>(world.bodies()[1].layers[1]);
  const size_t count = static_cast<size_t>(rig.skin.examples);
  Skin moved = rig.skin;
  for (const int v : {3, 40, 111, 200}) {
    std::vector<double> weights(count);
    for (size_t e = 0; e < count; ++e) weights[e] = layer.state.weights[static_cast<size_t>(v) * count + e];
    const Vec3 before = skin_vertex(rig.skin, v, weights);
    const Mat3 turn = skin_turn(rig.skin, v, weights);
    EXPECT_LT((turn - Mat3::Identity()).norm(), 3);
    // Handles that do not turn carry a vertex along unchanged: their share of its rest position is in `constant`.
    const size_t block = static_cast<size_t>(v / Skin::kLanes), lane = static_cast<size_t>(v % Skin::kLanes);
    double turning = 0;
    for (size_t entry = static_cast<size_t>(rig.skin.first[block]); entry < static_cast<size_t>(rig.skin.first[block + 1]); ++entry) {
      turning += double{rig.skin.turn_weight[entry * Skin::kLanes + lane]};
    }
    for (size_t k = 0; k < 3; ++k) {
      constexpr float kStep = 1.0f / 64;
      const size_t at = (block * 3 + k) * Skin::kLanes + lane;
      moved.rest[at] += kStep, moved.constant[at] += static_cast<float>(1 - turning) * kStep;
      const Vec3 slope = (skin_vertex(moved, v, weights) - before) / double{kStep};
      EXPECT_LT((slope - turn.col(static_cast<int>(k))).norm(), 1e-4) << v;
      moved.rest[at] = rig.skin.rest[at], moved.constant[at] = rig.skin.constant[at];
    }
  }
}

TEST(Toys, matter_falls_lies_on_what_is_there_and_pushes_it) {
  World world = built(parsed(fmt::format(R"({}, {{"name": "plate", "box": [1, 0.1, 1], "at": [-1.5, 0.06, 0], "mass": 5}})", kHeap)));
  run_frames(world, 30);
  const Grains& heap = std::get<Grains>(*world.bodies()[1].matter);
  for (const particles::Vec4f& p : heap.state.positions) EXPECT_GT(heap.model.origin.y() + double{p.y()}, -0.01);
  EXPECT_TRUE(world.report().frozen.empty());
}

TEST(Toys, matter_of_two_methods_keeps_apart_and_keeps_momentum) {
  Scene scene = parsed(R"({"name": "left", "sphere": 0.2, "at": [-0.25, 1, 0], "velocity": [1, 0, 0], "grains": {"particles": 300}},
    {"name": "right", "sphere": 0.2, "at": [0.25, 1, 0], "velocity": [-1, 0, 0], "clusters": {"particles": 300, "clusters": 6, "damping": 0}})");
  scene.gravity.setZero();
  World world = built(scene);
  const auto momentum = [&] {
    const Grains& left = std::get<Grains>(*world.bodies()[1].matter);
    Vec3 sum = Vec3::Zero();
    for (const particles::Vec4f& v : left.state.velocities) sum += left.model.mass * v.head<3>().cast<double>();
    const auto& right = std::get<AtWork<clusters::BodySettings, clusters::BodyModel, clusters::BodyState>>(*world.bodies()[2].matter);
    return Vec3(sum + clusters::linear_momentum(right.model.clusters, right.state.clusters));
  };
  const Vec3 before = momentum();
  run_frames(world, 20);
  EXPECT_LT((momentum() - before).norm(), 1e-3 * world.bodies()[1].mass);
  const Grains& left = std::get<Grains>(*world.bodies()[1].matter);
  double mean = 0;
  for (const particles::Vec4f& v : left.state.velocities) mean += double{v.x()} / static_cast<double>(left.state.velocities.size());
  EXPECT_LT(mean, 0.5) << "it was stopped";
}

TEST(Toys, what_cannot_be_is_refused_in_the_words_of_the_method) {
  EXPECT_NE(complaint(R"({"name": "x", "plane": [0, 1, 0, 1], "shrink": {}})").find("a body with \"shrink\" needs an inside"), std::string::npos);
  EXPECT_NE(complaint(R"({"name": "x", "box": [1, 1, 1], "motion": "static", "shrink": {}})").find("only dynamic bodies shrink"), std::string::npos);
  EXPECT_NE(complaint(R"({"name": "x", "box": [1, 1, 1], "shrink": {}, "grains": {}})").find("a body with \"shrink\" cannot be made of grains"), std::string::npos);
  EXPECT_NE(complaint(R"({"name": "x", "box": [1, 1, 1], "asleep": true, "grains": {}})").find("a body of grains cannot start asleep"), std::string::npos);
  EXPECT_NE(complaint(R"({"name": "x", "box": [1, 1, 1], "shrink": {"depht": 1}})").find("did you mean \"depth\""), std::string::npos);
}

TEST(Toys, schema_colours_and_lists_know_them) {
  const std::string schema = write_json(scene_schema());
  EXPECT_NE(schema.find("\"shrink\""), std::string::npos);
  EXPECT_NE(schema.find("\"grains\""), std::string::npos);
  std::vector<std::string> names;
  for (const ColorScheme& scheme : color_schemes()) names.emplace_back(scheme.name);
  EXPECT_NE(std::find(names.begin(), names.end(), "depth"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "height"), names.end());
}

TEST_F(ToyRuns, records_plays_back_and_reports) {
  const RunReport report = run("whole");
  ASSERT_EQ(report.bodies.size(), 3u);
  EXPECT_GT(report.bodies[0].methods.figures.find("deepest")->number, 0.01);
  EXPECT_EQ(report.bodies[2].methods.lines.front().first, "heap");
  const std::string json = write_json(run_json(scene, report));
  EXPECT_NE(json.find("\"deepest\""), std::string::npos);
  EXPECT_NE(json.find("\"grains\": "), std::string::npos);
  World world = built(scene);
  run_frames(world, 30);
  Result<Playback> playback = Playback::open(folder / "whole");
  ASSERT_TRUE(playback) << playback.error().text;
  const Frame live = world.frame({"state"});
  const Result<Frame> played = playback->frame(30, {"state"});
  ASSERT_TRUE(played) << played.error().text;
  ASSERT_EQ(live.items.size(), played->items.size());
  for (size_t i = 0; i < live.items.size(); ++i) {
    ASSERT_EQ(live.items[i].positions.size(), played->items[i].positions.size()) << live.items[i].name;
    EXPECT_EQ(live.items[i].colors.size(), played->items[i].colors.size());
    for (size_t v = 0; v < live.items[i].positions.size(); ++v) EXPECT_LT((live.items[i].positions[v] - played->items[i].positions[v]).norm(), 1e-3f);
  }
  const std::vector<std::string> footers = footers_of(playback->bodies());
  EXPECT_NE(std::find_if(footers.begin(), footers.end(), [](const std::string& text) { return text.find("grains") != std::string::npos; }), footers.end());
}

TEST_F(ToyRuns, continues_to_the_same_bytes) {
  const RunReport whole = run("whole");
  run("cut", false, 17);
  const RunReport resumed = run("cut", true);
  EXPECT_EQ(resumed.resumed_from, 10);
  EXPECT_EQ(resumed.fingerprint, whole.fingerprint);
  EXPECT_EQ(*io::read_file(folder / "whole" / "state.crumple"), *io::read_file(folder / "cut" / "state.crumple"));
}

}  // namespace
}  // namespace crumple
