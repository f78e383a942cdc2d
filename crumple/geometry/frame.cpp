#include "crumple/geometry/frame.h"

#include "crumple/core/fields.h"

namespace crumple {

void describe(Fields& f, Look& l) {
  f.color("color", l.color, {"linear RGB, 0 to 1"});
  f.number("metal", l.metal, between(0, 1), {"0 paint, 1 bare metal"});
  f.number("roughness", l.roughness, between(0, 1), {"0 mirror, 1 chalk"});
  f.flag("visible", l.visible, {"whether it is drawn and exported"});
  f.color("paint", l.paint, {"on a model of several colours: linear RGB in place of the one that covers most of it, and of its shades"});
}

}  // namespace crumple
