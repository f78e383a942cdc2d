#include "bench/bench.h"
#include "crumple/world/world.h"

namespace crumple::bench {
namespace {

using Bends = AtWork<bends::Settings, bends::Model, bends::State>;

// So strong that nothing bends.
constexpr double kNeverBends = 1e9;

struct Rate {
  double steps_per_s = 0;
  size_t parts = 0;
};

/// Steps per CPU second of the scene while its bodies fall, collide and do not bend.
Result<Rate> time_unbent(Scene scene, bool condense, int frames) {
  for (BodyDescription& body : scene.bodies) {
    if (std::optional<bends::Settings>& bends = body.of<bends::Settings>()) bends->strength = kNeverBends, bends->condense = condense;
  }
  Result<World> world = World::build(scene);
  if (!world) return world.error();
  const double start = cpu_seconds();
  for (int i = 0; i < frames; ++i) world->step_frame();
  Rate rate{frames * scene.substeps / (cpu_seconds() - start), 0};
  for (const Body& body : world->bodies()) rate.parts += body.parts.size();
  return rate;
}

/// Repeats the points of a model until it skins at least `points`.
bends::Model with_points(bends::Model model, size_t points, std::vector<Vec3f>& straight) {
  const bends::Follows once = model.surface;
  const std::vector<Vec3f> given = straight;
  PieceShares& shares = model.surface.shares;
  while (shares.points() < points) {
    const int begin = shares.first.back();
    for (size_t i = 1; i < once.shares.first.size(); ++i) shares.first.push_back(begin + once.shares.first[i]);
    shares.piece.insert(shares.piece.end(), once.shares.piece.begin(), once.shares.piece.end());
    shares.share.insert(shares.share.end(), once.shares.share.begin(), once.shares.share.end());
    model.surface.middles.insert(model.surface.middles.end(), once.middles.begin(), once.middles.end());
    straight.insert(straight.end(), given.begin(), given.end());
  }
  return model;
}

/// Skinning of the whole surface of a bar that is bent all along.
Result<Json> time_skinning(size_t points) {
  Scene scene;
  BodyDescription bar;
  bar.name = "bar", bar.box = {2.0, 0.1, 0.3};
  bar.of<bends::Settings>().emplace();
  scene.bodies.push_back(bar);
  const Result<World> world = World::build(scene);
  if (!world) return world.error();
  const Body& body = world->bodies().front();
  const auto& [bar_model, state] = std::get<Bends>(*body.bonds);
  std::vector<Vec3f> straight;
  for (const Vec3& p : body.surface->positions) straight.push_back(p.cast<float>());
  const bends::Model model = with_points(bar_model, points, straight);
  std::vector<Transform> places(model.pieces.size());
  for (size_t p = 0; p < places.size(); ++p) places[p].rotation = Eigen::AngleAxisd(0.1 * static_cast<double>(p), Vec3::UnitZ()).toRotationMatrix();
  std::vector<Vec3f> bent;
  const double seconds = least_seconds(9, [&] { bent = pose(model, state, {-1, false, straight}, places); });
  return Json::object({{"points", bent.size()}, {"pieces", places.size()}, {"skinning_s", seconds}});
}

}  // namespace

/// The jacks while nothing bends, condensed and not, and the skinning of a surface as large as paper 3 gives a time for (34,000 triangles: 0.05 s).
Result<Json> run_bends(const Request&) {
  const Result<Scene> scene = load_scene(project_file("scenes/jacks.json"));
  if (!scene) return scene.error();
  constexpr int kFrames = 4;
  const Result<Rate> condensed = time_unbent(*scene, true, kFrames);
  if (!condensed) return condensed.error();
  const Result<Rate> jointed = time_unbent(*scene, false, kFrames);
  if (!jointed) return jointed.error();
  constexpr size_t kPointsOf34000Triangles = 17002;
  Result<Json> skinning = time_skinning(kPointsOf34000Triangles);
  if (!skinning) return skinning.error();
  return Json::object({{"jacks_parts", condensed->parts},
                       {"jacks_steps_per_s", condensed->steps_per_s},
                       {"jacks_parts_uncondensed", jointed->parts},
                       {"jacks_steps_per_s_uncondensed", jointed->steps_per_s},
                       {"condensed_over_uncondensed", condensed->steps_per_s / jointed->steps_per_s},
                       {"skin", std::move(*skinning)}});
}

}  // namespace crumple::bench
