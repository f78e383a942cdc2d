#include "apps/cli/score_request.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

#include "crumple/core/random.h"
#include "crumple/io/shell_file.h"

namespace crumple::cli {
namespace {

constexpr size_t kMaxPlanes = 24;  // they may make some two thousand cells
constexpr int kMaxSeeds = 2000;
constexpr double kShareAround = 0.8;  // of the seeds
constexpr int kMaxTries = 1000;      // to hit the ball, for each seed
constexpr double kRoom = 0.01;        // of the body's size, around it

Bounds box_of(const Asset& asset) {
  Bounds box = bounds_of(asset.tets.positions);
  for (const Vec3& point : asset.surface.positions) box.add(point);
  const Vec3 room = Vec3::Constant(kRoom * box.diagonal());
  return {box.low - room, box.high + room};
}

Result<CutPlane> parse_plane(const std::string& text) {
  const Result<std::vector<double>> numbers = parse_numbers(text, 4, "--plane", "1,0,0,0.5");
  if (!numbers) return numbers.error();
  const Vec3 normal((*numbers)[0], (*numbers)[1], (*numbers)[2]);
  const double length = normal.norm();
  if (!(length > 1e-9) || !std::isfinite(length))
    return input_error(fmt::format("--plane {}: its normal (the first three numbers) has no length", text));
  return CutPlane{normal / length, (*numbers)[3] / length};
}

/// A plane that misses the body is a mistake, however well the others cut it.
Result<void> check_cuts(const Asset& asset, const CutPlane& plane, const std::string& text) {
  double low = 1e300, high = -1e300;
  for (const Vec3& point : asset.tets.positions) {
    const double along = plane.normal.dot(point);
    low = std::min(low, along), high = std::max(high, along);
  }
  if (low < plane.offset && plane.offset < high) return {};
  return input_error(fmt::format("--plane {}: misses the body, which reaches from {:.4g} to {:.4g} m along its normal; the plane is at {:.4g} m",
                                 text, low, high, plane.offset));
}

Result<std::vector<ConvexCell>> plane_cells(const Asset& asset, const ScoreRequest& request) {
  std::vector<CutPlane> planes;
  for (const std::string& text : request.planes) {
    const Result<CutPlane> plane = parse_plane(text);
    if (!plane) return plane.error();
    if (const Result<void> cuts = check_cuts(asset, *plane, text); !cuts) return cuts.error();
    planes.push_back(*plane);
  }
  return cells_between_planes(planes, box_of(asset));
}

/// Places in a body, equally likely everywhere.
class BodySampler {
 public:
  BodySampler(const TetMesh& mesh, uint64_t seed) : mesh_(mesh), random_(seed) {
    for (const Tetrahedron& tet : mesh.tets) until_.push_back((until_.empty() ? 0 : until_.back()) + tet_volume(mesh.positions, tet));
  }
  Vec3 next() {
    const auto found = std::upper_bound(until_.begin(), until_.end(), random_.unit() * until_.back());
    const Tetrahedron& tet = mesh_.tets[std::min(static_cast<size_t>(found - until_.begin()), mesh_.tets.size() - 1)];
    // The gaps between three sorted numbers are evenly spread over a tetrahedron.
    double cuts[3] = {random_.unit(), random_.unit(), random_.unit()};
    std::sort(cuts, cuts + 3);
    const auto corner = [&](size_t k) -> const Vec3& { return mesh_.positions[static_cast<size_t>(tet[k])]; };
    return cuts[0] * corner(0) + (cuts[1] - cuts[0]) * corner(1) + (cuts[2] - cuts[1]) * corner(2) + (1 - cuts[2]) * corner(3);
  }

