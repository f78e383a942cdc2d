#include <gtest/gtest.h>

#include <numbers>

#include "crumple/io/gltf.h"
#include "crumple/run/playback.h"
#include "crumple/scene/animation.h"
#include "tests/scene/scenes.h"

namespace crumple {
namespace {

constexpr double kPi = std::numbers::pi;

std::array<float, 4> turned_about_y(double angle) { return {0, static_cast<float>(std::sin(angle / 2)), 0, static_cast<float>(std::cos(angle / 2))}; }

/// A file as an artist's tool writes it: "door" hangs on "hinge", which turns by 120 degrees in a second; "lift" rises along a spline, "lamp" jumps, and
/// "eye" is a camera that drives by.
class Moving {
 public:
  Moving() {
    hinge_ = add_node("hinge", Vec3(-1, 0, 0), Json::array({1}));
    add_node("door", Vec3(0.5, 1, 0));
    lift_ = add_node("lift", Vec3(5, 0, 0));
    lamp_ = add_node("lamp", Vec3::Zero());
    eye_ = add_node("eye", Vec3(0, 1, 8));
    add_node("still", Vec3(1, 2, 3));
    big_ = add_node("big", Vec3::Zero());
    builder.json()["nodes"].items[big_]["scale"] = Json::array({2, 2, 2});
    builder.add("cameras", Json::object({{"type", "perspective"}, {"perspective", Json::object({{"yfov", 0.5}, {"znear", 0.1}})}}));
    builder.json()["nodes"].items[eye_]["camera"] = 0;
    const std::vector<float> second = {0, 1}, three = {0.5F, 1, 1.5F};
    add_clip("open", hinge_, "rotation", "LINEAR", second, builder.add_vec4(std::vector{turned_about_y(0), turned_about_y(2 * kPi / 3)}, io::GltfTarget::Other));
    // In tangent, value, out tangent: the cubic y = 3 t^2 - 2 t^3.
    const std::vector<Vec3f> spline = {{0, 0, 0}, {5, 0, 0}, {0, 0, 0}, {0, 0, 0}, {5, 1, 0}, {0, 0, 0}};
    add_clip("rise", lift_, "translation", "CUBICSPLINE", second, builder.add_vec3(spline, io::GltfTarget::Other));
    add_clip("blink", lamp_, "translation", "STEP", three, builder.add_vec3(std::vector<Vec3f>{{0, 9, 0}, {1, 9, 0}, {2, 9, 0}}, io::GltfTarget::Other));
    add_clip("drive", eye_, "translation", "LINEAR", second, builder.add_vec3(std::vector<Vec3f>{{0, 1, 8}, {2, 1, 8}}, io::GltfTarget::Other));
    add_clip("grow", big_, "translation", "LINEAR", second, builder.add_vec3(std::vector<Vec3f>{{0, 0, 0}, {2, 0, 0}}, io::GltfTarget::Other));
  }
  void write(const std::filesystem::path& file) && {
    const Result<std::string> bytes = io::write_glb(std::move(builder).finish());
    ASSERT_TRUE(bytes && io::write_file(file, *bytes));
  }

