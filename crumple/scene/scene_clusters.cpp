#include "crumple/material/map.h"
#include "crumple/scene/clusters_description.h"

namespace crumple {

void describe(Fields& f, ParticleFile& p) {
  f.text("file", p.file, {"a text file with three numbers for each particle"});
  f.number("scale", p.scale, between(1e-6, 1e6), {"size"});
  f.vector("at", p.at, {"where its origin is in the body", "m"});
  f.vector("velocity", p.velocity, {"at the start, beside the body's own", "m/s"});
  f.require("file");
}

void describe(Fields& f, PaintStroke& s) {
  f.choice<PaintStroke::Map>("map", s.map, {{"toughness", PaintStroke::Map::Toughness}, {"yield", PaintStroke::Map::Yield}}, {"what is painted"});
  f.vector("at", s.at, {"where, in the body's own frame", "m"});
  f.vector("to", s.to, {"the other end of a line; absent: it is a dot", "m"});
  f.number("radius", s.radius, more_than(0), {"how far to both sides", "m"});
  f.number("value", s.value, between(0, kMostPainted), {"factor: weak below 1, strong above"});
  f.number("soft", s.soft, at_least(0), {"distance beyond the radius over which it fades", "m"});
  for (const char* key : {"map", "at", "radius", "value"}) f.require(key);
}

void describe(Fields& f, ClustersDescription& c) {
  f.choice<SampleKind>("sampling", c.sampling, {{"blue_noise", SampleKind::BlueNoise}, {"grid", SampleKind::Grid}, {"bcc", SampleKind::Bcc}},
                       {"how particles fill the surface: irregular and evenly spaced, on a cubic grid, or on a body-centred one"});
  f.integer("particles", c.particles, between(4, 1000000), {"about so many particles"});
  f.number("spacing", c.spacing, more_than(0),
           {"distance between particles, instead of their number; of particles from files: absent, it is measured", "m"});
  f.integer("sampling_seed", c.sampling_seed, between(0, 1e9), {"other particles that are as good"});
  f.list("paint", c.paint, {"makes places weak or strong, one stroke over the other and over what is painted on the mesh"});
  f.vector("prestretch", c.prestretch, {"how far it is stretched along its own x, y, z when it begins"});
  if (f.reading() && !(c.prestretch.minCoeff() >= 0.1 && c.prestretch.maxCoeff() <= 10))
    f.fail("prestretch", "must be between 0.1 and 10 along each axis");
  clusters::describe(f, c.settings);
  particles::describe(f, c.boundary);
  f.object("inner", c.inner, {"appearance of what tearing lays open"});
}

}  // namespace crumple