 private:
  const TetMesh& mesh_;
  std::vector<double> until_;  // #tets: volume up to its end
  Random random_;
};

Result<std::vector<ConvexCell>> voronoi_cells_of(const Asset& asset, const ScoreRequest& request) {
  BodySampler sampler(asset.tets, request.seed);
  std::vector<Vec3> seeds;
  if (!request.around.empty()) {
    const Result<std::vector<double>> ball = parse_numbers(request.around, 4, "--around", "0,1,0,0.5");
    if (!ball) return ball.error();
    const Vec3 center((*ball)[0], (*ball)[1], (*ball)[2]);
    const int wanted = static_cast<int>(std::lround(kShareAround * *request.voronoi));
    for (int tries = 0; static_cast<int>(seeds.size()) < wanted && tries < kMaxTries * wanted; ++tries) {
      const Vec3 place = sampler.next();
      if ((place - center).norm() <= (*ball)[3]) seeds.push_back(place);
    }
    if (static_cast<int>(seeds.size()) < wanted) {
      const Bounds body = bounds_of(asset.tets.positions);
      return input_error(
          fmt::format("--around {}: holds next to nothing of the body, which reaches from ({:.3g}, {:.3g}, {:.3g}) to ({:.3g}, {:.3g}, {:.3g})",
                      request.around, body.low.x(), body.low.y(), body.low.z(), body.high.x(), body.high.y(), body.high.z()));
    }
  }
  while (static_cast<int>(seeds.size()) < *request.voronoi) seeds.push_back(sampler.next());
  return voronoi_cells(seeds, box_of(asset));
}

Result<std::vector<ConvexCell>> shell_cells(const Asset& asset, const ScoreRequest& request) {
  const Result<io::ShellFile> file = io::read_shells(request.shells);
  if (!file) return file.error();
  Result<std::vector<ConvexCell>> cells = cells_of_shells(file->shells, file->labels, box_of(asset));
  if (!cells) return Error{cells.error().kind, fmt::format("{}: {}", request.shells, cells.error().text)};
  return cells;
}

}  // namespace

Result<std::vector<double>> parse_numbers(const std::string& text, size_t count, const std::string& what, const std::string& such_as) {
  std::vector<double> numbers;
  const char* at = text.c_str();
  while (true) {
    char* end = nullptr;
    const double number = std::strtod(at, &end);
    if (end == at || !std::isfinite(number) || numbers.size() == count) break;
    numbers.push_back(number);
    if (*end == '\0' && numbers.size() == count) return numbers;
    if (*end != ',') break;
    at = end + 1;
  }
  return input_error(fmt::format("{} {}: expected {} numbers such as {}", what, text, count, such_as));
}

Result<void> check_request(const ScoreRequest& request) {
  const int ways = !request.planes.empty() + request.voronoi.has_value() + !request.shells.empty();
  if (ways != 1) return input_error("how is it to be divided? Give one of --plane nx,ny,nz,d (as often as needed), --voronoi N and --pieces FILE");
  if (request.planes.size() > kMaxPlanes) return input_error(fmt::format("{} planes are too many (at most {})", request.planes.size(), kMaxPlanes));
  for (const std::string& text : request.planes) {
    if (const Result<CutPlane> plane = parse_plane(text); !plane) return plane.error();
  }
  if (!request.voronoi) return request.around.empty() ? Result<void>() : input_error("--around goes with --voronoi");
  if (*request.voronoi < 2) return input_error(fmt::format("--voronoi {}: at least 2 seeds make a cut", *request.voronoi));
  if (*request.voronoi > kMaxSeeds) return input_error(fmt::format("--voronoi {}: at most {} seeds", *request.voronoi, kMaxSeeds));
  if (request.around.empty()) return {};
  const Result<std::vector<double>> ball = parse_numbers(request.around, 4, "--around", "0,1,0,0.5");
  if (!ball) return ball.error();
  if (!((*ball)[3] > 0)) return input_error(fmt::format("--around {}: its radius (the fourth number) must be positive", request.around));
  return {};
}

Result<std::vector<ConvexCell>> cells_for(const Asset& asset, const ScoreRequest& request) {
  if (!request.planes.empty()) return plane_cells(asset, request);
  return request.voronoi ? voronoi_cells_of(asset, request) : shell_cells(asset, request);
}

}  // namespace crumple::cli
