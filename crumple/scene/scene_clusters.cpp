#include "crumple/scene/clusters_description.h"

namespace crumple {

void describe(Fields& f, ParticleFile& p) {
  f.text("file", p.file, {"a text file with three numbers for each particle"});
  f.number("scale", p.scale, between(1e-6, 1e6), {"size"});
  f.vector("at", p.at, {"where its origin is in the body", "m"});
  f.vector("velocity", p.velocity, {"at the start, beside the body's own", "m/s"});
  f.require("file");
}

void describe(Fields& f, ClustersDescription& c) {
  f.choice<SampleKind>("sampling", c.sampling, {{"blue_noise", SampleKind::BlueNoise}, {"grid", SampleKind::Grid}, {"bcc", SampleKind::Bcc}},
                       {"how particles fill the surface: irregular and evenly spaced, on a cubic grid, or on a body-centred one"});
  f.integer("particles", c.particles, between(4, 1000000), {"about so many particles"});
  f.number("spacing", c.spacing, more_than(0), {"distance between particles, instead of their number", "m"});
  f.integer("sampling_seed", c.sampling_seed, between(0, 1e9), {"other particles that are as good"});
  clusters::describe(f, c.settings);
  clusters::describe(f, c.loads);
  f.object("inner", c.inner, {"appearance of what tearing lays open"});
}

}  // namespace crumple
