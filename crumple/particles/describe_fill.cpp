#include "crumple/core/fields.h"
#include "crumple/material/map.h"
#include "crumple/particles/fill.h"

namespace crumple::particles {

void describe(Fields& f, PaintStroke& s) {
  f.choice<PaintStroke::Map>("map", s.map, {{"toughness", PaintStroke::Map::Toughness}, {"yield", PaintStroke::Map::Yield}, {"stiffness", PaintStroke::Map::Stiffness}, {"flow", PaintStroke::Map::Flow}},
                             {"painted property: of clusters toughness and yield, of points yield, stiffness and rate of flow"});
  f.vector("at", s.at, {"position in the body's own frame", "m"});
  f.vector("to", s.to, {"other end of a line stroke; absent: the stroke is a dot", "m"});
  f.number("radius", s.radius, more_than(0), {"radius of the stroke", "m"});
  f.number("value", s.value, between(0, kMaxPainted), {"factor on the painted property: weaker below 1, stronger above"});
  f.number("soft", s.soft, at_least(0), {"width of the fade beyond the radius", "m"});
  for (const char* key : {"map", "at", "radius", "value"}) f.require(key);
}

void describe(Fields& f, FinerRegion& r) {
  describe(f, r.within);
  f.number("spacing", r.spacing, more_than(0), {"distance between particles there", "m"});
  f.require("spacing");
}

void describe(Fields& f, FillSettings& c) {
  f.choice<SampleKind>("sampling", c.sampling, {{"blue_noise", SampleKind::BlueNoise}, {"grid", SampleKind::Grid}, {"bcc", SampleKind::Bcc}},
                       {"pattern of the particles: irregular and evenly spaced, cubic grid, or body-centred cubic grid"});
  f.integer("particles", c.particles, between(4, 1000000), {"target number of particles"});
  f.number("spacing", c.spacing, more_than(0),
           {"distance between particles, instead of their number; absent, for particles from files: measured", "m"});
  f.integer("sampling_seed", c.sampling_seed, between(0, 1e9), {"random seed of the sampling"});
  f.list("regions", c.regions, {"regions with another distance between particles, in the body's own frame"});
  f.list("paint", c.paint, {"strokes that make regions weak or strong, each over the ones before and over the paint of the mesh"});
  f.vector("prestretch", c.prestretch, {"initial stretch factors along the body's own x, y, z"});
  if (f.reading() && !(c.prestretch.minCoeff() >= 0.1 && c.prestretch.maxCoeff() <= 10))
    f.fail("prestretch", "must be between 0.1 and 10 along each axis");
}

}  // namespace crumple::particles