 private:
  size_t add_node(const char* name, const Vec3& at, Json children = {}) {
    Json node = Json::object({{"name", name}, {"translation", Json::array({at.x(), at.y(), at.z()})}});
    if (children.is_array()) node["children"] = std::move(children);
    return builder.add("nodes", std::move(node));
  }
  void add_clip(const char* name, size_t node, const char* path, const char* between, const std::vector<float>& times, size_t values) {
    const Json sampler = Json::object({{"input", builder.add_times(times)}, {"output", values}, {"interpolation", between}});
    const Json channel = Json::object({{"sampler", 0}, {"target", Json::object({{"node", node}, {"path", path}})}});
    builder.add("animations", Json::object({{"name", name}, {"channels", Json::array({channel})}, {"samplers", Json::array({sampler})}}));
  }
  io::GltfBuilder builder{"test"};
  size_t hinge_, lift_, lamp_, eye_, big_;
};

class Animation : public testing::Test {
 protected:
  void SetUp() override { Moving().write(scratch / "moving.glb"); }
  Scene scene(const std::string& bodies, const std::string& more = "") const {
    return written_scene(scratch / "scene.json", R"({"crumple": 1, "fps": 20, "substeps": 5, "seconds": 2, "checkpoint": 10, )" + more + R"("bodies": [)" + bodies + "]}");
  }
  static std::string follower(const std::string& node, const std::string& more = "") {
    return fmt::format(R"({{"name": "{}", "box": [1, 2, 0.1], "animation": {{"file": "moving.glb", "node": "{}"{}}}}})", node, node, more);
  }
  /// What is said against a scene, without the folder.
  std::string complaint(const std::string& bodies, const std::string& more = "") const {
    const Result<World> world = World::build(scene(bodies, more));
    std::string text = world ? "" : world.error().text;
    for (const std::string folder = (scratch / "").string(); text.find(folder) != std::string::npos;) text.erase(text.find(folder), folder.size());
    return text;
  }
  ScratchFolder scratch{"animation"};
};

Vec3 on_hinge(double angle) { return Vec3(-1 + 0.5 * std::cos(angle), 1, -0.5 * std::sin(angle)); }

TEST_F(Animation, body_is_where_its_node_is) {
  World world = built(scene(follower("door") + "," + follower("lift") + R"(, {"name": "put elsewhere", "box": [1, 1, 1], "at": [0, 20, 0], "turn": [0, 90, 0],
      "animation": {"file": "moving.glb", "node": "door", "start": 0.25, "speed": 2}})"));
  for (int i = 0; i < 200; ++i) {
    const double t = world.time(), angle = 2 * kPi / 3 * std::min(t, 1.0), u = std::min(t, 1.0), late = 2 * kPi / 3 * std::clamp(2 * (t - 0.25), 0.0, 1.0);
    EXPECT_NEAR((world.place(0).translation - on_hinge(angle)).norm(), 0, 1e-6) << t;
    EXPECT_NEAR((world.place(0).rotation - rotation_from_degrees(Vec3(0, angle * 180 / kPi, 0))).norm(), 0, 1e-6) << t;
    EXPECT_NEAR((world.place(1).translation - Vec3(5, 3 * u * u - 2 * u * u * u, 0)).norm(), 0, 1e-6) << t;
    EXPECT_NEAR((world.place(2).translation - (rotation_from_degrees(Vec3(0, 90, 0)) * on_hinge(late) + Vec3(0, 20, 0))).norm(), 0, 1e-6) << t;
    world.step();
  }
  EXPECT_TRUE(world.part_state(0).velocity.isZero(0));  // at its end it stands still, and what lies on it may sleep
}

TEST_F(Animation, velocities_take_each_step_to_its_end) {
  World world = built(scene(follower("door")));
  for (int i = 0; i < 30; ++i) world.step();
  const rigid::PartState state = world.part_state(0);
  const Vec3 next = on_hinge(2 * kPi / 3 * (world.time() + world.scene().dt()));
  EXPECT_NEAR((state.velocity - (next - state.place.translation) / world.scene().dt()).norm(), 0, 1e-6);
  EXPECT_NEAR((state.spin - Vec3(0, 2 * kPi / 3, 0)).norm(), 0, 1e-5);
}

TEST_F(Animation, pushes_what_it_meets_at_its_own_speed) {
  // A plate that rises by a spline lifts a block, and throws it no higher than its speed allows.
  World world = built(scene(R"({"name": "lift", "box": [2, 0.2, 2], "material": {"restitution": 0}, "animation": {"file": "moving.glb", "node": "lift"}},
      {"name": "block", "box": [0.4, 0.4, 0.4], "at": [5, 0.3, 0], "material": {"restitution": 0}})"));
  while (world.time() < 0.45) world.step();
  const double u = world.time();
  EXPECT_NEAR(world.part_state(1).velocity.y(), 6 * u * (1 - u), 0.05);
  while (world.time() < 1.9) world.step();
  EXPECT_NEAR(world.part_state(1).place.translation.y(), 1.3, 0.01);
}

TEST_F(Animation, jumps_without_pushing) {
  World world = built(scene(follower("lamp")));
  for (int i = 0; i < 180; ++i) {
    const double x = world.time() > 1.5 - 1e-9 ? 2 : world.time() > 1 - 1e-9 ? 1 : 0;
    EXPECT_EQ(world.place(0).translation, Vec3(x, 9, 0)) << world.time();
    EXPECT_TRUE(world.part_state(0).velocity.isZero(0)) << world.time();
    world.step();
  }
}

TEST_F(Animation, repeats_if_it_is_told_to) {
  World world = built(scene(follower("lift", R"(, "loop": true, "speed": 2)")));
  for (int i = 0; i < 190; ++i) {
    const double u = std::fmod(2 * world.time() + 1e-9, 1.0);
    EXPECT_NEAR((world.place(0).translation - Vec3(5, 3 * u * u - 2 * u * u * u, 0)).norm(), 0, 1e-6) << world.time();
    EXPECT_LE(world.part_state(0).velocity.norm(), 3.001);  // the way back is a jump
    world.step();
  }
}

TEST_F(Animation, waits_for_a_contact) {
  World world = built(scene(follower("lift", R"(, "when": {"contact": ["ball", "ground"]})") + R"(, {"name": "ground", "plane": [0, 1, 0, -10]}, {"name": "ball", "sphere": 0.5, "at": [0, -9, 0]})"));
  double hit = -1;
  while (world.time() < 0.9) {
    if (hit < 0 && !world.loads().contacts.empty()) hit = world.time();
    const double u = hit < 0 ? 0 : std::min(world.time() - hit, 1.0);
    EXPECT_NEAR(world.place(0).translation.y(), 3 * u * u - 2 * u * u * u, 1e-6);
    world.step();
  }
  EXPECT_GT(hit, 0.2);
}

TEST_F(Animation, resumed_runs_are_the_same_to_the_bit) {
  const Scene moving = scene(follower("door", R"(, "loop": true, "speed": 1.3)") + "," + follower("lamp") + R"(, {"name": "ball", "sphere": 0.2, "at": [-0.5, 0.3, -0.5]}, {"name": "ground", "plane": [0, 1, 0, 0]})");
  World world = built(moving);
  run_frames(world, 10);
  World resumed = resumed_from(world, moving);
  run_frames(world, 20), run_frames(resumed, 20);
  EXPECT_EQ(state_hash(resumed), state_hash(world));
  EXPECT_EQ(resumed.fingerprint(), world.fingerprint());
}

TEST_F(Animation, recordings_hold_the_files_they_need) {
  const Scene moving = scene(follower("door"), R"("camera": {"file": "moving.glb", "start": 0.5}, )");
  RunSettings settings;
  settings.folder = scratch / "out", settings.frames = std::pair(0, 3);
  const Result<RunReport> report = run_scene(moving, settings);
  ASSERT_TRUE(report) << report.error().text;
  std::filesystem::remove(scratch / "moving.glb");
  const Result<Playback> playback = Playback::open(scratch / "out");
  ASSERT_TRUE(playback) << playback.error().text;
  const Result<std::optional<io::NodeMotion>> camera = read_camera(playback->scene());
  ASSERT_TRUE(camera && *camera);
  EXPECT_NEAR(*(*camera)->fov_degrees, 0.5 * 180 / kPi, 1e-9);
  for (const double t : {0.0, 0.5, 0.9, 2.0}) {
    const Vec3 eye = (*camera)->at(clip_time(playback->scene().camera.clip, **camera, t)).translation;
    EXPECT_NEAR((eye - Vec3(2 * std::clamp(t - 0.5, 0.0, 1.0), 1, 8)).norm(), 0, 1e-6);
  }
}

TEST_F(Animation, says_what_is_wrong_and_where) {
  EXPECT_EQ(complaint(follower("dor")), "scene.json:1: /bodies/dor/animation/node: moving.glb has no node \"dor\"; did you mean \"door\"?");
  EXPECT_EQ(complaint(R"({"name": "a", "sphere": 1, "animation": {"file": "nowhere.glb", "node": "door"}})"), "scene.json:1: /bodies/a/animation/file: no such file: nowhere.glb");
  EXPECT_EQ(complaint(follower("still")),
            "scene.json:1: /bodies/still/animation/node: nothing in moving.glb moves \"still\" or a node above it; what moves is \"hinge\", \"lift\", \"lamp\", \"eye\", \"big\"");
  EXPECT_EQ(complaint(follower("door", R"(, "clip": "opn")")), "scene.json:1: /bodies/door/animation/clip: moving.glb has no animation \"opn\"; did you mean \"open\"?");
  EXPECT_TRUE(complaint(follower("big")).starts_with("scene.json:1: /bodies/big/animation/node: \"big\" of moving.glb has a scale other than 1")) << complaint(follower("big"));
  EXPECT_EQ(complaint("", R"("camera": {"file": "moving.glb", "node": "door"}, )"), "scene.json: /camera/node: \"door\" of moving.glb is no camera; there is \"eye\"");
  const auto parsed = [&](const std::string& body) {
    const Result<Scene> read = parse_scene(R"({"crumple": 1, "bodies": [)" + body + "]}", "s.json");
    return read ? "" : read.error().text;
  };
  const std::string animation = R"("animation": {"file": "moving.glb", "node": "door"})";
  EXPECT_EQ(parsed(R"({"sphere": 1, "motion": "dynamic", )" + animation + "}"), "s.json:1: /bodies/0/motion: a body with an \"animation\" is scripted");
  EXPECT_EQ(parsed(R"({"sphere": 1, "velocity": [1, 0, 0], )" + animation + "}"), "s.json:1: /bodies/0/velocity: an \"animation\" gives the velocity");
  EXPECT_EQ(parsed(R"({"sphere": 1, "script": [{"spin": [1, 0, 0]}], )" + animation + "}"), "s.json:1: /bodies/0/script: give either \"animation\" or \"script\"");
}

TEST_F(Animation, of_a_mesh_file_is_not_passed_over_in_silence) {
  const Scene moving = scene(R"({"name": "door", "mesh": "moving.glb", "motion": "static"})" + std::string(",") + follower("lift"));
  const std::vector<std::string> notes = unused_animations(moving);
  ASSERT_EQ(notes.size(), 4u);
  EXPECT_EQ(notes[0], "moving.glb: its animation \"open\" of the node \"hinge\" does not move the body; a scripted one follows it by "
                      "\"animation\": {\"file\": \"moving.glb\", \"node\": \"hinge\"}");
}

}  // namespace
}  // namespace crumple
