#include "crumple/geometry/frame.h"

#include "crumple/core/fields.h"

namespace crumple {

void describe(Fields& f, Appearance& l) {
  f.color("color", l.color, {"colour as linear RGB, 0 to 1"});
  f.number("metal", l.metal, between(0, 1), {"metalness: 0 paint, 1 bare metal"});
  f.number("roughness", l.roughness, between(0, 1), {"roughness: 0 mirror, 1 chalk"});
  f.flag("visible", l.visible, {"whether the body is drawn and exported"});
  f.color("paint", l.paint, {"linear RGB that replaces the main colour of a model of several colours, and the shades of it"});
}

}  // namespace crumple
