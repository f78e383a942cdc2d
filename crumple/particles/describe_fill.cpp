#include "crumple/core/fields.h"
#include "crumple/material/map.h"
#include "crumple/particles/fill.h"

namespace crumple::particles {

void describe(Fields& f, PaintStroke& s) {
  f.choice<PaintStroke::Map>("map", s.map, {{"toughness", PaintStroke::Map::Toughness}, {"yield", PaintStroke::Map::Yield}}, {"what is painted"});
  f.vector("at", s.at, {"where, in the body's own frame", "m"});
  f.vector("to", s.to, {"the other end of a line; absent: it is a dot", "m"});
  f.number("radius", s.radius, more_than(0), {"how far to both sides", "m"});
  f.number("value", s.value, between(0, kMostPainted), {"factor: weak below 1, strong above"});
  f.number("soft", s.soft, at_least(0), {"distance beyond the radius over which it fades", "m"});
  for (const char* key : {"map", "at", "radius", "value"}) f.require(key);
}

void describe(Fields& f, FillSettings& c) {
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
}

}  // namespace crumple::particles
